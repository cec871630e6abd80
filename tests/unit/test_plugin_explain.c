/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of core/plugin/explain with a registry in memory; refused files are in
 * test_plugin_registry.c.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/plugin/registry.h"

static void test_explain(void)
{
	static struct plugin setup = { .desc = { .kind = FST_SETUP, .name = "mkfs" } };
	static struct plugin seeks = { .desc = { .kind = FST_WORKLOAD, .name = "seeks" } };
	static struct plugin sequential = { .desc = { .kind = FST_WORKLOAD,
						      .name = "sequential" } };
	static struct plugin *all[] = { &setup, &seeks, &sequential };
	static char a[] = "/a", b[] = "/b", *dirs[] = { a, b };
	static const struct registry reg = { .v = all, .n = 3, .dirs = dirs, .n_dirs = 2 };
	static const struct {
		enum fst_kind kind;
		const char *name, *text;
	} rows[] = {
		{ FST_WORKLOAD, "mkfs", "\"mkfs\" is of kind setup, not workload" },
		{ FST_WORKLOAD, "sequental",
		  "there is no workload \"sequental\", did you mean \"sequential\"?" },
		{ FST_WORKLOAD, "zzz",
		  "there is no workload \"zzz\"; there are: seeks, sequential" },
		{ FST_ENGINE, "psync",
		  "there is no engine \"psync\", nor any other engine; searched: /a, /b" },
	};
	char text[512], small[8];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = registry_explain(&reg, rows[i].kind, rows[i].name, text,
						   sizeof(text));

		CU_ASSERT_STRING_EQUAL(got, rows[i].text);
	}
	registry_explain(&reg, FST_ENGINE, "psync", small, sizeof(small));
	CU_ASSERT_STRING_EQUAL(small, "there i");
}

void test_plugin_explain(void);
void test_plugin_explain(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "explain", test_explain },
	};
	CU_pSuite suite = CU_add_suite("plugin explain", NULL, NULL);

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
