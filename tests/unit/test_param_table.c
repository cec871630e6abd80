/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/param/param_check: are tables sound? */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/job/job.h"
#include "core/param/param.h"

void test_param_table(void);

/* A table with one entry, after a good one. */
static void check_table(struct fst_param p, const char *why)
{
	struct fst_param table[2] = {
		{ .name = "good", .alias = "fine", .type = FST_U64, .offset = 0, .doc = "Good." },
		p,
	};
	struct err e = { 0 };

	CU_ASSERT_EQUAL(param_check_table("t", table, 2, sizeof(table[0]), 64, &e),
			why ? -EINVAL : 0);
	CU_ASSERT_TRUE(why ? strstr(e.text, why) != NULL : !e.code);
	if (why && !strstr(e.text, why))
		fprintf(stderr, "\n%s: %s\n", why, e.text);
}

#define P(n, t) .name = (n), .type = (t), .offset = 8, .doc = "For tests."

static void test_tables(void)
{
	static const struct fst_choice twice[] = { { "a", 1, "A." }, { "a", 2, "B." } };
	static const struct fst_choice no_doc[] = { { "a", 1, NULL } };
	static const struct fst_choice good[] = { { "a", 1, "A." } };

	check_table((struct fst_param){ P("x", FST_U64) }, NULL);
	check_table((struct fst_param){ P("x", FST_SIZE), .def = "4KiB", .min = "1B",
					.max = "1GiB" },
		    NULL);
	check_table((struct fst_param){ P("x", FST_ENUM), FST_CHOICES(good), .def = "a" }, NULL);
	check_table((struct fst_param){ P("Bad", FST_U64) }, "not of the form");
	check_table((struct fst_param){ P(NULL, FST_U64) }, "not of the form");
	check_table((struct fst_param){ P("x", FST_U64), .alias = "a-b" }, "not of the form");
	check_table((struct fst_param){ P("good", FST_U64) }, "there twice");
	check_table((struct fst_param){ P("fine", FST_U64) }, "there twice");
	check_table((struct fst_param){ P("x", FST_U64), .alias = "good" }, "there twice");
	check_table((struct fst_param){ .name = "x", .type = FST_U64, .offset = 8 }, "has no doc");
	check_table((struct fst_param){ P("x", 0) }, "unknown type 0");
	check_table((struct fst_param){ P("x", 11) }, "unknown type 11");
	check_table((struct fst_param){ .name = "x", .type = FST_U64, .offset = 60, .doc = "D." },
		    "outside");
	check_table(
		(struct fst_param){
			.name = "x", .type = FST_U64, .offset = SIZE_MAX - 7, .doc = "D." },
		"outside");
	check_table((struct fst_param){ .name = "x", .type = FST_U64, .offset = 12, .doc = "D." },
		    "not aligned");
	check_table((struct fst_param){ .name = "x", .type = FST_BOOL, .offset = 7, .doc = "D." },
		    "share bytes");
	check_table((struct fst_param){ P("x", FST_U64), .size = 4 },
		    "its field has 4 bytes, a field of type integer takes 8");
	check_table((struct fst_param){ P("x", FST_BOOL), .size = 4 }, "its field has 4 bytes");
	check_table((struct fst_param){ P("x", FST_U64), .flags = FST_REQUIRED, .def = "1" },
		    "required and has a default");
	check_table((struct fst_param){ P("x", FST_U64), .def = "4KiB" }, "default is wrong");
	check_table((struct fst_param){ P("x", FST_SIZE), .def = "4096" }, "default is wrong");
	check_table((struct fst_param){ P("x", FST_U64), .def = "1", .min = "2" },
		    "default is wrong");
	check_table((struct fst_param){ P("x", FST_U64), .min = "2", .max = "1" }, "max is wrong");
	check_table((struct fst_param){ P("x", FST_U64), .min = "many" }, "min is wrong");
	check_table((struct fst_param){ P("x", FST_STR), .min = "1" }, "has no bounds");
	check_table((struct fst_param){ P("x", FST_ENUM) }, "has no choices");
	check_table((struct fst_param){ P("x", FST_ENUM), FST_CHOICES(twice) }, "there twice");
	check_table((struct fst_param){ P("x", FST_ENUM), FST_CHOICES(no_doc) }, "has no doc");
	check_table((struct fst_param){ P("x", FST_ENUM), FST_CHOICES(good), .def = "b" },
		    "default is wrong");
	check_table((struct fst_param){ P("x", FST_U64), FST_CHOICES(good) }, "is no enum");
}

static void test_stride(void)
{
	/* Of a plugin that knows more than we do. */
	struct {
		struct fst_param p;
		uint64_t more[3];
	} table[2] = {
		{ { .name = "a", .type = FST_U64, .doc = "A." }, { 1, 2, 3 } },
		{ { P("b", FST_U64), .def = "7" }, { 1, 2, 3 } },
	};
	uint64_t cfg[2] = { 0 }, given = 0;
	struct param_layer l = { "t", table, 2, sizeof(table[0]), cfg, &given };
	struct param_names names = { 1, 1, 1, 1 };
	struct param_arena a = { 0 };
	struct err e = { 0 };
	uint32_t i;

	CU_ASSERT_EQUAL(param_check_table("t", table, 2, sizeof(table[0]), sizeof(cfg), &e), 0);
	param_set_defaults(&l, &names, &a);
	CU_ASSERT_EQUAL(cfg[1], 7);
	CU_ASSERT_EQUAL(param_find(&l, "b", &i), 0);
	CU_ASSERT_EQUAL(i, 1);
	CU_ASSERT_EQUAL(param_find(&l, "c", &i), -ENOENT);
	CU_ASSERT_EQUAL(param_check_table("t", table, 2, 16, sizeof(cfg), &e), -EINVAL);
	param_arena_free(&a);
}

static void test_core_tables(void)
{
	for (size_t i = 0; i < n_core_tables; i++) {
		const struct core_table *t = &core_tables[i];
		struct err e = { 0 };

		CU_ASSERT_EQUAL(param_check_table(t->name, t->v, t->n, sizeof(*t->v), t->size, &e),
				0);
		CU_ASSERT_STRING_EQUAL(e.text, "");
	}
}

void test_param_table(void)
{
	CU_pSuite s = CU_add_suite("param tables", NULL, NULL);

	CU_add_test(s, "tables that are not sound", test_tables);
	CU_add_test(s, "longer entries", test_stride);
	CU_add_test(s, "the core's own tables", test_core_tables);
}
