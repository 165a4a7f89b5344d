/* tests/unit/test_json.c */
#include "text_fixture.h"

#include "report/json.h"

static void expect_text(dm_json *json, const char *want)
{
    assert_false(json->out.failed);
    assert_string_equal(json->out.text, want);
    dm_str_fini(&json->out);
}

static void commas_stand_between_values(void **state)
{
    dm_json json = {{0}, false};

    (void)state;
    dm_json_open(&json, NULL, '{');
    dm_json_int(&json, "a", 1);
    dm_json_open(&json, "b", '[');
    dm_json_close(&json, ']');
    dm_json_open(&json, "c", '[');
    dm_json_int(&json, NULL, 1);
    dm_json_text(&json, NULL, "x");
    dm_json_open(&json, NULL, '{');
    dm_json_number(&json, "d", 0.5);
    dm_json_close(&json, '}');
    dm_json_open(&json, NULL, '{');
    dm_json_close(&json, '}');
    dm_json_close(&json, ']');
    dm_json_text(&json, "e", NULL);
    dm_json_close(&json, '}');
    expect_text(&json, "{\"a\":1,\"b\":[],\"c\":[1,\"x\",{\"d\":0.5},{}],\"e\":null}");
}

/* RFC 8259, section 7: quotes, backslashes and controls are escaped; all else may stand as it is. */
static void texts_are_escaped(void **state)
{
    dm_json json = {{0}, false};

    (void)state;
    dm_json_open(&json, NULL, '{');
    dm_json_text(&json, "k\"ey", "a\"b\\c/d\n\t\x01\x1f\x7fgr\xc3\xb6\xf0\x9f\x98\x80");
    dm_json_close(&json, '}');
    expect_text(&json, "{\"k\\\"ey\":\"a\\\"b\\\\c/d\\u000a\\u0009\\u0001\\u001f\x7fgr\xc3\xb6\xf0\x9f\x98\x80\"}");
}

static void what_is_no_number_is_null(void **state)
{
    dm_json json = {{0}, false};

    (void)state;
    dm_json_open(&json, NULL, '[');
    dm_json_number(&json, NULL, (double)NAN);
    dm_json_number(&json, NULL, (double)INFINITY);
    dm_json_number(&json, NULL, -(double)INFINITY);
    dm_json_close(&json, ']');
    expect_text(&json, "[null,null,null]");
}

/* JSON wants a digit before the point and no sign of plus; the shortest that reads back equal has neither fault. */
static void numbers_have_the_shortest_digits(void **state)
{
    dm_json json = {{0}, false};

    (void)state;
    dm_json_open(&json, NULL, '[');
    dm_json_number(&json, NULL, 0.1);
    dm_json_number(&json, NULL, 1.0 / 3);
    dm_json_number(&json, NULL, -2.5e-9);
    dm_json_number(&json, NULL, 1e22);
    dm_json_number(&json, NULL, 123456);
    dm_json_number(&json, NULL, 0);
    dm_json_int(&json, NULL, INT64_MAX);
    dm_json_int(&json, NULL, -7);
    dm_json_close(&json, ']');
    expect_text(&json, "[0.1,0.3333333333333333,-2.5e-09,1e+22,123456,0,9223372036854775807,-7]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_values),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(numbers_have_the_shortest_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
