/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of core/run/guard but for what is written on a device: that is in test_run_guard_signature.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include "core/run/guard.h"
#include "core/util/clock.h"
#include "core/util/loop.h"
#include "core/util/xalloc.h"
#include "guard_expect.h"

/* ---- no device ------------------------------------------------------------------------------- */

static void test_not_a_device(void)
{
	static const struct {
		const char *device, *want;
	} rows[] = {
		{ NULL, "no device is named" },
		{ "", "no device is named" },
		{ "/dev/fstrial-none", "/dev/fstrial-none: No such file or directory" },
		{ "/dev/null", "/dev/null is not a block device" },
		{ "/proc/self/exe", "is not a block device" },
		{ "/", "/ is not a block device" },
	};
	const char *const words[] = { "null", "exe" };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct guard_request r = { .device = rows[i].device, .confirmed = words,
						  .n_confirmed = ARRAY_SIZE(words), .overwrite = true };
		struct blockdev bd;
		struct err e = { 0 };

		CU_ASSERT_EQUAL(guard_check(&r, &bd, &e), -EPERM);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, rows[i].want));
	}
}

/* ---- confirmation ---------------------------------------------------------------------------- */

static void test_confirmed(void)
{
	static const struct {
		const char *confirmed, *want;
	} rows[] = {
		{ NULL, "/dev/@ is not confirmed: add destroy = \"@\" to target" },
		{ "", "/dev/@ is not confirmed" },
		{ "sdzz", "/dev/@ is not confirmed: destroy says \"sdzz\", not \"@\"" },
		{ "@1", "is not confirmed" },
		{ "loop", "is not confirmed" },
		{ "/dev/", "is not confirmed" },
		{ "../@", "is not confirmed" },
		{ "/dev/../dev/@", "is not confirmed" },
		{ "@", NULL },
		{ "/dev/@", NULL },
	};
	struct scratch s;

	if (!guard_begin(&s, "guard: confirmation", NULL, 1))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		guard_expect(&s, 0, rows[i].confirmed, true, rows[i].want);
	scratch_close(&s);
}

/* The link is one name and the kernel's another; a link of the user's own confirms nothing. */
static void test_two_names(void)
{
	_cleanup_free_ char *link = NULL;
	struct scratch s;

	if (!guard_begin(&s, "guard: two names", "mkfs.xfs", 1))
		return;
	link = xasprintf("%s/fast", s.dir);
	CU_ASSERT_EQUAL(symlink(s.device[0], link), 0);
	guard_expect_path(link, s.device[0], scratch_name(&s, 0), link, false,
			  "/fast (@) is not confirmed|not \"@\"");
	guard_expect_path(link, s.device[0], scratch_name(&s, 0), "fast", false,
			  "is not confirmed");
	guard_expect_path(link, s.device[0], scratch_name(&s, 0), "@", false, NULL);
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, "home"));
	CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[0], "xfs", NULL));
	guard_expect_path(link, s.device[0], scratch_name(&s, 0), "@", true,
			  "/fast (@) is mounted on |/mnt0");
	scratch_close(&s);
}

/* ---- in use ---------------------------------------------------------------------------------- */

static void test_mounted(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: mounted", "mkfs.xfs", 1))
		return;
	/* Our own label and overwrite do not help against a mount. */
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, GUARD_LABEL));
	CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[0], "xfs", NULL));
	guard_expect(&s, 0, "@", true, "/dev/@ is mounted on |/mnt0");
	/* The confirmation comes first. */
	guard_expect(&s, 0, NULL, true, "is not confirmed");
	CU_ASSERT_TRUE(scratch_umount(&s));
	guard_expect(&s, 0, "@", false, NULL);
	scratch_close(&s);
}

static void test_external_log(void)
{
	_cleanup_free_ char *option = NULL, *logdev = NULL;
	struct scratch s;

	if (!guard_begin(&s, "guard: external log", "mkfs.xfs", 2))
		return;
	logdev = xasprintf("logdev=%s,size=64m", s.device[1]);
	option = xasprintf("logdev=%s", s.device[1]);
	CU_ASSERT_TRUE(scratch_run("mkfs.xfs", "-q", "-f", "-l", logdev, s.device[0], NULL));
	guard_expect(&s, 1, "@", false, "holds |xfs_external_log|add overwrite = true");
	CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[0], "xfs", option));
	guard_expect(&s, 1, "@", true, "/dev/@ is the logdev of |/mnt0");
	scratch_close(&s);
}

static void test_btrfs(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: btrfs of two devices", "mkfs.btrfs", 2))
		return;
	CU_ASSERT_TRUE(scratch_run("mkfs.btrfs", "-q", "-f", s.device[0], s.device[1], NULL));
	guard_expect(&s, 1, "@", false, "holds a btrfs file system");
	if (scratch_run("btrfs", "device", "scan", s.device[0], s.device[1], NULL) &&
	    scratch_mount(&s, s.device[0], "btrfs", NULL)) {
		guard_expect(&s, 0, "@", true, "/dev/@ is mounted on |/mnt0");
		guard_expect(&s, 1, "@", true, "/dev/@ is part of the mounted btrfs ");
		CU_ASSERT_TRUE(scratch_umount(&s));
	} else {
		printf("skipped: guard: mounted btrfs: cannot be mounted here\n");
	}
	scratch_run("btrfs", "device", "scan", "--forget", s.device[0], NULL);
	scratch_run("btrfs", "device", "scan", "--forget", s.device[1], NULL);
	scratch_close(&s);
}

static void test_swap(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: swap", "mkswap", 1))
		return;
	CU_ASSERT_TRUE(scratch_run("mkswap", s.device[0], NULL));
	guard_expect(&s, 0, "@", false,
		     "/dev/@ holds a swap signature (uuid |: add overwrite = true");
	guard_expect(&s, 0, "@", true, NULL);
	if (swapon(s.device[0], 0)) {
		printf("skipped: guard: swap in use: swapon: %s\n", strerror(errno));
	} else {
		guard_expect(&s, 0, "@", true, "/dev/@ is in use as swap");
		CU_ASSERT_EQUAL(swapoff(s.device[0]), 0);
	}
	scratch_close(&s);
}

static void test_held(void)
{
	struct blockdev bd;
	struct err e = { 0 };
	struct scratch s;
	int fd;

	if (!guard_begin(&s, "guard: held by a program", NULL, 1))
		return;
	CU_ASSERT_EQUAL(blockdev_get(s.device[0], &bd, NULL), 0);
	fd = open(s.device[0], O_RDONLY | O_EXCL | O_CLOEXEC);
	guard_expect(&s, 0, "@", true, "/dev/@ is held by the kernel or by a program|EBUSY");
	CU_ASSERT_EQUAL(guard_recheck(s.device[0], &bd, &e), -EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "it is open in process "));
	close(fd);
	guard_expect(&s, 0, "@", true, NULL);
	scratch_close(&s);
}

static void test_second_loop(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: image behind two loop devices", "mkfs.xfs", 1))
		return;
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, GUARD_LABEL));
	if (scratch_attach_file(&s, 1, s.image[0])) {
		_cleanup_free_ char *idle = xasprintf(
			"/dev/@ is a loop device whose image %s is also "
			"behind %s (not mounted)",
			s.image[0], s.device[1]);
		_cleanup_free_ char *used = xasprintf("is also behind %s (mounted on |/mnt0)",
						      s.device[1]);

		guard_expect(&s, 0, "@", true, idle);
		CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[1], "xfs", NULL));
		guard_expect(&s, 0, "@", true, used);
		CU_ASSERT_TRUE(scratch_umount(&s));
		CU_ASSERT_EQUAL(loop_detach(s.device[1], s.image[1], 5 * NSEC_PER_SEC, NULL), 0);
		guard_expect(&s, 0, "@", false, NULL);
	} else {
		CU_FAIL("no second loop device");
	}
	scratch_close(&s);
}

static void test_loop_over_loop(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: loop device over a device", "mkfs.xfs", 1))
		return;
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, GUARD_LABEL));
	if (scratch_attach_file(&s, 1, s.device[0])) {
		_cleanup_free_ char *below = xasprintf(
			"/dev/@ is behind the loop device %s (not mounted)", s.device[1]);
		_cleanup_free_ char *above = xasprintf("/dev/@ is a loop device over %s, which is "
						       "mounted on ",
						       scratch_name(&s, 0));

		guard_expect(&s, 0, "@", true, below);
		guard_expect(&s, 1, "@", false, NULL);
		CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[0], "xfs", NULL));
		guard_expect(&s, 1, "@", true, above);
	} else {
		CU_FAIL("no second loop device");
	}
	scratch_close(&s);
}

/* ---- not to be written ----------------------------------------------------------------------- */

static void test_read_only(void)
{
	struct scratch s;
	int fd, on = 1, off = 0;

	if (!guard_begin(&s, "guard: read-only device", NULL, 1))
		return;
	fd = open(s.device[0], O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(ioctl(fd, BLKROSET, &on), 0);
	guard_expect(&s, 0, "@", true, "/dev/@ is read-only");
	/* It would outlive the detach. */
	CU_ASSERT_EQUAL(ioctl(fd, BLKROSET, &off), 0);
	close(fd);
	guard_expect(&s, 0, "@", true, NULL);
	scratch_close(&s);
}

static void test_empty(void)
{
	const char *words[1];
	struct guard_request r = { .confirmed = words, .n_confirmed = 1, .overwrite = true };
	struct blockdev bd;
	struct err e = { 0 };
	struct scratch s;

	if (!guard_begin(&s, "guard: device without size", NULL, 0))
		return;
	if (scratch_attach(&s, 0, 0, 512)) {
		words[0] = scratch_name(&s, 0);
		r.device = s.device[0];
		CU_ASSERT_EQUAL(guard_check(&r, &bd, &e), -EPERM);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "has a size of zero"));
	}
	scratch_close(&s);
}

/* ---- once more, just before use -------------------------------------------------------------- */

static void recheck_refused(const char *path, const struct blockdev *bd, const char *want)
{
	struct err e = { 0 };

	CU_ASSERT_EQUAL(guard_recheck(path, bd, &e), -EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, want));
	if (!strstr(e.text, want))
		printf("\n\"%s\" lacks \"%s\"\n", e.text, want);
}

static void test_recheck(void)
{
	_cleanup_free_ char *link = NULL;
	struct scratch s;
	struct blockdev bd;

	if (!guard_begin(&s, "guard: recheck", "mkfs.xfs", 2))
		return;
	link = xasprintf("%s/link", s.dir);
	CU_ASSERT_EQUAL(blockdev_get(s.device[0], &bd, NULL), 0);
	CU_ASSERT_EQUAL(symlink(s.device[0], link), 0);
	CU_ASSERT_EQUAL(guard_recheck(link, &bd, NULL), 0);
	CU_ASSERT_EQUAL(unlink(link), 0);
	CU_ASSERT_EQUAL(symlink(s.device[1], link), 0);
	recheck_refused(link, &bd, "leads to another device than the one that was checked");
	CU_ASSERT_EQUAL(unlink(link), 0);
	recheck_refused(link, &bd, "No such file");
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, "home"));
	CU_ASSERT_PTR_NOT_NULL(scratch_mount(&s, s.device[0], "xfs", NULL));
	recheck_refused(s.device[0], &bd, "it is mounted on ");
	CU_ASSERT_TRUE(scratch_umount(&s));
	/* The same name with another image behind it. */
	bd.diskseq--;
	recheck_refused(s.device[0], &bd, "another device");
	bd.diskseq++;
	bd.size += 512;
	recheck_refused(s.device[0], &bd, "changed its size");
	scratch_close(&s);
}

void test_run_guard(void);

void test_run_guard(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "not a block device", test_not_a_device },
		{ "confirmation", test_confirmed },
		{ "two names", test_two_names },
		{ "mounted", test_mounted },
		{ "external log", test_external_log },
		{ "btrfs of two devices", test_btrfs },
		{ "swap", test_swap },
		{ "held by a program", test_held },
		{ "image behind two loop devices", test_second_loop },
		{ "loop device over a device", test_loop_over_loop },
		{ "read-only", test_read_only },
		{ "no size", test_empty },
		{ "recheck", test_recheck },
	};
	CU_pSuite suite = CU_add_suite("run guard", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
