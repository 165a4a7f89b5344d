/* src/util/hash.c
 *
 * SHA-256 through libmd, which is given bytes and asked for nothing else.
 *
 * Source: FIPS 180-4, "Secure Hash Standard", section 6.2. */
#include "util/hash.h"

#include <sys/types.h>

#include <sha2.h>

_Static_assert((int)DM_HASH_TEXT_MAX == (int)SHA256_DIGEST_STRING_LENGTH, "a digest in hexadecimal, and its NUL");

void dm_hash_text(const char *text, size_t len, char out[DM_HASH_TEXT_MAX])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;

    SHA256Init(&context);
    if (len > 0)
        SHA256Update(&context, (const unsigned char *)text, len);
    SHA256Final(digest, &context);

    for (size_t i = 0; i < sizeof digest; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15u];
    }
    out[2 * sizeof digest] = '\0';
}
