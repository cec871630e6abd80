/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/loop: parameters, the image, and that only a file of its own is removed. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC loop
#include "plugins/setup/loop.c"
#include "tests/unit/fake_host.h"

void test_plugin_loop(void);

static void loop_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static void test_loop_check(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "size=0b", "size is 0" },
		{ "size=1000", "size is not a whole number of sectors" },
		{ "size=6KiB;sector_size=4KiB", "size is not a whole number of sectors" },
		{ "size=1g;sector_size=1000", "sector_size is not a power of 2" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_loop);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(loop_check(&h->ctx), -EINVAL);
		loop_expect(rows[i].params, h->error, rows[i].want);
		fake_host_free(h);
	}
}

static void test_loop_no_place(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_loop);

	fake_host_params(h, "size=1MiB");
	CU_ASSERT_EQUAL(loop_apply(&h->ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(h->error);
	CU_ASSERT_EQUAL(strncmp(h->error ? h->error : "", "there is no place for an image", 30), 0);
	CU_ASSERT_EQUAL(h->saves.n, 0);
	fake_host_free(h);
}

static bool loop_test_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Killed after the image was made, in both moments; and twice. */
static void test_loop_image(void)
{
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[4096];
	struct fake_host *h = fake_host_new(&fstrial_plugin_loop);
	struct stat st;
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	h->ctx.dir = dir;
	fake_host_params(h, "size=1MiB;space=fallocated");
	fd = loop_make_image(&h->ctx, path, sizeof(path));
	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(fstat(fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 1 << 20);
	CU_ASSERT_EQUAL(st.st_blocks * 512, 1 << 20);
	close(fd);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_FALSE(loop_test_there(path));
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);

	h = fake_host_new(&fstrial_plugin_loop);
	h->table.save(&h->ctx, "image", path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_FALSE(loop_test_there(path));
	fake_host_free(h);
	rmdir(dir);
}

/* Another file of that name is not ours. */
static void test_loop_other(void)
{
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[4096];
	struct fake_host *h = fake_host_new(&fstrial_plugin_loop);
	struct loop_saved s;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	h->table.save(&h->ctx, "image", path);
	h->table.save(&h->ctx, "inode", "1:1");
	CU_ASSERT_TRUE(loop_get_saved(&h->ctx, &s));
	CU_ASSERT_EQUAL(s.ino, 1);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_TRUE(loop_test_there(path));
	unlink(path);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	rmdir(dir);
	fake_host_free(h);
}

static void test_loop_number(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_loop);
	int n = -1;

	h->table.save(&h->ctx, "number", "300:0");
	h->table.save(&h->ctx, "number", "301:0");
	h->table.save(&h->ctx, "image", "/nonexistent");
	fst_saved_each(&h->ctx, loop_last_number, &n);
	CU_ASSERT_EQUAL(n, 301);
	fake_host_free(h);
}

void test_plugin_loop(void)
{
	CU_pSuite s = CU_add_suite("plugin loop", NULL, NULL);

	CU_add_test(s, "check", test_loop_check);
	CU_add_test(s, "no place", test_loop_no_place);
	CU_add_test(s, "image", test_loop_image);
	CU_add_test(s, "another file", test_loop_other);
	CU_add_test(s, "the last number", test_loop_number);
}
