/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of texts, and versions in their order. */
#include <stdio.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "core/util/macro.h"
#include "core/util/strmap.h"
#include "core/util/version.h"

void test_util_strmap(void);

static void test_many(void)
{
	struct strmap m = { 0 };
	char key[32];
	bool fresh;
	const char *first;

	CU_ASSERT_PTR_NULL(strmap_find(&m, "a", 1));
	first = strmap_text(&m, "text 0");
	for (size_t i = 0; i < 5000; i++) {
		size_t len = (size_t)snprintf(key, sizeof(key), "text %zu", i);

		strmap_add(&m, key, len, &fresh)->value = i + 1;
		CU_ASSERT_EQUAL(fresh, i != 0);
	}
	CU_ASSERT_EQUAL(m.n, 5000);
	CU_ASSERT_PTR_EQUAL(strmap_text(&m, "text 0"), first);
	for (size_t i = 0; i < 5000; i += 7) {
		size_t len = (size_t)snprintf(key, sizeof(key), "text %zu", i);

		CU_ASSERT_EQUAL(strmap_find(&m, key, len)->value, i + 1);
	}
	CU_ASSERT_PTR_NULL(strmap_find(&m, "text 5000", 9));
	strmap_free(&m);
	CU_ASSERT_PTR_NULL(strmap_find(&m, "text 1", 6));
}

/* Keys are bytes, and the length is part of them. */
static void test_bytes(void)
{
	struct strmap m = { 0 };

	strmap_add(&m, "a\0b", 3, NULL)->value = 1;
	strmap_add(&m, "a", 1, NULL)->value = 2;
	strmap_add(&m, "", 0, NULL)->value = 3;
	CU_ASSERT_EQUAL(strmap_find(&m, "a\0b", 3)->value, 1);
	CU_ASSERT_EQUAL(strmap_find(&m, "a", 1)->value, 2);
	CU_ASSERT_EQUAL(strmap_find(&m, "", 0)->value, 3);
	CU_ASSERT_PTR_NULL(strmap_find(&m, "a\0c", 3));
	strmap_free(&m);
}

static void test_versions(void)
{
	/* From old to new. */
	static const char *const order[] = {
		"",	   "2.9",   "5.15.0-rc7", "5.15.0",    "5.15.12", "6.1.0-9-amd64", "6.1.0-10-amd64", "6.9.0",
		"6.10.0-rc1", "6.10.0-rc11", "6.10.0", "6.10.0-custom", "10.0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
			int r = version_compare(order[i], order[k]);

			if ((r > 0) - (r < 0) != (i > k) - (i < k))
				fprintf(stderr, "\"%s\" and \"%s\": %d\n", order[i], order[k], r);
			CU_ASSERT_EQUAL((r > 0) - (r < 0), (i > k) - (i < k));
		}
	CU_ASSERT_EQUAL(version_compare("6.01", "6.1"), 0);
	CU_ASSERT_EQUAL(version_compare("v6.1", "v6.1"), 0);
}

void test_util_strmap(void)
{
	CU_pSuite s = CU_add_suite("util/strmap", NULL, NULL);

	CU_ADD_TEST(s, test_many);
	CU_ADD_TEST(s, test_bytes);
	CU_ADD_TEST(s, test_versions);
}
