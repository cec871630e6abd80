/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/settle: what is waited for, and what is named when it does not come. */
#define FSTRIAL_STATIC settle

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/util/file.h"
#include "core/util/xalloc.h"
#include "tests/unit/fake_host.h"

static char block[64], meminfo[80], image_path[80], sysfs_dir[80];

#define SETTLE_SYS block
#define SETTLE_MEMINFO meminfo
#include "plugins/setup/settle.c"

static void block_put(const char *file, const void *data, size_t len)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", block, file), *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	CU_ASSERT_EQUAL(dir_make(dir, 0700, NULL), 0);
	CU_ASSERT_EQUAL(file_write_atomic(path, data, len, NULL), 0);
}

static void block_text(const char *file, const char *text)
{
	block_put(file, text, strlen(text));
}

/* dm-0 on md0 on two disks, at rest. */
static struct fake_host *block_open(const char *params)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_settle);

	snprintf(block, sizeof(block), "/tmp/fstrial-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(block));
	snprintf(meminfo, sizeof(meminfo), "%s/meminfo", block);
	snprintf(image_path, sizeof(image_path), "%s/device", block);
	snprintf(sysfs_dir, sizeof(sysfs_dir), "/sys/block/dm-0");
	block_text("dm-0/slaves/md0", "");
	block_text("md0/slaves/sda", "");
	block_text("md0/slaves/sdb", "");
	block_text("md0/md/sync_action", "idle\n");
	block_text("dm-0/stat", "1 0 8 0 1 0 8 0 0 5 5\n");
	block_text("sda/stat", "1 0 8 0 1 0 8 0 0 5 5\n");
	block_text("sdb/stat", "1 0 8 0 1 0 8 0 0 5 5\n");
	block_text("meminfo",
		   "MemTotal: 100 kB\nDirty:   60 kB\nWriteback:   4 kB\nWritebackTmp: 900 kB\n");
	block_text("device", "nothing\n");
	h->ctx.sysfs = sysfs_dir;
	h->ctx.device = image_path;
	fake_host_params(h, params);
	return h;
}

static void block_close(struct fake_host *h)
{
	CU_ASSERT_EQUAL(dir_remove_tree(block, NULL), 0);
	fake_host_free(h);
}

static void expect_busy(struct fake_host *h, const char *text)
{
	CU_ASSERT_EQUAL(settle_apply(&h->ctx), -ETIMEDOUT);
	if (!h->error || !strstr(h->error, text)) {
		fprintf(stderr, "got %s\nwant %s\n", h->error ? h->error : "-", text);
		CU_FAIL("another text");
	}
	block_close(h);
}

static void test_quiet(void)
{
	struct fake_host *h = block_open("idle=10ms;within=10s;dirty=1MiB");

	CU_ASSERT_EQUAL(settle_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(settle_apply(&h->ctx), 0);
	CU_ASSERT_PTR_NOT_NULL(fake_host_find(&h->notes, "waited_ns"));
	block_close(h);
}

static void test_check(void)
{
	static const struct {
		const char *params;
		int r;
	} rows[] = {
		{ "", 0 },
		{ "lazy_init=false;sync=false;idle=0", -EINVAL },
		{ "lazy_init=false;sync=false;idle=0;dirty=1MiB", 0 },
		{ "idle=10s;within=1s", -EINVAL },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_settle);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(settle_check(&h->ctx), rows[i].r);
		fake_host_free(h);
	}
}

static void test_busy(void)
{
	struct fake_host *h = block_open("idle=1ms;within=120ms");

	block_text("sdb/stat", "1 0 8 0 1 0 8 0 2 5 5\n");
	expect_busy(h, "still busy: sdb has I/O");
	h = block_open("idle=0;within=1ms");
	block_text("md0/md/sync_action", "resync\n");
	block_text("md0/md/sync_completed", "200 / 1000\n");
	expect_busy(h, "resync of md0, sectors done: 200 / 1000");
	h = block_open("idle=0;within=1ms;dirty=64KiB");
	expect_busy(h, "65536 bytes are dirty");
	h = block_open("idle=0;within=1ms;dirty=64KiB");
	block_text("md0/md/sync_action", "check\n");
	expect_busy(h, "check of md0; 65536 bytes are dirty");
	h = block_open("idle=0;sync=false;within=1ms;dirty=65537b");
	block_text("md0/md/sync_action", "check\n");
	CU_ASSERT_EQUAL(settle_apply(&h->ctx), 0);
	block_close(h);
}

static void put32(unsigned char *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

/* Three groups of 8 blocks of 1 KiB, of which `zeroed` have their tables. */
static void ext4_image(unsigned zeroed, bool wide, uint32_t ro_compat)
{
	unsigned char image[8192] = { 0 }, *sb = image + EXT4_SB_AT, *desc = image + 2048;
	unsigned i, size = wide ? 64 : 32;

	put32(sb + EXT4_BLOCKS, 25);
	put32(sb + EXT4_FIRST_BLOCK, 1);
	put32(sb + EXT4_BLOCKS_PER_GROUP, 8);
	put32(sb + EXT4_MAGIC_AT, EXT4_MAGIC);
	put32(sb + EXT4_INCOMPAT, wide ? EXT4_INCOMPAT_64BIT : 0);
	put32(sb + EXT4_RO_COMPAT, ro_compat);
	sb[EXT4_DESC_SIZE] = wide ? 64 : 0;
	for (i = 0; i < zeroed; i++)
		desc[i * size + EXT4_BG_FLAGS] = EXT4_BG_INODE_ZEROED | 1;
	block_put("device", image, sizeof(image));
}

static void test_ext4(void)
{
	struct fake_host *h = block_open("idle=0;within=1ms");
	struct settle_ext4 e;
	int wide;

	CU_ASSERT_FALSE(settle_ext4_read(image_path, &e));
	for (wide = 0; wide < 2; wide++) {
		ext4_image(1, wide, 0x400);
		CU_ASSERT_TRUE(settle_ext4_read(image_path, &e));
		CU_ASSERT_EQUAL(e.groups, 3);
		CU_ASSERT_EQUAL(e.left, 2);
		ext4_image(3, wide, 0x10);
		CU_ASSERT_TRUE(settle_ext4_read(image_path, &e));
		CU_ASSERT_EQUAL(e.left, 0);
		CU_ASSERT_EQUAL(settle_apply(&h->ctx), 0);
		/* Without checksums of groups mkfs initialises all tables. */
		ext4_image(0, wide, 0);
		CU_ASSERT_FALSE(settle_ext4_read(image_path, &e));
	}
	ext4_image(2, true, 0x400);
	expect_busy(h, "ext4 initialises inode tables, 1 of 3 left");
}

void test_plugin_settle(void);

void test_plugin_settle(void)
{
	CU_pSuite s = CU_add_suite("plugin settle", NULL, NULL);

	CU_add_test(s, "quiet", test_quiet);
	CU_add_test(s, "check", test_check);
	CU_add_test(s, "busy", test_busy);
	CU_add_test(s, "ext4", test_ext4);
}
