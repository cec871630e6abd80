/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor over JSON takes what a parser takes, and finds what is there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "core/util/jscan.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/prng.h"

void test_util_jscan(void);

static bool scanned(const char *text, size_t len)
{
	struct err e = { 0 };
	struct jscan j;

	jscan_init(&j, text, len, "doc", &e);
	jscan_value(&j, NULL);
	return jscan_end(&j) == 0;
}

static bool parsed(const char *text, size_t len)
{
	json_t *v = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

	json_decref(v);
	return v != NULL;
}

static void agree(const char *text, size_t len)
{
	if (scanned(text, len) != parsed(text, len))
		fprintf(stderr, "\"%.*s\": the parser %s it\n", (int)len, text, parsed(text, len) ? "takes" : "refuses");
	CU_ASSERT_EQUAL(scanned(text, len), parsed(text, len));
}

static void test_same_as_parser(void)
{
	static const char *const texts[] = {
		"",	    " ",       "{}",	    "[]",	    "[ ]",	  "{ }",	  "[1,2]",	"[1,]",
		"[1, ]",    "[,1]",    "{\"a\":1}", "{\"a\":1,}",   "{\"a\":1, }", "{\"a\" 1}",	  "{\"a\":}",	"{1:2}",
		"{\"a\"}",  "[1 2]",   "[1}",	    "{\"a\":1]",    "[[[]]]",	  "[[[]]",	  "[[]]]",	"null",
		"nul",	    "nullx",   "true",	    "false",	    "tru",	  "0",		  "-0",		"-",
		"01",	    "1.",      ".5",	    "1.5",	    "1e5",	  "1E+5",	  "1e",		"1e+",
		"-1.5e-3",  "+1",      "\"\"",	    "\"a",	    "\"\\n\"",	  "\"\\x\"",	  "\"\\u12\"",	"\"\\u00e9\"",
		"\"\t\"",   "\"\\",    "\"\\\"\"",  "\"\\\\\"",	    "{\"\\\\\":1}", "{\"\\\"\":[]}", "1 2",	"{} {}",
		"[{\"a\":[1,{\"b\":null}]},[]]",    "[true,false]", "[true false]", "\n[\n1\n,\n2\n]\n", "[\"a\",\"b\"",
		"{\"a\":{\"b\":{}}}", "{\"a\":{\"b\":{}}",  "[1,,2]",	    "{,}",	  "[{}{}]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		agree(texts[i], strlen(texts[i]));
}

/* A good document with one byte of it changed, or cut short. */
static void test_damaged(void)
{
	static const char good[] = "{\"a\": [1, -2.5e3, true, null], \"b\": {\"c\": \"d\\\"e\", \"f\": []}, \"g\": \"\\u0041\"}";
	static const char bytes[] = "{}[]:,\"\\ 0e-.ntu";
	char text[sizeof(good)];
	struct prng p;

	prng_seed(&p, 3, 1);
	for (size_t i = 0; i < sizeof(good); i++)
		agree(good, i);
	for (unsigned i = 0; i < 4000; i++) {
		memcpy(text, good, sizeof(good));
		text[prng_next(&p) % (sizeof(good) - 1)] = bytes[prng_next(&p) % (sizeof(bytes) - 1)];
		agree(text, sizeof(good) - 1);
	}
}

/* Every byte at every place of a string, whatever is around it; the parser, which also looks at UTF-8, is no measure. */
static void test_strings(void)
{
	char text[40];

	for (unsigned c = 0; c < 256; c++) {
		for (size_t at = 1; at < 33; at++) {
			bool good = c >= 0x20 && c != '\\' && c != '"';

			memset(text, at % 2 ? 0xa2 : '!', sizeof(text)); /* next to a quote, with and without the top bit */
			text[0] = text[33] = '"';
			text[at] = (char)c;
			CU_ASSERT_EQUAL(scanned(text, 34), good);
			/* As the last character the quote ends it early, and nothing is behind. */
			text[at + 1] = '"';
			CU_ASSERT_EQUAL(scanned(text, at + 2), good);
		}
	}
}

static void test_finds(void)
{
	static const char text[] = "{\"skip\": {\"n\": [1, {}]}, \"n\": 2.5, \"list\": [7, \"x\", {\"n\": 3}], \"none\": null}";
	struct jspan key = { 0 }, value = { 0 };
	struct err e = { 0 };
	struct jscan j;
	double n = 0;
	size_t elements = 0;

	jscan_init(&j, text, strlen(text), "doc", &e);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		if (jspan_is(key, "n")) {
			n = jscan_number(&j);
		} else if (jspan_is(key, "list")) {
			for (bool list = jscan_array(&j); list && jscan_element(&j); elements++) {
				jscan_value(&j, &value);
				if (elements == 1)
					CU_ASSERT(jspan_is_string(value, "x"));
			}
			CU_ASSERT(jspan_is(value, "{\"n\": 3}"));
		} else if (jspan_is(key, "none")) {
			CU_ASSERT(isnan(jscan_number(&j)));
		} else {
			CU_ASSERT(!jscan_array(&j)); /* an object: passed over */
		}
	}
	CU_ASSERT_EQUAL(jscan_end(&j), 0);
	CU_ASSERT_EQUAL(n, 2.5);
	CU_ASSERT_EQUAL(elements, 3);
}

static void test_says_where(void)
{
	static const char text[] = "{\"a\": 1,\n\"b\": [1,\n2 3]}";
	struct err e = { 0 };
	struct jscan j;

	jscan_init(&j, text, strlen(text), "doc.json", &e);
	jscan_value(&j, NULL);
	CU_ASSERT(jscan_end(&j) < 0);
	CU_ASSERT_STRING_EQUAL(e.text, "doc.json:3: a comma or an end is missing");
}

static void test_deep(void)
{
	char text[400];

	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	CU_ASSERT(!scanned(text, sizeof(text)));
}

void test_util_jscan(void)
{
	CU_pSuite s = CU_add_suite("util/jscan", NULL, NULL);

	CU_ADD_TEST(s, test_same_as_parser);
	CU_ADD_TEST(s, test_damaged);
	CU_ADD_TEST(s, test_strings);
	CU_ADD_TEST(s, test_finds);
	CU_ADD_TEST(s, test_says_where);
	CU_ADD_TEST(s, test_deep);
}
