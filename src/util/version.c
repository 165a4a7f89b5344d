/* src/util/version.c
 *
 * Version of the library, with the commit that the build was made from. */
#include "dormer/dormer.h"
#include "version.h"

const char *dm_version(void)
{
    return DM_VERSION "+" DM_COMMIT;
}
