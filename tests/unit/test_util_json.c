/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/json: jansson's traps. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"

/* Dumps and releases v, compares. */
static void check_dump(json_t *v, const char *expected)
{
	_cleanup_free_ char *text = js_dump(v);

	if (strcmp(text, expected))
		printf("\n  %s, not %s\n", text, expected);
	CU_ASSERT_STRING_EQUAL(text, expected);
	json_decref(v);
}

static void test_reals(void)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0.0, "0.0" },	      { 1.0, "1.0" },	  { 0.1, "0.1" },
		{ -2.5, "-2.5" },     { 1e300, "1e+300" }, { NAN, "null" },
		{ INFINITY, "null" }, { -INFINITY, "null" }, { 0.1 + 0.2, "0.30000000000000004" },
		{ 5.1e8, "510000000.0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_dump(js_real(rows[i].value), rows[i].text);
}

static void test_reals_round_trip(void)
{
	static const double values[] = { 1.0 / 3, 4.9e-324, 1.7976931348623157e308, M_PI,
					 123456789.123 };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_json_ json_t *v = js_push(js_array(), js_real(values[i]));
		_cleanup_free_ char *text = js_dump(v);
		_cleanup_json_ json_t *back = js_parse(text, strlen(text), "test", NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(back);
		CU_ASSERT_TRUE(json_is_real(json_array_get(back, 0)));
		CU_ASSERT_EQUAL(json_real_value(json_array_get(back, 0)), values[i]);
	}
}

static void test_strings(void)
{
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{ "plain", "\"plain\"" },
		{ "", "\"\"" },
		{ NULL, "null" },
		{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"" },
		/* What a terminal would obey: CSI as one character, the way back, a line's end. */
		{ "\xc2\x9b\xe2\x80\xae\xe2\x80\xa8x", "\"\\u009b\\u202e\\u2028x\"" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "caf\xe9", "\"caf\xef\xbf\xbd\"" },
		{ "\xff x", "\"\xef\xbf\xbd x\"" },
		{ "\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },			/* overlong */
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"" }, /* cut */
		{ "\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_dump(js_str(rows[i].in), rows[i].out);
	check_dump(js_strn("a\0b", 3), "\"a\\u0000b\"");
	check_dump(js_strn("\xe2\x82\xac", 2), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* A member a line, an element a line, and read back as the same. */
static void test_print(void)
{
	static const char want[] = "{\n\"n\": 1,\n\"none\": [],\n\"list\": [\n1,\n[2]\n],\n\"x\\u001b\": {\"y\":true}\n}\n";
	_cleanup_json_ json_t *o = js_set(js_set(js_object(), "n", js_u64(1)), "none", js_array()), *back = NULL;
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	js_set(o, "list", js_push(js_push(js_array(), js_u64(1)), js_push(js_array(), js_u64(2))));
	js_set(o, "x\x1b", js_set(js_object(), "y", js_bool(1)));
	js_print(o, out);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, want);
	back = js_parse(text, len, "test", NULL);
	CU_ASSERT(json_equal(back, o));
}

static void test_documents(void)
{
	json_t *list = js_push(js_push(js_array(), js_bool(1)), js_bool(0));
	json_t *o = js_set(js_object(), "n", js_u64(42));

	js_set(o, "list", list);
	js_set(o, "nothing", js_real(NAN));
	js_setf(o, "text", "%s-%d", "x", 7);
	js_set(o, "bad\xff", js_object());
	js_set(o, "n", js_u64(43)); /* replaces in place */
	check_dump(o, "{\"n\":43,\"list\":[true,false],\"nothing\":null,\"text\":\"x-7\","
		      "\"bad\xef\xbf\xbd\":{}}");
}

static void test_u64(void)
{
	static const uint64_t values[] = { 0, 1, INT64_MAX, 1ULL << 63, UINT64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_json_ json_t *o = js_set(js_object(), "v", js_u64(values[i]));
		_cleanup_free_ char *text = js_dump(o);
		_cleanup_json_ json_t *back = js_parse(text, strlen(text), "test", NULL);

		CU_ASSERT_EQUAL(js_get_u64(back, "v", 99), values[i]);
	}
	check_dump(js_u64(INT64_MAX), "9223372036854775807");
	check_dump(js_u64(1ULL << 63), "9.223372036854776e+18");
}

static void test_reads(void)
{
	static const char text[] = "{\"s\":\"x\",\"i\":3,\"neg\":-3,\"r\":2.5,"
				   "\"whole\":4.0,\"z\":null}";
	_cleanup_json_ json_t *o = js_parse(text, strlen(text), "test", NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	CU_ASSERT_STRING_EQUAL(js_get_str(o, "s", "-"), "x");
	CU_ASSERT_STRING_EQUAL(js_get_str(o, "i", "-"), "-");
	CU_ASSERT_STRING_EQUAL(js_get_str(o, "z", "-"), "-");
	CU_ASSERT_STRING_EQUAL(js_get_str(o, "missing", "-"), "-");
	CU_ASSERT_STRING_EQUAL(js_get_str(NULL, "s", "-"), "-");
	CU_ASSERT_EQUAL(js_get_u64(o, "i", 9), 3);
	CU_ASSERT_EQUAL(js_get_u64(o, "neg", 9), 9);
	CU_ASSERT_EQUAL(js_get_u64(o, "r", 9), 9);
	CU_ASSERT_EQUAL(js_get_u64(o, "whole", 9), 4);
	CU_ASSERT_EQUAL(js_get_u64(o, "z", 9), 9);
	CU_ASSERT_EQUAL(js_get_real(o, "i", -1), 3.0);
	CU_ASSERT_EQUAL(js_get_real(o, "r", -1), 2.5);
	CU_ASSERT_EQUAL(js_get_real(o, "s", -1), -1.0);
}

static void test_parse_errors(void)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{ "{\"a\":1,\"a\":2}", "duplicate" },
		{ "{} x", "end of file" },
		{ "{", "file:1:1" },
		{ "", "file:1:" },
		{ "{\n\"a\": nope}", "file:2:" },
		{ "[NaN]", "file:1:" },
		{ "[99999999999999999999]", "big" },
		{ "[\"\xff\"]", "unable to decode byte" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0, "" };

		CU_ASSERT_PTR_NULL(js_parse(rows[i].text, strlen(rows[i].text), "file", &e));
		CU_ASSERT_EQUAL(e.code, EINVAL);
		if (!strstr(e.text, rows[i].message))
			printf("\n  %s: %s\n", rows[i].text, e.text);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, rows[i].message));
	}
}

static void test_nul_round_trip(void)
{
	_cleanup_json_ json_t *o = js_set(js_object(), "v", js_strn("a\0b", 3));
	_cleanup_free_ char *text = js_dump(o);
	_cleanup_json_ json_t *back = js_parse(text, strlen(text), "test", NULL);

	CU_ASSERT_TRUE(json_equal(o, back));
}

void test_util_json(void);

void test_util_json(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "reals", test_reals },
		{ "reals round trip", test_reals_round_trip },
		{ "strings", test_strings },
		{ "documents", test_documents },
		{ "print", test_print },
		{ "u64", test_u64 },
		{ "typed reads", test_reads },
		{ "parse errors", test_parse_errors },
		{ "NUL round trip", test_nul_round_trip },
	};
	CU_pSuite suite = CU_add_suite("util json", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
