/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/drop_caches: file by file; the machine's own caches are left alone here. */
#include <CUnit/CUnit.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#define FSTRIAL_STATIC drop_caches
#include "plugins/setup/drop_caches.c"
#include "tests/unit/fake_host.h"

void test_plugin_drop_caches(void);

#define FILE_SIZE (1u << 20)

/* Pages of the file in memory, -1: not known. */
static int cache_resident(const char *path)
{
	unsigned char map[FILE_SIZE / 4096] = { 0 };
	int i, n = -1, fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED && sysconf(_SC_PAGESIZE) == 4096 && mincore(p, FILE_SIZE, map) == 0)
		for (i = n = 0; i < (int)sizeof(map); i++)
			n += map[i] & 1;
	if (p != MAP_FAILED)
		munmap(p, FILE_SIZE);
	if (fd >= 0)
		close(fd);
	return n;
}

static void cache_fill(const char *path)
{
	static const char block[4096] = "x";
	int i, fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	for (i = 0; i < (int)(FILE_SIZE / sizeof(block)); i++)
		CU_ASSERT_EQUAL(write(fd, block, sizeof(block)), (ssize_t)sizeof(block));
	close(fd);
}

/* On a disk: what is in tmpfs cannot leave the memory. */
static void test_drop_caches_files(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_drop_caches);
	char dir[] = "/var/tmp/fstrial-test-XXXXXX", sub[64], file[96], link[96];
	struct statfs fs;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	snprintf(file, sizeof(file), "%s/file", sub);
	snprintf(link, sizeof(link), "%s/link", dir);
	CU_ASSERT_EQUAL(mkdir(sub, 0700), 0);
	CU_ASSERT_EQUAL(symlink("/", link), 0);
	cache_fill(file);
	CU_ASSERT_NOT_EQUAL(cache_resident(file), 0);

	fake_host_param(h, "method", "files");
	h->ctx.dir = dir;
	CU_ASSERT_EQUAL(drop_caches_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(drop_caches_apply(&h->ctx), 0);
	if (statfs(dir, &fs) == 0 && fs.f_type != TMPFS_MAGIC)
		CU_ASSERT_TRUE(cache_resident(file) <= 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->notes, "files"), "1");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->notes, "method"), "files");
	CU_ASSERT_EQUAL(h->warnings.n, 0);
	unlink(file);
	unlink(link);
	rmdir(sub);
	rmdir(dir);
	fake_host_free(h);
}

static void test_drop_caches_missing(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_drop_caches);

	h->ctx.dir = "/nonexistent/dir";
	CU_ASSERT_EQUAL(drop_caches_files(&h->ctx, h->ctx.dir), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 1);
	fake_host_next_process(h);
	fake_host_param(h, "method", "files");
	h->ctx.dir = NULL;
	CU_ASSERT_TRUE(drop_caches_apply(&h->ctx) < 0);
	CU_ASSERT_PTR_NOT_NULL(h->error);
	fake_host_free(h);
}

/* A file stands for the kernel's. */
static void test_drop_caches_kernel(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_drop_caches);
	char path[] = "/tmp/fstrial-test-XXXXXX", digit = 0;
	int fd = mkstemp(path);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(drop_caches_kernel(&h->ctx, path, DROP_CACHES_ALL), 0);
	CU_ASSERT_EQUAL(read(fd, &digit, 1), 1);
	CU_ASSERT_EQUAL(digit, '3');
	CU_ASSERT_EQUAL(drop_caches_kernel(&h->ctx, "/nonexistent", DROP_CACHES_ALL), ENOENT);
	CU_ASSERT_PTR_NULL(h->error);
	close(fd);
	unlink(path);
	fake_host_free(h);
}

static void test_drop_caches_check(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_drop_caches);

	CU_ASSERT_EQUAL(drop_caches_check(&h->ctx), 0);
	fake_host_params(h, "what=slab;method=files");
	CU_ASSERT_EQUAL(drop_caches_check(&h->ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(h->error);
	fake_host_free(h);
}

void test_plugin_drop_caches(void)
{
	CU_pSuite s = CU_add_suite("plugin drop_caches", NULL, NULL);

	CU_add_test(s, "check", test_drop_caches_check);
	CU_add_test(s, "file by file", test_drop_caches_files);
	CU_add_test(s, "no directory", test_drop_caches_missing);
	CU_add_test(s, "the kernel's file", test_drop_caches_kernel);
}
