/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/param/param: parsing, ranges, JSON. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <string.h>

#include "core/param/param.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_param_param(void);

/* The table of the plugin tune, bound. */
struct bound {
	struct tune_cfg cfg;
	uint64_t given;
	struct param_layer l;
	struct param_arena a;
	struct param_names names;
	struct diag d;
};

static void bound_open(struct bound *b)
{
	const struct fstrial_plugin *desc =
		&registry_find(fixture_registry(), FST_SETUP, "tune")->desc;

	memset(b, 0, sizeof(*b));
	b->names = (struct param_names){ 1ULL << 34, 4, 1ULL << 31, 1 };
	b->l = (struct param_layer){ "tune",	       desc->params, desc->n_params,
				     desc->param_size, &b->cfg,	     &b->given };
	param_set_defaults(&b->l, &b->names, &b->a);
}

static void bound_close(struct bound *b)
{
	param_arena_free(&b->a);
	diag_free(&b->d);
}

/* Sets a parameter; takes v. */
static int bound_set(struct bound *b, const char *name, struct value *v)
{
	uint32_t i;
	int ret = param_find(&b->l, name, &i);

	v->file = "t.job";
	v->line = 7;
	if (!ret)
		ret = param_set(&b->l, i, v, &b->names, "/jobs", &b->a, &b->d);
	value_free(v);
	return ret;
}

static struct value *val_i(int64_t i)
{
	struct value *v = value_new(VALUE_INT, NULL, 0);

	v->u.i = i;
	return v;
}

static struct value *val_f(double f)
{
	struct value *v = value_new(VALUE_FLOAT, NULL, 0);

	v->u.f = f;
	return v;
}

static struct value *val_b(bool b)
{
	struct value *v = value_new(VALUE_BOOL, NULL, 0);

	v->u.b = b;
	return v;
}

static struct value *val_s(const char *s)
{
	return value_new_str(s, NULL, 0);
}

static struct value *val_list(struct value *a, struct value *b)
{
	struct value *v = value_new(VALUE_LIST, NULL, 0);

	value_add(v, NULL, a);
	if (b)
		value_add(v, NULL, b);
	return v;
}

static void test_defaults(void)
{
	struct bound b;

	bound_open(&b);
	CU_ASSERT_TRUE(b.cfg.flag);
	CU_ASSERT_EQUAL(b.cfg.n, 8);
	CU_ASSERT_EQUAL(b.cfg.ratio, 0.5);
	CU_ASSERT_EQUAL(b.cfg.choice, 10);
	CU_ASSERT_EQUAL(b.cfg.time, 10000000000ULL);
	CU_ASSERT_PTR_NULL(b.cfg.text);
	CU_ASSERT_EQUAL(b.given, 0);
	bound_close(&b);
}

static void test_good(void)
{
	struct bound b;

	bound_open(&b);
	CU_ASSERT_EQUAL(bound_set(&b, "flag", val_b(false)), 0);
	CU_ASSERT_FALSE(b.cfg.flag);
	CU_ASSERT_EQUAL(bound_set(&b, "flag", val_i(1)), 0);
	CU_ASSERT_TRUE(b.cfg.flag);
	CU_ASSERT_EQUAL(bound_set(&b, "flag", val_s("false")), 0);
	CU_ASSERT_FALSE(b.cfg.flag);
	CU_ASSERT_EQUAL(bound_set(&b, "signed_n", val_i(-5)), 0);
	CU_ASSERT_EQUAL(b.cfg.signed_n, -5);
	CU_ASSERT_EQUAL(bound_set(&b, "number", val_s("3*cpus")), 0);
	CU_ASSERT_EQUAL(b.cfg.n, 12);
	CU_ASSERT_EQUAL(bound_set(&b, "ratio", val_i(1)), 0);
	CU_ASSERT_EQUAL(b.cfg.ratio, 1.0);
	CU_ASSERT_EQUAL(bound_set(&b, "ratio", val_s("0.25")), 0);
	CU_ASSERT_EQUAL(b.cfg.ratio, 0.25);
	CU_ASSERT_EQUAL(bound_set(&b, "text", val_i(512)), 0);
	CU_ASSERT_TRUE(str_eq(b.cfg.text, "512"));
	CU_ASSERT_EQUAL(bound_set(&b, "text", val_b(true)), 0);
	CU_ASSERT_TRUE(str_eq(b.cfg.text, "true"));
	CU_ASSERT_EQUAL(bound_set(&b, "path", val_s("a/b")), 0);
	CU_ASSERT_TRUE(str_eq(b.cfg.path, "/jobs/a/b"));
	CU_ASSERT_EQUAL(bound_set(&b, "path", val_s("/a")), 0);
	CU_ASSERT_TRUE(str_eq(b.cfg.path, "/a"));
	CU_ASSERT_EQUAL(bound_set(&b, "choice", val_s("fast")), 0);
	CU_ASSERT_EQUAL(b.cfg.choice, 20);
	CU_ASSERT_EQUAL(bound_set(&b, "size", val_s("50%")), 0);
	CU_ASSERT_EQUAL(b.cfg.size, 1ULL << 30);
	CU_ASSERT_EQUAL(bound_set(&b, "time", val_s("1500ms")), 0);
	CU_ASSERT_EQUAL(b.cfg.time, 1500000000ULL);
	CU_ASSERT_EQUAL(bound_set(&b, "list", val_s("a, b")), 0);
	CU_ASSERT_EQUAL(b.cfg.list.n, 1);
	CU_ASSERT_TRUE(b.cfg.list.v && str_eq(b.cfg.list.v[0], "a, b"));
	CU_ASSERT_EQUAL(bound_set(&b, "list", val_list(val_s("a"), val_i(2))), 0);
	CU_ASSERT_EQUAL(b.cfg.list.n, 2);
	CU_ASSERT_TRUE(b.cfg.list.v && str_eq(b.cfg.list.v[1], "2"));
	CU_ASSERT_EQUAL(b.d.n, 0);
	CU_ASSERT_EQUAL(b.given, 0x3ff);
	bound_close(&b);
}

struct bad_row {
	const char *name;
	struct value *v;
	const char *said;
};

static void check_bad(const struct bad_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *said = NULL;
		struct bound b;

		bound_open(&b);
		CU_ASSERT_EQUAL(bound_set(&b, rows[i].name, rows[i].v), -EINVAL);
		CU_ASSERT_EQUAL(b.given, 0);
		said = fixture_diag_text(&b.d);
		CU_ASSERT_TRUE(fixture_same(said, rows[i].said));
		bound_close(&b);
	}
}

static void test_bad_values(void)
{
	const struct bad_row rows[] = {
		{ "flag", val_i(2), "t.job:7: flag = 2: expects true or false\n" },
		{ "flag", val_s("yes"), "t.job:7: flag = \"yes\": expects true or false\n" },
		{ "n", val_s("abc"), "t.job:7: n = \"abc\": not a number\n" },
		{ "n", val_s("4KiB"), "t.job:7: n = \"4KiB\": expects a number without a unit\n" },
		{ "n", val_i(-1), "t.job:7: n = -1: must not be negative\n" },
		{ "n", val_s("2*cpsu"),
		  "t.job:7: n = \"2*cpsu\": unknown name \"cpsu\"; did you mean \"cpus\"?\n" },
		{ "ratio", val_s("half"), "t.job:7: ratio = \"half\": not a number\n" },
		{ "path", val_s(""), "t.job:7: path = \"\": expects a path\n" },
		{ "choice", val_s("fsat"),
		  "t.job:7: choice = \"fsat\": not one of slow, fast; did you mean \"fast\"?\n" },
		{ "choice", val_s("medium"),
		  "t.job:7: choice = \"medium\": not one of slow, fast\n" },
		{ "size", val_i(4096),
		  "t.job:7: size = 4096 needs a unit: write \"4096B\" or \"4KiB\"\n" },
		{ "size", val_s("2300"),
		  "t.job:7: size = \"2300\" needs a unit: write \"2300B\"\n" },
		{ "size", val_f(1.5),
		  "t.job:7: size = 1.5 needs a unit: write \"1.5B\" or \"1.5KiB\"\n" },
		{ "time", val_i(60),
		  "t.job:7: time = 60 needs a unit: write \"60s\" or \"60ms\"\n" },
		{ "size", val_s("8gb"),
		  "t.job:7: size = \"8gb\": unit \"gb\" is ambiguous: write \"8GB\" (powers of "
		  "1000) "
		  "or \"8GiB\" (powers of 1024)\n" },
		{ "size", val_s("big"), "t.job:7: size = \"big\": not a number\n" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

static void test_ranges(void)
{
	const struct bad_row rows[] = {
		{ "signed_n", val_i(-6), "t.job:7: signed_n = -6: must be at least -5\n" },
		{ "signed_n", val_s("6"), "t.job:7: signed_n = \"6\": must be at most 5\n" },
		{ "n", val_i(1000001), "t.job:7: n = 1000001: must be at most 1000000\n" },
		{ "ratio", val_f(1.6), "t.job:7: ratio = 1.6: must be at most 1.5\n" },
		{ "ratio", val_i(-1), "t.job:7: ratio = -1: must be at least 0\n" },
		{ "size", val_s("4095B"), "t.job:7: size = \"4095B\": must be at least 4KiB\n" },
		{ "size", val_i(0), "t.job:7: size = 0: must be at least 4KiB\n" },
		{ "time", val_s("2h"), "t.job:7: time = \"2h\": must be at most 1h\n" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

static void test_types(void)
{
	struct value *group = value_new(VALUE_GROUP, NULL, 0);
	const struct bad_row rows[] = {
		{ "n", val_list(val_i(1), NULL), "t.job:7: n: expects an integer, is a list\n" },
		{ "n", val_f(1.5), "t.job:7: n: expects an integer, is a decimal number\n" },
		{ "n", val_b(true), "t.job:7: n: expects an integer, is a boolean\n" },
		{ "size", val_b(true), "t.job:7: size: expects a size, is a boolean\n" },
		{ "text", val_list(val_s("a"), NULL),
		  "t.job:7: text: expects a text, is a list\n" },
		{ "choice", val_list(val_s("slow"), NULL),
		  "t.job:7: choice: expects a choice, is a list\n" },
		{ "flag", val_list(val_b(true), NULL),
		  "t.job:7: flag: expects true or false, is a list\n" },
		{ "list", val_list(val_s("a"), val_list(val_s("b"), NULL)),
		  "t.job:7: list: expects a list of texts, item 2 is a list\n" },
		{ "text", group,
		  "t.job:7: text: expects a text, is a group; a member of it is meant by "
		  "${GROUP.MEMBER}\n" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

static void test_long_value(void)
{
	char text[400];
	struct bound b;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	bound_open(&b);
	CU_ASSERT_EQUAL(bound_set(&b, "n", val_s(text)), -EINVAL);
	CU_ASSERT_EQUAL(b.d.n, 1);
	CU_ASSERT_TRUE(b.d.n && strlen(b.d.v[0].text) < 120);
	bound_close(&b);
}

static void test_json(void)
{
	json_t *o = json_object();
	struct bound b;

	bound_open(&b);
	CU_ASSERT_EQUAL(bound_set(&b, "size", val_s("1MiB")), 0);
	CU_ASSERT_EQUAL(bound_set(&b, "list", val_list(val_s("a"), val_s("b"))), 0);
	param_json_all(&b.l, o);
	CU_ASSERT_EQUAL(json_object_size(o), 10);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "size")), 1048576);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "time")), 10000000000LL);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "choice")), "slow");
	CU_ASSERT_TRUE(json_is_true(json_object_get(o, "flag")));
	CU_ASSERT_TRUE(json_is_null(json_object_get(o, "text")));
	CU_ASSERT_TRUE(json_is_null(json_object_get(o, "signed_n")));
	CU_ASSERT_EQUAL(json_array_size(json_object_get(o, "list")), 2);
	json_decref(o);
	bound_close(&b);
}

static void test_table_json(void)
{
	const struct fstrial_plugin *desc =
		&registry_find(fixture_registry(), FST_SETUP, "tune")->desc;
	json_t *a = param_table_json(desc->params, desc->n_params, desc->param_size);
	json_t *choice = json_array_get(a, 6), *n = json_array_get(a, 2);

	CU_ASSERT_EQUAL(json_array_size(a), 10);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(choice, "type")), "choice");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(choice, "choices")), 2);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(n, "default")), "2*cpus");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(n, "alias")), "number");
	CU_ASSERT_TRUE(json_is_null(json_object_get(n, "min")));
	json_decref(a);
}

void test_param_param(void)
{
	CU_pSuite s = CU_add_suite("param param", NULL, NULL);

	CU_add_test(s, "defaults", test_defaults);
	CU_add_test(s, "good values of every type", test_good);
	CU_add_test(s, "bad values", test_bad_values);
	CU_add_test(s, "ranges", test_ranges);
	CU_add_test(s, "wrong types", test_types);
	CU_add_test(s, "a long value is cut", test_long_value);
	CU_add_test(s, "values as JSON", test_json);
	CU_add_test(s, "a table as JSON", test_table_json);
}
