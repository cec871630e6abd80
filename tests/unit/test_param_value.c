/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/param/value and core/util/diag. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "core/param/value.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_param_value(void);

static void test_from_text(void)
{
	static const struct {
		const char *text;
		enum value_type type;
		const char *back;
	} rows[] = {
		{ "true", VALUE_BOOL, "true" },
		{ "false", VALUE_BOOL, "false" },
		{ "True", VALUE_STR, "True" },
		{ "12", VALUE_INT, "12" },
		{ "-5", VALUE_INT, "-5" },
		{ "0x10", VALUE_INT, "16" },
		{ "1.5", VALUE_FLOAT, "1.5" },
		{ "1e3", VALUE_FLOAT, "1000" },
		{ "0.1", VALUE_FLOAT, "0.1" },
		{ "nan", VALUE_STR, "nan" },
		{ "4KiB", VALUE_STR, "4KiB" },
		{ "", VALUE_STR, "" },
		{ "9223372036854775807", VALUE_INT, "9223372036854775807" },
		{ "99999999999999999999", VALUE_FLOAT, "1e+20" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct value *v = value_from_text(rows[i].text);
		_cleanup_free_ char *text = value_text(v);

		CU_ASSERT_EQUAL(v->type, rows[i].type);
		CU_ASSERT_STRING_EQUAL(text, rows[i].back);
		CU_ASSERT_EQUAL(v->line, 0);
		value_free(v);
	}
}

static void test_group(void)
{
	struct value *g = value_new(VALUE_GROUP, "f", 3), *list = value_new(VALUE_LIST, "f", 4),
		     *copy;

	for (int i = 0; i < 20; i++) {
		struct value *item = value_new(VALUE_INT, "f", 5);

		item->u.i = i;
		value_add(list, NULL, item);
	}
	value_add(g, "list", list);
	value_add(g, "text", value_new_str("x", "f", 6));
	copy = value_copy(g);
	value_free(g);
	CU_ASSERT_EQUAL(copy->u.l.n, 2);
	CU_ASSERT_PTR_NULL(value_get(copy, "none"));
	CU_ASSERT_STRING_EQUAL(value_get(copy, "text")->u.s, "x");
	CU_ASSERT_EQUAL(value_get(copy, "text")->line, 6);
	list = value_get(copy, "list");
	CU_ASSERT_EQUAL(list->u.l.n, 20);
	CU_ASSERT_EQUAL(list->u.l.v[19]->u.i, 19);
	CU_ASSERT_PTR_NULL(value_text(list));
	CU_ASSERT_PTR_NULL(value_get(list, "x"));
	CU_ASSERT_PTR_NULL(value_get(NULL, "x"));
	value_free(copy);
	value_free(NULL);
}

static void test_diag_order(void)
{
	_cleanup_free_ char *text = NULL;
	struct diag d = { 0 };

	diag_add(&d, "b.job", 9, "late");
	diag_add(&d, "a.job", 1, "other file");
	diag_add(&d, "b.job", 2, "early");
	diag_add(&d, "b.job", 9, "late");
	diag_add(&d, "b.job", 9, "later\nstill");
	diag_add(&d, NULL, 0, "--set x: no");
	d.prefix = "mkfs";
	diag_add(&d, "b.job", 10, "%s", "prefixed");
	text = fixture_diag_text(&d);
	CU_ASSERT_TRUE(fixture_same(
		text,
		"b.job:2: early\nb.job:9: late\nb.job:9: later still\nb.job:10: mkfs: prefixed\n"
		"a.job:1: other file\n--set x: no\n"));
	diag_free(&d);
	CU_ASSERT_EQUAL(d.n, 0);
}

static void test_diag_many(void)
{
	struct diag d = { 0 };

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 5000; i++)
			diag_add(&d, "a.job", i % 100 + 1, "message %u", i);
	}
	CU_ASSERT_EQUAL(d.n, 5000);
	diag_free(&d);
}

void test_param_value(void)
{
	CU_pSuite s = CU_add_suite("param value", NULL, NULL);

	CU_add_test(s, "scalars from the command line", test_from_text);
	CU_add_test(s, "groups and lists", test_group);
	CU_add_test(s, "findings in order, each once", test_diag_order);
	CU_add_test(s, "many findings", test_diag_many);
}
