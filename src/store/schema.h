/* src/store/schema.h
 *
 * What a results database looks like, as the ordered list of steps that lead there from an empty file. */
#ifndef DM_STORE_SCHEMA_H
#define DM_STORE_SCHEMA_H

#include <stddef.h>

/* `PRAGMA application_id` of our files: "dorm" in ASCII. */
enum { DM_SCHEMA_APPLICATION_ID = 0x646f726d };

/* The version this program writes; migration i leads from version i to i + 1. */
enum { DM_SCHEMA_VERSION = 1 };

/* One statement an element, since C promises no more than 4095 characters in a literal. */
typedef struct dm_migration {
    const char *const *statements;
    size_t statement_n;
} dm_migration;

extern const dm_migration dm_migrations[DM_SCHEMA_VERSION];

#endif
