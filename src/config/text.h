/* src/config/text.h
 *
 * Is a file plain text? Asked before it is parsed, so that what follows may rely on it. */
#ifndef DM_CONFIG_TEXT_H
#define DM_CONFIG_TEXT_H

#include "util/err.h"

/* UTF-8 without control characters; lines end with LF or CR LF. A byte-order mark may come first. Fails at the first
 * byte that is something else. */
dm_status dm_text_check(const dm_source *source, dm_err *err);

#endif
