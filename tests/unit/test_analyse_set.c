/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A side of a comparison out of several documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "core/analyse/set.h"
#include "core/util/file.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

void test_analyse_set(void);

#define TRIAL(block, value)                                                                      \
	"{\"variant\": \"v01\", \"block\": " #block                                              \
	", \"status\": \"ok\", \"steps\": [{\"name\": \"w\", "                                   \
	"\"kind\": \"workload\", \"plugin\": {\"name\": \"sequential\", \"version\": \"1\"}, "   \
	"\"parallel\": null, \"params\": {}, \"status\": \"ok\", \"metrics\": {\"throughput\": " \
	"{\"value\": " #value                                                                    \
	", \"unit\": \"bytes/s\", \"better\": \"higher\", \"primary\": true}}}]}"
#define DOCUMENT(boot, trials)                                                              \
	"{\"format\": \"fstrial-result/1\", \"environment\": {\"boot_id\": \"" boot "\"}, " \
	"\"variants\": [{\"id\": \"v01\", \"values\": {}}], \"trials\": [" trials "]}"

static bool put(const char *dir, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");
	bool good = f && fputs(text, f) >= 0;

	return f && !fclose(f) && good;
}

static void drop(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);

	unlink(path);
}

/* Blocks of two documents are never the same block, whatever numbers they have there. */
static void test_blocks(void)
{
	static const double values[] = { 10, 11, 12, 20, 21 };
	static const uint32_t blocks[] = { 0, 1, 3, 4, 6 };
	char dir[] = "/tmp/fstrial-set-XXXXXX";
	struct strmap pool = { 0 };
	struct set s;
	struct err e = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	CU_ASSERT_TRUE(put(dir, "1.json",
			   DOCUMENT("a", TRIAL(0, 10) ", " TRIAL(1, 11) ", " TRIAL(3, 12))));
	CU_ASSERT_TRUE(put(dir, "2.json", DOCUMENT("b", TRIAL(0, 20) ", " TRIAL(2, 21))));
	if (set_load(&s, dir, &pool, &e) < 0) {
		CU_FAIL(e.text);
	} else {
		CU_ASSERT_EQUAL(s.n_docs, 2);
		CU_ASSERT_EQUAL_FATAL(s.cells.n, 1);
		CU_ASSERT_EQUAL_FATAL(s.cells.v[0].n, ARRAY_SIZE(values));
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			CU_ASSERT_EQUAL(s.cells.v[0].v[i], values[i]);
			CU_ASSERT_EQUAL(s.cells.v[0].block[i], blocks[i]);
		}
		CU_ASSERT_EQUAL(s.n_blocks, 7);
	}
	set_release(&s);
	strmap_free(&pool);
	drop(dir, "1.json");
	drop(dir, "2.json");
	rmdir(dir);
}

void test_analyse_set(void)
{
	CU_pSuite suite = CU_add_suite("analyse set", NULL, NULL);

	if (!suite || !CU_add_test(suite, "blocks", test_blocks)) {
		fprintf(stderr, "%s\n", CU_get_error_msg());
		abort();
	}
}
