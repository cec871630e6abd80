/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/blockdev, core/util/blockuse and core/util/loop. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/loop.h>

#include "core/util/blockdev.h"
#include "core/util/blockuse.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "scratch.h"

#define MIB (1ULL << 20)

static bool has(const char *text, const char *part)
{
	bool found = text && strstr(text, part);

	if (!found)
		printf("\n\"%s\" lacks \"%s\"\n", text ? text : "(null)", part);
	return found;
}

static void test_not_a_device(void)
{
	struct blockdev bd;
	struct err e = { 0 };

	CU_ASSERT_EQUAL(blockdev_get("/dev/null", &bd, &e), -ENOTBLK);
	CU_ASSERT_STRING_EQUAL(e.text, "/dev/null is not a block device");
	err_clear(&e);
	CU_ASSERT_EQUAL(blockdev_get("/dev/fstrial-none", &bd, &e), -ENOENT);
	CU_ASSERT_TRUE(has(e.text, "/dev/fstrial-none: No such file"));
	err_clear(&e);
	/* A link: both ends are named. */
	CU_ASSERT_EQUAL(blockdev_get("/proc/self/exe", &bd, &e), -ENOTBLK);
	CU_ASSERT_TRUE(has(e.text, "/proc/self/exe is not a block device: it leads to /"));
	CU_ASSERT_EQUAL(blockdev_get_dev(0, &bd, NULL), -ENODEV);
}

static void test_get(void)
{
	struct scratch s;
	struct blockdev bd, again;
	struct err e = { 0 };
	_cleanup_free_ char *link = NULL, *sysfs = NULL;
	char serial[64];

	if (scratch_skip("blockdev of a loop device", NULL) || !scratch_open(&s))
		return;
	if (scratch_attach(&s, 0, 8 * MIB, 4096)) {
		sysfs = xasprintf("/sys/block/%s", scratch_name(&s, 0));
		link = xasprintf("%s/link", s.dir);
		CU_ASSERT_EQUAL(symlink(s.device[0], link), 0);
		CU_ASSERT_EQUAL(blockdev_get(s.device[0], &bd, &e), 0);
		CU_ASSERT_STRING_EQUAL(bd.name, scratch_name(&s, 0));
		CU_ASSERT_STRING_EQUAL(bd.disk, bd.name);
		CU_ASSERT_STRING_EQUAL(bd.sysfs, sysfs);
		CU_ASSERT_EQUAL(bd.size, 8 * MIB);
		CU_ASSERT_EQUAL(bd.sector, 4096);
		CU_ASSERT_EQUAL(blockdev_get(link, &again, &e), 0);
		CU_ASSERT_EQUAL(again.dev, bd.dev);
		CU_ASSERT_EQUAL(again.diskseq, bd.diskseq);
		CU_ASSERT_FALSE(blockdev_serial(&bd, serial, sizeof(serial)));
		CU_ASSERT_STRING_EQUAL(serial, "");
		CU_ASSERT_PTR_NULL(blockuse_mount(bd.dev));
		CU_ASSERT_PTR_NULL(blockuse_swap(bd.dev));
		CU_ASSERT_PTR_NULL(blockuse_holder(bd.dev));
	} else {
		CU_FAIL("no loop device");
	}
	scratch_close(&s);
}

static void test_loop_input(void)
{
	char *device = (char *)1;
	struct err e = { 0 };

	CU_ASSERT_EQUAL(loop_attach("/nonexistent/a.img", 512, &device, &e), -ENOENT);
	CU_ASSERT_PTR_NULL(device);
	CU_ASSERT_TRUE(has(e.text, "/nonexistent/a.img"));
	/* Gone already: nothing to do. */
	CU_ASSERT_EQUAL(loop_detach("/dev/fstrial-none", "/a.img", 0, NULL), 0);
	CU_ASSERT_PTR_NULL(loop_backing_file("/dev/null"));
	CU_ASSERT_PTR_NULL(loop_backing_file("/dev/fstrial-none"));
}

static void test_loop_sectors(void)
{
	static const struct {
		uint32_t sector;
		int ret;
	} rows[] = { { 512, 0 }, { 1024, 0 }, { 4096, 0 }, { 0, -EINVAL }, { 8192, -EINVAL } };

	if (scratch_skip("loop devices with all sector sizes", NULL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scratch s;
		struct blockdev bd;

		if (!scratch_open(&s))
			return;
		if (rows[i].ret) {
			CU_ASSERT_FALSE(scratch_attach(&s, 0, MIB, rows[i].sector));
			CU_ASSERT_PTR_NULL(s.device[0]);
		} else if (scratch_attach(&s, 0, MIB, rows[i].sector)) {
			CU_ASSERT_EQUAL(blockdev_get(s.device[0], &bd, NULL), 0);
			CU_ASSERT_EQUAL(bd.sector, rows[i].sector);
		} else {
			CU_FAIL("no loop device");
		}
		scratch_close(&s);
	}
}

static void detach_cases(struct scratch *s)
{
	_cleanup_free_ char *file = loop_backing_file(s->device[0]), *gone = NULL;
	_cleanup_free_ char *twin = xasprintf("%s/other", s->dir);
	struct loop_file lf;
	struct stat st;

	CU_ASSERT_STRING_EQUAL(file, s->image[0]);
	CU_ASSERT_EQUAL(stat(s->image[0], &st), 0);
	CU_ASSERT_EQUAL(loop_get(scratch_name(s, 0), &lf), 0);
	CU_ASSERT_EQUAL(lf.dev, st.st_dev);
	CU_ASSERT_EQUAL(lf.ino, st.st_ino);
	CU_ASSERT_EQUAL(lf.rdev, 0);
	/* Another file: left alone, and no error. */
	CU_ASSERT_EQUAL(file_write_atomic(twin, "x", 1, NULL), 0);
	CU_ASSERT_EQUAL(loop_detach(s->device[0], twin, 0, NULL), 0);
	CU_ASSERT_EQUAL(loop_detach(s->device[0], "/nonexistent.img", 0, NULL), 0);
	CU_ASSERT_EQUAL(loop_get(scratch_name(s, 0), &lf), 0);
	/* Unlinked: known by its name. */
	CU_ASSERT_EQUAL(unlink(s->image[0]), 0);
	gone = loop_backing_file(s->device[0]);
	CU_ASSERT_TRUE(gone && str_ends(gone, "0.img (deleted)"));
	CU_ASSERT_EQUAL(loop_detach(s->device[0], s->image[0], 5 * NSEC_PER_SEC, NULL), 0);
	CU_ASSERT_EQUAL(loop_get(scratch_name(s, 0), &lf), -ENXIO);
	/* Twice is no error. */
	CU_ASSERT_EQUAL(loop_detach(s->device[0], s->image[0], 0, NULL), 0);
}

static void test_loop_detach(void)
{
	struct scratch s;

	if (scratch_skip("detaching loop devices", NULL) || !scratch_open(&s))
		return;
	if (scratch_attach(&s, 0, MIB, 512))
		detach_cases(&s);
	else
		CU_FAIL("no loop device");
	scratch_close(&s);
}

static void busy_cases(struct scratch *s)
{
	const char *dir = scratch_mount(s, s->device[0], "ext4", NULL);
	struct loop_info64 info;
	struct err e = { 0 };
	struct loop_file lf;
	int fd;

	CU_ASSERT_PTR_NOT_NULL(dir);
	if (!dir)
		return;
	CU_ASSERT_EQUAL(loop_detach(s->device[0], s->image[0], 50 * NSEC_PER_MSEC, &e), -EBUSY);
	CU_ASSERT_TRUE(has(e.text, "cannot be detached: it is mounted on "));
	CU_ASSERT_TRUE(has(e.text, dir));
	/* The refusal changed nothing: it does not go away by itself at umount. */
	fd = open(s->device[0], O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(ioctl(fd, LOOP_GET_STATUS64, &info), 0);
	CU_ASSERT_EQUAL(info.lo_flags & LO_FLAGS_AUTOCLEAR, 0);
	CU_ASSERT_TRUE(scratch_umount(s));
	/* Open in a process, this one: named, and gone with its close. */
	err_clear(&e);
	CU_ASSERT_EQUAL(loop_detach(s->device[0], s->image[0], 50 * NSEC_PER_MSEC, &e), -EBUSY);
	CU_ASSERT_TRUE(has(e.text, "it is open in process "));
	close(fd);
	CU_ASSERT_EQUAL(loop_detach(s->device[0], s->image[0], 5 * NSEC_PER_SEC, &e), 0);
	CU_ASSERT_EQUAL(loop_get(scratch_name(s, 0), &lf), -ENXIO);
}

static void test_loop_busy(void)
{
	struct scratch s;

	if (scratch_skip("busy loop devices", "mkfs.ext4") || !scratch_open(&s))
		return;
	if (scratch_attach(&s, 0, 64 * MIB, 512) &&
	    scratch_run("mkfs.ext4", "-q", "-F", s.device[0], NULL))
		busy_cases(&s);
	else
		CU_FAIL("no loop device or mkfs failed");
	scratch_close(&s);
}

static int count_scratch(const char *name, const struct loop_file *lf, void *arg)
{
	const struct stat *st = arg;

	(void)name;
	return st->st_dev == lf->dev && st->st_ino == lf->ino;
}

static void test_loop_each(void)
{
	struct scratch s;
	struct stat st;

	if (scratch_skip("listing loop devices", NULL) || !scratch_open(&s))
		return;
	if (scratch_attach(&s, 0, MIB, 512) && !stat(s.image[0], &st)) {
		CU_ASSERT_EQUAL(loop_each(count_scratch, &st), 1);
		st.st_ino = 0;
		CU_ASSERT_EQUAL(loop_each(count_scratch, &st), 0);
	} else {
		CU_FAIL("no loop device");
	}
	scratch_close(&s);
}

void test_util_blockdev(void);

void test_util_blockdev(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "what is no block device", test_not_a_device },
		{ "a loop device", test_get },
		{ "loop: bad input", test_loop_input },
		{ "loop: sector sizes", test_loop_sectors },
		{ "loop: detach", test_loop_detach },
		{ "loop: busy", test_loop_busy },
		{ "loop: list", test_loop_each },
	};
	CU_pSuite suite = CU_add_suite("util blockdev", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
