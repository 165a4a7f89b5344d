/* tests/unit/test_arena.c */
#include "text_fixture.h"

#include <stdalign.h>

#include "util/arena.h"

static bool is_zero(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != 0)
            return false;
    return true;
}

/* Sizes from 0 B past the first block of 4 KiB; each piece is written full, so that ASan would see an overlap. */
static void pieces_are_zeroed_and_aligned_and_apart(void **state)
{
    enum { N = 600 };
    unsigned char *piece[N];
    dm_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < N; i++) {
        piece[i] = dm_arena_alloc(&arena, i);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        assert_true(is_zero(piece[i], i));
        memset(piece[i], (int)(i % 256), i);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(piece[i][j], i % 256);
    dm_arena_free(&arena);
    assert_null(arena.head);
}

static void a_piece_larger_than_any_block_is_given(void **state)
{
    enum { N = 5 << 20 };
    dm_arena arena = {0};

    (void)state;
    unsigned char *small = dm_arena_alloc(&arena, 16), *large = dm_arena_alloc(&arena, N);
    assert_non_null(small);
    assert_non_null(large);
    large[N - 1] = 1;
    assert_non_null(dm_arena_alloc(&arena, 16));
    dm_arena_free(&arena);
}

static void what_can_not_be_had_is_null_and_harmless(void **state)
{
    dm_arena arena = {0};

    (void)state;
    assert_null(dm_arena_alloc(&arena, SIZE_MAX));
    assert_null(dm_arena_alloc(&arena, SIZE_MAX - 8));
    assert_null(dm_arena_alloc(&arena, SIZE_MAX / 2 + 1));
    assert_null(dm_arena_alloc_n(&arena, SIZE_MAX / 8, 16));
    assert_null(dm_arena_alloc_n(&arena, SIZE_MAX / 16 + 2, 16)); /* wraps to 16 B */
    assert_null(dm_arena_alloc_n(&arena, 16, SIZE_MAX / 16 + 2));
    assert_non_null(dm_arena_alloc_n(&arena, 4, 8));
    assert_non_null(dm_arena_alloc_n(&arena, 0, 8));
    assert_non_null(dm_arena_alloc_n(&arena, SIZE_MAX, 0));
    dm_arena_free(&arena);
    dm_arena_free(&arena);
}

static void a_copy_ends_in_nul(void **state)
{
    dm_arena arena = {0};

    (void)state;
    assert_string_equal(dm_arena_copy(&arena, "gemm,", 4), "gemm");
    assert_string_equal(dm_arena_copy(&arena, NULL, 0), "");
    assert_memory_equal(dm_arena_copy(&arena, "a\0b", 3), "a\0b", 4);
    dm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_and_aligned_and_apart),
        cmocka_unit_test(a_piece_larger_than_any_block_is_given),
        cmocka_unit_test(what_can_not_be_had_is_null_and_harmless),
        cmocka_unit_test(a_copy_ends_in_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
