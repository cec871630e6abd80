/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/fill: sizes out of a seed, and nothing left. */
#define FSTRIAL_STATIC fill

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/util/file.h"
#include "core/util/xalloc.h"
#include "tests/unit/fake_host.h"

#include "plugins/setup/fill.c"

static void test_check(void)
{
	static const struct {
		const char *params;
		int r;
	} rows[] = {
		{ "", -EINVAL },
		{ "percent=50", 0 },
		{ "size=1MiB", 0 },
		{ "percent=50;size=1MiB", -EINVAL },
		{ "percent=50;min_filesize=2MiB;max_filesize=1MiB", -EINVAL },
		{ "percent=50;min_filesize=1MiB;max_filesize=1MiB", 0 },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_fill);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(fill_check_all(&h->ctx), rows[i].r);
		fake_host_free(h);
	}
}

static void test_sizes(void)
{
	static const struct {
		struct fill_cfg cfg;
		uint64_t below; /* of 4000 sizes about this many are below the middle */
		uint64_t middle;
	} rows[] = {
		{ { .min_filesize = 4096, .max_filesize = 4194304, .distribution = FILL_LOG },
		  1800,
		  131072 },
		{ { .min_filesize = 4096, .max_filesize = 4194304, .distribution = FILL_UNIFORM },
		  1990,
		  2099200 },
		{ { .min_filesize = 5000, .max_filesize = 5000, .distribution = FILL_LOG },
		  0,
		  5000 },
		{ { .min_filesize = 1, .max_filesize = 3, .distribution = FILL_UNIFORM }, 1333, 2 },
	};
	size_t i;
	int k;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fill_tree a = { .cfg = &rows[i].cfg, .random = 7 }, b = a;
		uint64_t below = 0;

		for (k = 0; k < 4000; k++) {
			uint64_t size = fill_pick_size(&a);

			CU_ASSERT_TRUE(size >= rows[i].cfg.min_filesize &&
				       size <= rows[i].cfg.max_filesize);
			CU_ASSERT_EQUAL(size, fill_pick_size(&b));
			below += size < rows[i].middle;
		}
		CU_ASSERT_TRUE(below + 200 > rows[i].below && below < rows[i].below + 200);
	}
}

static void test_buckets(void)
{
	struct freespace f = { .extents = 0 };

	freespace_add(&f, 0);
	freespace_add(&f, 4096);
	freespace_add(&f, 8191);
	freespace_add(&f, 8192);
	freespace_add(&f, UINT64_C(1) << 40);
	CU_ASSERT_EQUAL(f.extents, 4);
	CU_ASSERT_EQUAL(f.count[12], 2);
	CU_ASSERT_EQUAL(f.count[13], 1);
	CU_ASSERT_EQUAL(f.count[40], 1);
	CU_ASSERT_EQUAL(f.largest, UINT64_C(1) << 40);
}

static void test_files(void)
{
	char dir[] = "/tmp/fstrial-test-XXXXXX";
	_cleanup_free_ char *mine = NULL;
	int method;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	mine = xasprintf("%s/of somebody", dir);
	CU_ASSERT_EQUAL(file_write_atomic(mine, "x", 1, NULL), 0);
	for (method = 0; method < 2; method++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_fill);

		h->ctx.dir = dir;
		fake_host_params(h, "size=1MiB;max_filesize=64KiB");
		fake_host_param(h, "method", method ? "write" : "fallocate");
		CU_ASSERT_EQUAL(fill_apply(&h->ctx), 0);
		CU_ASSERT_STRING_EQUAL(fake_host_find(&h->notes, "file_bytes"), "1048576");
		CU_ASSERT_EQUAL(access(fake_host_find(&h->saves, "files"), F_OK), 0);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_EQUAL(access(fake_host_find(&h->saves, "files"), F_OK), -1);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		fake_host_free(h);
	}
	CU_ASSERT_TRUE(file_exists(mine));
	CU_ASSERT_EQUAL(dir_remove_tree(dir, NULL), 0);
}

static void save(struct fake_host *h, const char *key, const char *value)
{
	CU_ASSERT_EQUAL(h->table.save(&h->ctx, key, value), 0);
}

/* Another file system under that name, or a name that is not ours: nothing is removed. */
static void test_not_ours(void)
{
	char dir[] = "/tmp/fstrial-test-XXXXXX";
	_cleanup_free_ char *ours = NULL, *other = NULL;
	struct fake_host *h;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	ours = xasprintf("%s/" FILL_PREFIX "1-1", dir);
	other = xasprintf("%s/data", dir);
	CU_ASSERT_EQUAL(mkdir(ours, 0700), 0);
	CU_ASSERT_EQUAL(mkdir(other, 0700), 0);
	h = fake_host_new(&fstrial_plugin_fill);
	save(h, "dev", "1");
	save(h, "files", ours);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
	h = fake_host_new(&fstrial_plugin_fill);
	save(h, "files", other);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
	CU_ASSERT_TRUE(file_exists(ours));
	CU_ASSERT_TRUE(file_exists(other));
	CU_ASSERT_EQUAL(dir_remove_tree(dir, NULL), 0);
}

void test_plugin_fill(void);

void test_plugin_fill(void)
{
	CU_pSuite s = CU_add_suite("plugin fill", NULL, NULL);

	CU_add_test(s, "check", test_check);
	CU_add_test(s, "sizes", test_sizes);
	CU_add_test(s, "buckets", test_buckets);
	CU_add_test(s, "files come and go", test_files);
	CU_add_test(s, "not ours", test_not_ours);
}
