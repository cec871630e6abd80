/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/cgroup: which controller is where, and what is written, with files of either version. */
#define FSTRIAL_STATIC cgroup

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "core/util/file.h"
#include "core/util/xalloc.h"
#include "tests/unit/fake_host.h"

static char tree[64];

#define CGROUP_PROC tree
#include "plugins/setup/cgroup.c"

static void _printf_(2, 3) tree_put(const char *file, const char *fmt, ...)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", tree, file), *dir = xstrdup(path), *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	*strrchr(dir, '/') = '\0';
	CU_ASSERT_EQUAL(dir_make(dir, 0700, NULL), 0);
	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static const char *tree_text(const char *file)
{
	static char text[256];
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", tree, file);
	return cgroup_read(path, text, sizeof(text)) ? text : "?";
}

static void tree_open(void)
{
	snprintf(tree, sizeof(tree), "/tmp/fstrial-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(tree));
}

static void tree_close(void)
{
	CU_ASSERT_EQUAL(dir_remove_tree(tree, NULL), 0);
}

/* Both versions, memory and blkio with the first. */
static void tree_v1(void)
{
	tree_put("mountinfo",
		 "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
		 "35 31 0:32 / %s/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		 "35 31 0:32 / %s/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
		 "38 31 0:35 / %s/blkio rw,relatime - cgroup cgroup rw,blkio\n"
		 "41 31 0:38 / %s/unified rw - cgroup2 cgroup2 rw\n",
		 tree, tree, tree, tree);
	tree_put("cgroup", "7:blkio:/\n4:memory:/a/b\n1:name=systemd:/x\n0::/\n");
	tree_put("memory/a/b/cgroup.procs", "1\n");
	tree_put("blkio/cgroup.procs", "\n");
	tree_put("unified/cgroup.controllers", "hugetlb\n");
}

static void tree_v2(const char *root_gives, const char *slice_gives)
{
	tree_put("mountinfo", "41 31 0:38 / %s/unified rw - cgroup2 cgroup2 rw,nsdelegate\n", tree);
	tree_put("cgroup", "0::/user.slice/session.scope\n");
	tree_put("unified/cgroup.controllers", "cpuset cpu io memory pids\n");
	tree_put("unified/cgroup.subtree_control", "%s\n", root_gives);
	tree_put("unified/user.slice/cgroup.subtree_control", "%s\n", slice_gives);
	tree_put("unified/user.slice/session.scope/cgroup.subtree_control", "\n");
}

static void expect_place(const struct cgroup_place *p, int version, const char *below, bool enable)
{
	CU_ASSERT_EQUAL(p->version, version);
	CU_ASSERT_EQUAL(p->enable, enable);
	CU_ASSERT_EQUAL(strncmp(p->parent, tree, strlen(tree)), 0);
	CU_ASSERT_STRING_EQUAL(p->parent + strlen(tree), below);
}

static void test_v1_places(void)
{
	struct cgroup_place v[2];
	unsigned int missing;

	tree_open();
	tree_v1();
	CU_ASSERT_EQUAL(cgroup_places(CGROUP_MEMORY | CGROUP_IO, v, &missing), 2);
	CU_ASSERT_EQUAL(missing, 0);
	expect_place(&v[0], 1, "/memory/a/b", false);
	expect_place(&v[1], 1, "/blkio", false);
	CU_ASSERT_EQUAL(cgroup_places(CGROUP_IO, v, &missing), 1);
	expect_place(&v[0], 1, "/blkio", false);
	/* A container sees its own part of the hierarchy as the whole. */
	tree_put("mountinfo", "35 31 0:32 /a %s/memory rw - cgroup cgroup rw,memory\n", tree);
	tree_put("memory/b/cgroup.procs", "1\n");
	CU_ASSERT_EQUAL(cgroup_places(CGROUP_MEMORY | CGROUP_IO, v, &missing), 1);
	CU_ASSERT_EQUAL(missing, CGROUP_IO);
	expect_place(&v[0], 1, "/memory/b", false);
	tree_put("cgroup", "4:memory:/elsewhere\n");
	CU_ASSERT_EQUAL(cgroup_places(CGROUP_MEMORY, v, &missing), 1);
	expect_place(&v[0], 1, "/memory", false);
	tree_close();
}

static void test_v2_places(void)
{
	static const struct {
		const char *root, *slice, *where;
		bool enable;
	} rows[] = {
		{ "io memory pids", "io memory", "/unified/user.slice", false },
		{ "io memory pids", "memory pids", "/unified", false },
		{ "memory pids", "memory", "/unified", true },
		{ "", "", "/unified", true },
	};
	struct cgroup_place v[2];
	unsigned int missing;
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		tree_open();
		tree_v2(rows[i].root, rows[i].slice);
		CU_ASSERT_EQUAL(cgroup_places(CGROUP_MEMORY | CGROUP_IO, v, &missing), 1);
		CU_ASSERT_EQUAL(missing, 0);
		CU_ASSERT_EQUAL(v[0].controllers, CGROUP_MEMORY | CGROUP_IO);
		expect_place(&v[0], 2, rows[i].where, rows[i].enable);
		tree_close();
	}
}

static void test_probe(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_cgroup);

	tree_open();
	tree_put("mountinfo", "22 1 254:0 / / rw - ext4 /dev/vda rw\n");
	CU_ASSERT_EQUAL(cgroup_check(&h->ctx), -EINVAL);
	fake_host_next_process(h);
	fake_host_param(h, "memory", "64MiB");
	CU_ASSERT_EQUAL(cgroup_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(cgroup_probe(&h->ctx), -EOPNOTSUPP);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "memory controller"));
	fake_host_next_process(h);
	tree_v1();
	CU_ASSERT_EQUAL(cgroup_probe(&h->ctx), 0);
	fake_host_param(h, "read_iops", "10");
	CU_ASSERT_EQUAL(cgroup_probe(&h->ctx), -EOPNOTSUPP);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "directory"));
	fake_host_next_process(h);
	fake_host_param(h, "memory_high", "128MiB");
	CU_ASSERT_EQUAL(cgroup_check(&h->ctx), -EINVAL);
	fake_host_free(h);
	tree_close();
}

static struct fake_host *limited_host(char *sysfs, size_t size)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_cgroup);

	tree_put("sda/dev", "8:0\n");
	snprintf(sysfs, size, "%s/sda", tree);
	h->ctx.sysfs = sysfs;
	fake_host_params(h, "memory=64MiB;read_bps=8MiB;write_iops=100");
	return h;
}

static void test_limits(void)
{
	static const char *const v1[] = { "memory.limit_in_bytes", "blkio.throttle.read_bps_device",
					  "blkio.throttle.write_iops_device" };
	static const char *const v2[] = { "memory.max", "io.max" };
	char sysfs[96], group[96];
	struct fake_host *h;
	size_t i;

	tree_open();
	h = limited_host(sysfs, sizeof(sysfs));
	for (i = 0; i < FST_COUNT(v1); i++) {
		snprintf(group, sizeof(group), "g1/%s", v1[i]);
		tree_put(group, "%s", "");
	}
	for (i = 0; i < FST_COUNT(v2); i++) {
		snprintf(group, sizeof(group), "g2/%s", v2[i]);
		tree_put(group, "%s", "");
	}
	snprintf(group, sizeof(group), "%s/g1", tree);
	CU_ASSERT_EQUAL(cgroup_limits_set(&h->ctx, group, 1, CGROUP_MEMORY | CGROUP_IO), 0);
	CU_ASSERT_STRING_EQUAL(tree_text("g1/memory.limit_in_bytes"), "67108864");
	CU_ASSERT_STRING_EQUAL(tree_text("g1/blkio.throttle.read_bps_device"), "8:0 8388608");
	CU_ASSERT_STRING_EQUAL(tree_text("g1/blkio.throttle.write_iops_device"), "8:0 100");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->asked, "read_bps"), "8388608");
	cgroup_limits_say(&h->ctx, group, 1, CGROUP_MEMORY | CGROUP_IO);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "memory"), "67108864");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "read_bps"), "8388608");
	fake_host_next_process(h);
	snprintf(group, sizeof(group), "%s/g2", tree);
	CU_ASSERT_EQUAL(cgroup_limits_set(&h->ctx, group, 2, CGROUP_MEMORY | CGROUP_IO), 0);
	CU_ASSERT_STRING_EQUAL(tree_text("g2/memory.max"), "67108864");
	/* The kernel keeps all keys of a disk in one line. */
	tree_put("g2/io.max", "7:0 rbps=1 wbps=max riops=max wiops=1\n"
			      "8:0 rbps=8388608 wbps=max riops=max wiops=max\n");
	cgroup_limits_say(&h->ctx, group, 2, CGROUP_MEMORY | CGROUP_IO);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "read_bps"), "8388608");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "write_iops"), "max");
	fake_host_param(h, "memory_high", "32MiB");
	snprintf(group, sizeof(group), "%s/g1", tree);
	CU_ASSERT_EQUAL(cgroup_limits_set(&h->ctx, group, 1, CGROUP_MEMORY), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "version 1 has no such limit"));
	fake_host_free(h);
	tree_close();
}

/* A group that is there already is somebody else's; version 2's enabling is taken back. */
static void test_ours(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_cgroup);
	struct cgroup_place v[2];
	char dir[PATH_MAX];
	unsigned int missing;

	tree_open();
	tree_v1();
	fake_host_param(h, "memory", "64MiB");
	CU_ASSERT_EQUAL(cgroup_places(CGROUP_MEMORY, v, &missing), 1);
	CU_ASSERT_EQUAL(cgroup_name(&h->ctx, &v[0], dir, sizeof(dir)), 0);
	CU_ASSERT_EQUAL(mkdir(dir, 0700), 0);
	CU_ASSERT_EQUAL(cgroup_apply(&h->ctx), -EEXIST);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(rmdir(dir), 0);
	/* There is no memory.limit_in_bytes in it: what was made goes again. */
	CU_ASSERT_EQUAL(cgroup_apply(&h->ctx), -ENOENT);
	CU_ASSERT_EQUAL(access(dir, F_OK), 0);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(access(dir, F_OK), -1);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
	tree_close();
	tree_open();
	tree_v2("pids", "pids");
	h = fake_host_new(&fstrial_plugin_cgroup);
	fake_host_param(h, "memory", "64MiB");
	CU_ASSERT_EQUAL(cgroup_apply(&h->ctx), -ENOENT);
	CU_ASSERT_STRING_EQUAL(tree_text("unified/cgroup.subtree_control"), "+memory\0");
	tree_put("unified/cgroup.subtree_control", "memory pids\n");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(strncmp(tree_text("unified/cgroup.subtree_control"), "-memory", 7), 0);
	fake_host_free(h);
	tree_close();
}

void test_plugin_cgroup(void);

void test_plugin_cgroup(void)
{
	CU_pSuite s = CU_add_suite("plugin cgroup", NULL, NULL);

	CU_add_test(s, "version 1", test_v1_places);
	CU_add_test(s, "version 2", test_v2_places);
	CU_add_test(s, "nowhere", test_probe);
	CU_add_test(s, "limits", test_limits);
	CU_add_test(s, "whose group", test_ours);
}
