/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/readahead: pages, units, putting back. */
#include <CUnit/CUnit.h>
#include <sys/stat.h>

#define FSTRIAL_STATIC readahead
#include "plugins/setup/readahead.c"
#include "tests/unit/fake_host.h"

void test_plugin_readahead(void);

static void test_readahead_check(void)
{
	static const struct {
		const char *size;
		int r;
	} rows[] = {
		{ "0", 0 },	     { "4KiB", 0 },	  { "8MiB", 0 },       { "1GiB", 0 },
		{ "5KiB", -EINVAL }, { "128b", -EINVAL }, { "2GiB", -EINVAL },
	};
	size_t i;

	if (sysconf(_SC_PAGESIZE) != 4096)
		return;
	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_readahead);

		fake_host_param(h, "size", rows[i].size);
		CU_ASSERT_EQUAL(readahead_check(&h->ctx), rows[i].r);
		CU_ASSERT_EQUAL(h->error != NULL, rows[i].r != 0);
		fake_host_free(h);
	}
}

/* More than the whole device has is a mistake of units. */
static void test_readahead_device(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_readahead);

	fake_host_param(h, "size", "512MiB");
	CU_ASSERT_EQUAL(readahead_check(&h->ctx), 0);
	fake_host_fact(h, "device.size", "536870912");
	CU_ASSERT_EQUAL(readahead_check(&h->ctx), 0);
	fake_host_fact(h, "device.size", "419430400");
	CU_ASSERT_EQUAL(readahead_check(&h->ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "more than the whole device has"));
	fake_host_free(h);
}

static void readahead_expect(const char *dir, const char *want)
{
	char now[64] = "";

	CU_ASSERT_EQUAL(sysfs_value_get(dir, READAHEAD_FILE, now, sizeof(now)), 0);
	CU_ASSERT_STRING_EQUAL(now, want);
}

static void test_readahead_apply(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_readahead);
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[128];
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/queue", dir);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/" READAHEAD_FILE, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_EQUAL(write(fd, "128\n", 4), 4);
	close(fd);

	fake_host_param(h, "size", "8MiB");
	CU_ASSERT_EQUAL(readahead_apply(&h->ctx), -EINVAL);
	fake_host_next_process(h);
	h->ctx.sysfs = dir;
	CU_ASSERT_EQUAL(readahead_apply(&h->ctx), 0);
	readahead_expect(dir, "8192");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->asked, "size"), "8388608");
	CU_ASSERT_EQUAL(readahead_readback(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "size"), "8388608");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	readahead_expect(dir, "128");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	unlink(path);
	snprintf(path, sizeof(path), "%s/queue", dir);
	rmdir(path);
	rmdir(dir);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_PTR_NULL(h->error);
	fake_host_free(h);
}

void test_plugin_readahead(void)
{
	CU_pSuite s = CU_add_suite("plugin readahead", NULL, NULL);

	CU_add_test(s, "sizes", test_readahead_check);
	CU_add_test(s, "more than the device", test_readahead_device);
	CU_add_test(s, "apply, readback, revert", test_readahead_apply);
}
