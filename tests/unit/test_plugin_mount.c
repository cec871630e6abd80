/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/mount: option lists, what is in force, reasons out of logs, holders. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC mount
#include "plugins/setup/mount.c"
#include "tests/unit/fake_host.h"

void test_plugin_mount(void);

static void mount_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static void test_mount_parse(void)
{
	struct mount_options o = { 0 };

	CU_ASSERT_EQUAL(mount_parse(&o, ""), 0);
	CU_ASSERT_EQUAL(o.n, 0);
	CU_ASSERT_EQUAL(mount_parse(&o, "noatime,logbsize=256k,,context=\"a,b\", rw"), 0);
	CU_ASSERT_EQUAL_FATAL(o.n, 4);
	mount_expect("name", o.v[0].name, "noatime");
	mount_expect("value", o.v[0].value, NULL);
	mount_expect("name", o.v[1].name, "logbsize");
	mount_expect("value", o.v[1].value, "256k");
	mount_expect("value", o.v[2].value, "\"a,b\"");
	mount_expect("name", o.v[3].name, "rw");
	CU_ASSERT_EQUAL(mount_parse(&o, "a=\"b"), -EINVAL);
}

static void test_mount_idle(void)
{
	static const struct {
		const char *options;
		bool first_idle;
	} rows[] = {
		{ "noatime", false },
		{ "defaults", true },
		{ "x-systemd.automount", true },
		{ "nofail,noatime", true },
		{ "noatime,relatime", true },
		{ "relatime,nodiratime", false },
		{ "logbufs=4,logbufs=8", true },
		{ "ro,rw", true },
		{ "nosuid,noexec", false },
	};
	struct mount_options o = { 0 };
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		CU_ASSERT_EQUAL(mount_parse(&o, rows[i].options), 0);
		CU_ASSERT_EQUAL(mount_idle(&o, 0), rows[i].first_idle);
	}
}

/* Lists as Linux 6.18 shows them. */
static void test_mount_in_force(void)
{
	static const char xfs[] =
		"rw,nosuid,noatime,nodiratime,rw,lazytime,dax=never,inode64,logbufs=8,"
		"logbsize=256k,sunit=128,swidth=512,noquota";
	static const char ext4[] =
		"ro,relatime,ro,errors=remount-ro,commit=30,stripe=64,data=writeback";
	static const struct {
		const char *list, *option, *want;
	} rows[] = {
		{ xfs, "noatime", "yes" },
		{ xfs, "nosuid", "yes" },
		{ xfs, "nodev", "no" },
		{ xfs, "dev", "yes" },
		{ xfs, "suid", "no" },
		{ xfs, "relatime", "no" },
		{ xfs, "strictatime", "no" },
		{ xfs, "rw", "yes" },
		{ xfs, "ro", "no" },
		{ xfs, "lazytime", "yes" },
		{ xfs, "nolazytime", "no" },
		{ xfs, "logbsize=256k", "256k" },
		{ xfs, "logbsize=262144", "262144" },
		{ xfs, "logbsize=64k", "256k" },
		{ xfs, "logbufs=8", "8" },
		{ xfs, "dax=always", "never" },
		{ xfs, "dax=never", "never" },
		{ xfs, "inode64", "yes" },
		{ xfs, "inode32", "no" },
		{ xfs, "discard", "no" },
		{ xfs, "nodiscard", "yes" },
		{ xfs, "noquota", "yes" },
		{ xfs, "uquota", NULL },
		{ xfs, "attr2", NULL },
		{ xfs, "allocsize=1m", "default" },
		{ xfs, "wsync", "no" },
		{ xfs, "sunit=128", "128" },
		{ xfs, "quota", "no" },
		{ ext4, "noatime", "no" },
		{ ext4, "relatime", "yes" },
		{ ext4, "nostrictatime", "yes" },
		{ ext4, "rw", "no" },
		{ ext4, "data=writeback", "writeback" },
		{ ext4, "data=ordered", "writeback" },
		{ ext4, "errors=remount-ro", "remount-ro" },
		{ ext4, "barrier", NULL },
		{ ext4, "barrier=1", NULL },
		{ ext4, "commit=5", "30" },
		{ "rw,relatime", "atime", "relatime" },
		{ "rw,noatime", "atime", "no" },
		{ "rw", "atime", "yes" },
		{ "rw,relatime,rw,barrier,data=ordered", "barrier=1", "1" },
		{ "rw,relatime,rw,barrier,data=ordered", "barrier=0", "1" },
		{ "rw,nobarrier", "barrier=1", "0" },
		{ "rw,barrier", "nobarrier", "no" },
		{ "rw,ssd,compress=zstd:3", "compress=zstd", "zstd" },
		{ "rw,ssd,compress=zstd:3", "compress=zstd:9", "zstd:3" },
		{ "rw,ssd", "compress=lzo", "default" },
		{ "rw,ssd", "autodefrag", "no" },
		{ "rw,ssd", "noautodefrag", "yes" },
		{ "rw,nodatasum,nodatacow", "nodatacow", "yes" },
		{ "rw,subvolid=5,subvol=/", "subvol=/", "/" },
		{ "rw", "strictatime", "yes" },
		{ "rw,nobarrier", "barrier", "no" },
	};
	struct mount_options o = { 0 };
	char buf[64];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		CU_ASSERT_EQUAL(mount_parse(&o, rows[i].option), 0);
		mount_expect(rows[i].option,
			     mount_option_in_force(rows[i].list, &o.v[0], buf, sizeof(buf)),
			     rows[i].want);
	}
}

static void test_mount_size(void)
{
	CU_ASSERT_TRUE(mount_same_value("256k", "262144"));
	CU_ASSERT_TRUE(mount_same_value("1M", "1024k"));
	CU_ASSERT_TRUE(mount_same_value("0x10", "16"));
	CU_ASSERT_FALSE(mount_same_value("256k", "256"));
	CU_ASSERT_FALSE(mount_same_value("always", "never"));
	CU_ASSERT_FALSE(mount_same_value("-1", "18446744073709551615"));
}

static void test_mount_kernel_log(void)
{
	static const char *const lines[] = {
		"6,100,1,-;XFS (loop31): invalid logbufs value: 9 [not 2-8]\n",
		"6,101,2,-;XFS (loop3): Mounting V5 Filesystem 1234\n SUBSYSTEM=block\n",
		"4,102,3,-;XFS (loop3): SB stripe unit sanity check failed\n",
		"6,103,4,-;XFS (loop3): Ending clean mount\n",
		"6,104,5,-;BTRFS error (device loop3 state E): open_ctree failed\n",
		"no record\n",
	};
	struct mount_log log = { .sure = false };
	char record[256], *text;
	size_t i;

	for (i = 0; i < FST_COUNT(lines); i++) {
		snprintf(record, sizeof(record), "%s", lines[i]);
		text = mount_kmsg_text(record);
		if (text && mount_mentions(text, "loop3"))
			mount_log_add(&log, text);
	}
	mount_expect("best", log.best, "XFS (loop3): SB stripe unit sanity check failed");
	mount_expect("all", log.all,
		     "XFS (loop3): Mounting V5 Filesystem 1234; XFS (loop3): SB stripe unit "
		     "sanity check failed; XFS (loop3): Ending clean mount; BTRFS error "
		     "(device loop3 state E): open_ctree failed");
	CU_ASSERT_TRUE(mount_mentions("EXT4-fs (dm-0): x", "dm-0"));
	CU_ASSERT_FALSE(mount_mentions("xloop3 loop3x loop_3 loop33", "loop3"));
	CU_ASSERT_FALSE(mount_mentions("anything", ""));
}

static void test_mount_failed(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);
	struct mount_log context = { .best = "xfs: Unknown parameter 'nobarrier'" },
			 kernel = { .sure = false };
	struct mount_job job = { .ctx = &h->ctx, .type = "xfs", .option = "nobarrier" };

	h->ctx.device = "/dev/loop3";
	CU_ASSERT_EQUAL(mount_failed(&job, EINVAL, &context, &kernel), -EINVAL);
	mount_expect(
		"context", h->error,
		"mount /dev/loop3 as xfs: option nobarrier: xfs: Unknown parameter 'nobarrier'");
	fake_host_next_process(h);
	context.best[0] = '\0';
	job.option = NULL;
	mount_log_add(&kernel, "XFS (loop3): invalid logbufs value: 9 [not 2-8]");
	CU_ASSERT_EQUAL(mount_failed(&job, EINVAL, &context, &kernel), -EINVAL);
	mount_expect("kernel", h->error,
		     "mount /dev/loop3 as xfs: XFS (loop3): invalid logbufs value: 9 [not 2-8]");
	CU_ASSERT_PTR_NOT_NULL(fake_host_find(&h->notes, "kernel_log"));
	fake_host_free(h);
}

static void test_mount_check(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);

	CU_ASSERT_EQUAL(mount_check(&h->ctx), 0);
	fake_host_param(h, "options", "noatime,logdev=/dev/sdc");
	CU_ASSERT_EQUAL(mount_check(&h->ctx), 0);
	mount_expect("claim", fake_host_find(&h->claims, ""), "/dev/sdc");
	fake_host_param(h, "options", "noatime,loop=/dev/loop3");
	CU_ASSERT_EQUAL(mount_check(&h->ctx), -EINVAL);
	mount_expect("loop", h->error,
		     "options: loop has no place here: the target's device is mounted on a "
		     "directory of its own");
	fake_host_next_process(h);
	fake_host_param(h, "options", "noatime=1");
	CU_ASSERT_EQUAL(mount_check(&h->ctx), -EINVAL);
	mount_expect("value", h->error, "options: noatime takes no value");
	fake_host_free(h);
}

static const char *const mount_devices[] = { "/dev/loop-none-1", "/dev/loop-none-2" };

/* The log's device is the target's second: claimed by its word, mounted by its path. */
static void test_mount_logdev(void)
{
	static const struct {
		const char *type, *option;
	} rows[] = {
		{ "xfs", "logdev" }, { "ext4", "journal_path" }, { "ext3", "journal_path" },
		{ "btrfs", NULL },   { "ext2", NULL },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_mount);
		struct mount_state *st = h->ctx.state;

		fake_host_param(h, "logdev", "target.2");
		fake_host_param(h, "options", "noatime");
		CU_ASSERT_EQUAL(mount_check(&h->ctx), 0);
		mount_expect("claim", fake_host_find(&h->claims, ""), "target.2");
		h->ctx.devices = mount_devices;
		h->ctx.n_devices = 2;
		CU_ASSERT_EQUAL(mount_parse_options(&h->ctx), 0);
		CU_ASSERT_EQUAL(mount_add_logdev(&h->ctx, rows[i].type),
				rows[i].option ? 0 : -EINVAL);
		if (rows[i].option) {
			CU_ASSERT_EQUAL_FATAL(st->options.n, 2);
			mount_expect(rows[i].type, st->options.v[1].name, rows[i].option);
			mount_expect(rows[i].type, st->options.v[1].value, "/dev/loop-none-2");
		}
		fake_host_free(h);
	}
}

static void test_mount_device_words(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);
	struct mount_state *st = h->ctx.state;

	h->ctx.devices = mount_devices;
	h->ctx.n_devices = 2;
	fake_host_param(h, "options", "logdev=target.2,logbufs=8");
	CU_ASSERT_EQUAL(mount_parse_options(&h->ctx), 0);
	mount_expect("path", st->options.v[0].value, "/dev/loop-none-2");
	fake_host_param(h, "options", "device=target.3");
	CU_ASSERT_EQUAL(mount_parse_options(&h->ctx), -EINVAL);
	mount_expect("too many", h->error, "device: the target has no target.3");
	fake_host_free(h);
}

static void test_mount_bind(void)
{
	static const struct {
		const char *options, *fs, *logdev, *error;
	} rows[] = {
		{ "ro,noatime", NULL, NULL, NULL },
		{ "", NULL, NULL, NULL },
		{ "ro,logbufs=8", NULL, NULL,
		  "options: logbufs is for the whole file system, which bind does not mount anew" },
		{ "sync", NULL, NULL,
		  "options: sync is for the whole file system, which bind does not mount anew" },
		{ "ro", "xfs", NULL, "fs: bind mounts no device" },
		{ "ro", NULL, "target.2", "logdev: bind mounts no device" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_mount);

		fake_host_param(h, "bind", "true");
		fake_host_param(h, "options", rows[i].options);
		if (rows[i].fs)
			fake_host_param(h, "fs", rows[i].fs);
		if (rows[i].logdev)
			fake_host_param(h, "logdev", rows[i].logdev);
		CU_ASSERT_EQUAL(mount_check(&h->ctx), rows[i].error ? -EINVAL : 0);
		mount_expect(rows[i].options, h->error, rows[i].error);
		if (!rows[i].error)
			CU_ASSERT_EQUAL(mount_apply(&h->ctx), -EINVAL);
		if (!rows[i].error)
			mount_expect("nothing there", h->error,
				     "bind: nothing is mounted: a mount step must come before");
		CU_ASSERT_EQUAL(h->saves.n, 0);
		fake_host_free(h);
	}
}

static void test_mount_plan(void)
{
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);

	fake_host_param(h, "options", "noatime,logbsize=256k");
	fake_host_param(h, "logdev", "target.2");
	CU_ASSERT_EQUAL(mount_estimate(&h->ctx, &est), 0);
	mount_expect("plan", fake_host_find(&h->plans, ""),
		     "mounts it with noatime,logbsize=256k, the log on target.2");
	fake_host_free(h);
}

static void test_mount_readback(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);

	fake_host_param(h, "options", "noatime,dax=always,nofail,attr2");
	fake_host_fact(h, "filesystem.type", "xfs");
	fake_host_fact(h, "filesystem.mount.options", "rw,noatime,rw,dax=never");
	CU_ASSERT_EQUAL(mount_readback(&h->ctx), 0);
	mount_expect("noatime", fake_host_find(&h->in_force, "option.noatime"), "yes");
	mount_expect("dax", fake_host_find(&h->in_force, "option.dax"), "never");
	mount_expect("nofail", fake_host_find(&h->in_force, "option.nofail"), NULL);
	mount_expect("attr2", fake_host_find(&h->in_force, "option.attr2"), NULL);
	fake_host_free(h);
}

/* What a crashed apply left: a name and nothing else, or a directory without a mount. */
static void test_mount_revert(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_mount);
	char dir[] = "/tmp/fstrial-test-XXXXXX";

	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	CU_ASSERT_EQUAL(h->table.save(&h->ctx, "mountpoint", dir), 0);
	if (geteuid() == 0) {
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_EQUAL(access(dir, F_OK), -1);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	}
	rmdir(dir);
	fake_host_free(h);
}

static void test_mount_holders(void)
{
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[64], me[64], name[32];
	struct mount_holders h;
	int fd;

	CU_ASSERT_TRUE(mount_below("/run/a", "/run/a"));
	CU_ASSERT_TRUE(mount_below("/run/a/b (deleted)", "/run/a"));
	CU_ASSERT_FALSE(mount_below("/run/ab", "/run/a"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	mount_find_holders(&h, dir);
	mount_expect("nobody", h.text, "");
	snprintf(path, sizeof(path), "%s/f", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_TRUE(fd >= 0);
	mount_find_holders(&h, dir);
	CU_ASSERT_TRUE(mount_first_line("/proc/self/comm", name, sizeof(name)));
	snprintf(me, sizeof(me), "%s (pid %d)", name, (int)getpid());
	mount_expect("me", h.text, me);
	close(fd);
	unlink(path);
	rmdir(dir);
}

void test_plugin_mount(void)
{
	CU_pSuite s = CU_add_suite("plugin mount", NULL, NULL);

	CU_add_test(s, "option lists", test_mount_parse);
	CU_add_test(s, "options without effect", test_mount_idle);
	CU_add_test(s, "sizes", test_mount_size);
	CU_add_test(s, "options in force", test_mount_in_force);
	CU_add_test(s, "kernel log", test_mount_kernel_log);
	CU_add_test(s, "reasons", test_mount_failed);
	CU_add_test(s, "check", test_mount_check);
	CU_add_test(s, "log on another device", test_mount_logdev);
	CU_add_test(s, "devices of the target", test_mount_device_words);
	CU_add_test(s, "a second place", test_mount_bind);
	CU_add_test(s, "the plan", test_mount_plan);
	CU_add_test(s, "readback", test_mount_readback);
	CU_add_test(s, "revert of a crashed apply", test_mount_revert);
	CU_add_test(s, "holders", test_mount_holders);
}
