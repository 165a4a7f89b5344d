/* tests/unit/test_hash.c
 *
 * The digests are those of the examples for FIPS 180-4 (NIST, "SHA256.pdf", and the empty message of its test set). */
#include "assert_close.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

static void the_empty_text_has_a_hash(void **state)
{
    (void)state;
    char hash[DM_HASH_TEXT_MAX];

    dm_hash_text(NULL, 0, hash);
    assert_string_equal(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void one_block_matches_the_standard(void **state)
{
    (void)state;
    char hash[DM_HASH_TEXT_MAX];

    dm_hash_text("abc", 3, hash);
    assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void two_blocks_match_the_standard(void **state)
{
    (void)state;
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hash[DM_HASH_TEXT_MAX];

    dm_hash_text(text, strlen(text), hash);
    assert_string_equal(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_match_the_standard(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char hash[DM_HASH_TEXT_MAX];
    char *text = malloc(N);

    assert_non_null(text);
    memset(text, 'a', N);
    dm_hash_text(text, N, hash);
    free(text);
    assert_string_equal(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void bytes_after_a_nul_count(void **state)
{
    (void)state;
    char a[DM_HASH_TEXT_MAX], b[DM_HASH_TEXT_MAX];

    dm_hash_text("x\0y", 3, a);
    dm_hash_text("x\0z", 3, b);
    assert_string_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_empty_text_has_a_hash),
        cmocka_unit_test(one_block_matches_the_standard),
        cmocka_unit_test(two_blocks_match_the_standard),
        cmocka_unit_test(a_million_letters_match_the_standard),
        cmocka_unit_test(bytes_after_a_nul_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
