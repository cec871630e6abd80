/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/mkfs: the plan, what is learnt from the tool, other devices, and what is read back. */
#include <CUnit/CUnit.h>
#include <unistd.h>

#define FSTRIAL_STATIC mkfs_made
#include "plugins/setup/mkfs.c"
#include "tests/unit/mkfs_fixture.h"

void test_plugin_mkfs_made(void);

/* What mkfs.xfs 6.1.0 and mke2fs 1.47.0 print of what they would make. */
#define DRY_XFS                                                                        \
	"meta-data=/proc/1/fd/3           isize=512    agcount=8, agsize=98288 blks\n" \
	"         =                       sectsz=512   attr=2, projid32bit=1\n"        \
	"         =                       crc=1        finobt=1, sparse=1, rmapbt=0\n" \
	"data     =                       bsize=4096   blocks=786304, imaxpct=25\n"    \
	"         =                       sunit=16     swidth=64 blks\n"               \
	"naming   =version 2              bsize=8192   ascii-ci=0, ftype=1\n"          \
	"log      =internal log           bsize=4096   blocks=16384, version=2\n"      \
	"         =                       sectsz=512   sunit=8 blks, lazy-count=1\n"   \
	"realtime =none                   extsz=4096   blocks=0, rtextents=0\n"
#define DRY_EXT "Creating filesystem with 524288 4k blocks and 131072 inodes\nFilesystem UUID: 1\n"

/* And mkfs.btrfs 6.2, of what it made. */
#define DRY_BTRFS                                                 \
	"Label:              (null)\n"                            \
	"Node size:          16384\n"                             \
	"Sector size:        4096\n"                              \
	"Filesystem size:    2.00GiB\n"                           \
	"Block group profiles:\n"                                 \
	"  Data:             RAID1           102.38MiB\n"         \
	"  Metadata:         RAID1           102.38MiB\n"         \
	"  System:           RAID1             8.00MiB\n"         \
	"Incompat features:  extref, skinny-metadata, no-holes\n" \
	"Checksum:           crc32c\n"                            \
	"Number of devices:  2\n"                                 \
	"Devices:\n"                                              \
	"   ID        SIZE  PATH\n"                               \
	"    1     1.00GiB  /proc/1/fd/3\n"

static void test_mkfs_plan(void)
{
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct fake_host *h = mkfs_host("fs=xfs;su=64KiB;sw=4");

	fake_host_fact(h, "device.size", "3221225472");
	fake_host_command(h, 0, DRY_XFS, "");
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 0);
	mkfs_expect("plan", fake_host_find(&h->plans, ""),
		    "makes xfs with mkfs.xfs: on 3GiB agcount=8 agsize=393152KiB block_size=4KiB "
		    "sector_size=512B inode_size=512B sunit=64KiB swidth=256KiB log_size=64MiB "
		    "log_su=32KiB naming_size=8KiB");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(fake_host_find(&h->commands, ""), "mkfs.xfs -f -N -d su=65536,sw=4"));
	CU_ASSERT_PTR_NOT_NULL(strstr(fake_host_find(&h->commands, ""), " /proc/"));
	fake_host_free(h);

	h = mkfs_host("fs=ext4");
	fake_host_fact(h, "device.size", "2147483648");
	fake_host_command(h, 0, DRY_EXT, "mke2fs 1.47.0 (5-Feb-2023)\n");
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	mkfs_expect("plan", fake_host_find(&h->plans, ""),
		    "makes ext4 with mkfs.ext4: on 2GiB 524288 4k blocks and 131072 inodes");
	fake_host_free(h);

	/* A log elsewhere: a file of that device's size stands for it. */
	h = mkfs_host("fs=xfs;logdev=target.2");
	fake_host_fact(h, "device.size", "3221225472");
	fake_host_fact(h, "target.2.size", "134217728");
	fake_host_command(h, 0, DRY_XFS, "");
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(fake_host_find(&h->plans, ""), "log_size=64MiB"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(fake_host_find(&h->commands, ""), "mkfs.xfs -f -N -l logdev=/proc/"));
	fake_host_free(h);

	/* Its size is not known, or the device's own is not: nothing is asked. */
	h = mkfs_host("fs=xfs;logdev=target.2");
	fake_host_fact(h, "device.size", "3221225472");
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	mkfs_expect("plan", fake_host_find(&h->plans, ""), "makes xfs with mkfs.xfs");
	fake_host_free(h);

	h = mkfs_host("fs=btrfs;devices=target.2;data=raid1");
	fake_host_fact(h, "device.size", "1073741824");
	fake_host_fact(h, "target.2.size", "1073741824");
	fake_host_command(h, 0, DRY_BTRFS, "");
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	mkfs_expect("plan", fake_host_find(&h->plans, ""),
		    "makes btrfs with mkfs.btrfs: on 1GiB node_size=16KiB sector_size=4KiB "
		    "data=RAID1 metadata=RAID1 system=RAID1 checksum=crc32c devices=2");
	fake_host_free(h);

	/* The tool's own words in place of ours. */
	h = mkfs_host("fs=xfs;agcount=4;agsize=64MiB");
	fake_host_fact(h, "device.size", "2147483648");
	fake_host_command(h, 1, "", "Cannot specify both agsize and agcount\n" USAGE);
	CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 1);
	mkfs_expect(
		"warning", fake_host_find(&h->warnings, ""),
		"will be refused by the tool: mkfs.xfs: Cannot specify both agsize and agcount");
	fake_host_free(h);
}

/* What ext counts in blocks is asked for in bytes: the size of a block is the tool's to say. */
static void test_mkfs_blocks(void)
{
	struct fake_host *h = mkfs_host("fs=ext4;lazy=true;stride=64KiB;stripe_width=256KiB");

	fake_host_command(h, 0, DRY_EXT, "");
	CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 2);
	mkfs_expect("dry run", h->commands.v[0].value,
		    "mkfs.ext4 -F -n -t ext4 -L fstrial /dev/loop9");
	mkfs_expect("command", h->commands.v[1].value,
		    "mkfs.ext4 -F -q -t ext4 -b 4096 -E stride=16,stripe_width=64 -L fstrial "
		    "/dev/loop9");
	mkfs_expect("asked", fake_host_find(&h->asked, "stripe_width"), "262144");
	fake_host_free(h);

	h = mkfs_host("fs=ext4;stride=6KiB");
	fake_host_command(h, 0, DRY_EXT, "");
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	mkfs_expect("error", h->error,
		    "stride = 6144 is not a multiple of the block size, 4096 bytes");
	CU_ASSERT_EQUAL(h->commands.n, 1);
	fake_host_free(h);

	h = mkfs_host("fs=ext4;stride=64KiB");
	fake_host_command(h, 0, "nothing that is known\n", "");
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	CU_ASSERT_EQUAL(h->commands.n, 1);
	fake_host_free(h);
}

/* A version is asked of the program that is used, not of the one that is installed. */
static void test_mkfs_program(void)
{
	struct fake_host *h = mkfs_host("fs=xfs;program=/opt/new/sbin/mkfs.xfs");

	fake_host_command(h, 0, "mkfs.xfs version 6.15.0\n", "");
	fake_host_command(h, 0, "meta-data=\n", "");
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 2);
	mkfs_expect("command", fake_host_find(&h->notes, "command"),
		    "/opt/new/sbin/mkfs.xfs -f -L fstrial /dev/loop9");
	mkfs_expect("version", fake_host_find(&h->notes, "tool_version"), "6.15.0");
	CU_ASSERT_EQUAL(mkfs_probe(&h->ctx), -ENOENT);
	fake_host_free(h);
}

static void test_mkfs_version(void)
{
	static const struct {
		const char *text, *version;
	} rows[] = {
		{ "mkfs.xfs version 6.1.0\n", "6.1.0" },
		{ "mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n", "1.47.0" },
		{ "mkfs.btrfs, part of btrfs-progs v6.2 \n", "6.2" },
		{ "no number here\n", NULL },
	};
	char version[32];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++)
		mkfs_expect(rows[i].text,
			    mkfs_parse_version(rows[i].text, version, sizeof(version)) ? version
										       : NULL,
			    rows[i].version);
}

/* A log elsewhere is claimed; what is not the log that was made is never wiped. */
static void test_mkfs_external(void)
{
	static const char uuid[] = "01234567-89AB-cdef-0123-456789abcdef";
	unsigned char u[16], *p = calloc(1, 4096);
	struct fake_host *h = mkfs_host("fs=xfs;logdev=target.2");

	CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
	mkfs_expect("claim", fake_host_find(&h->claims, ""), "target.2");
	fake_host_free(h);
	h = mkfs_host("fs=btrfs;devices=target.2;devices=target.3");
	CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(h->claims.n, 2);
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	mkfs_expect("too many", h->error, "devices: the target has no target.3");
	fake_host_free(h);

	CU_ASSERT_TRUE(mkfs_uuid_bytes(uuid, u));
	CU_ASSERT_EQUAL(u[0], 0x01);
	CU_ASSERT_EQUAL(u[5], 0xab);
	CU_ASSERT_EQUAL(u[15], 0xef);
	CU_ASSERT_FALSE(mkfs_uuid_bytes("01234567-89ab-cdef-0123-456789abcde", u));
	CU_ASSERT_FALSE(mkfs_uuid_bytes("01234567-89ab-cdef-0123-456789abcdef0", u));
	CU_ASSERT_FALSE(mkfs_uuid_bytes("", u));
	CU_ASSERT_TRUE(mkfs_uuid_bytes(uuid, u));
	if (!p) {
		CU_FAIL("no memory");
		return;
	}
	CU_ASSERT_FALSE(mkfs_is_ours(p, 4096, u));
	memcpy(p + 512, "\xfe\xed\xba\xbe", 4);
	CU_ASSERT_FALSE(mkfs_is_ours(p, 4096, u)); /* another file system's log */
	memcpy(p + 512 + 304, u, 16);
	CU_ASSERT_TRUE(mkfs_is_ours(p, 4096, u));
	memset(p, 0, 4096);
	p[1024 + 56] = 0x53;
	p[1024 + 57] = 0xef;
	memcpy(p + 1024 + 104, u, 16);
	CU_ASSERT_FALSE(mkfs_is_ours(p, 4096, u)); /* a file system with that UUID, no journal */
	p[1024 + 96] = 0x08;
	CU_ASSERT_TRUE(mkfs_is_ours(p, 4096, u));
	free(p);
}

static void test_mkfs_revert(void)
{
	static const char *const values[] = {
		"01234567-89ab-cdef-0123-456789abcdef 7:999 /nowhere/loop999",
		"garbage",
		"",
	};
	size_t i;

	for (i = 0; i < FST_COUNT(values); i++) {
		struct fake_host *h = mkfs_host("fs=xfs");

		CU_ASSERT_EQUAL(fst_save(&h->ctx, "external", values[i]), 0);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		fake_host_free(h);
	}
}

static void test_mkfs_readback_special(void)
{
	static const struct {
		const char *params, *fact, *value, *key, *want;
	} rows[] = {
		{ "fs=xfs;naming_version=ci", "ci", "0", "naming_version", "2" },
		{ "fs=xfs;naming_version=2", "ci", "1", "naming_version", "ci" },
		{ "fs=xfs;attr=2", "attr2", "1", "attr", "2" },
		{ "fs=xfs;attr=1", "attr2", "1", "attr", "2" },
		{ "fs=xfs;size=1GiB", "data_size", "1073741824", "size", "1073741824" },
		{ "fs=ext4;size=1GiB", "size", "1073741824", "size", "1073741824" },
		{ "fs=xfs;logdev=target.2", "log_internal", "0", "logdev", "target.2" },
		{ "fs=xfs;logdev=target.2", "log_internal", "1", "logdev", "internal" },
		{ "fs=ext4;logdev=target.2", "journal_internal", "0", "logdev", "target.2" },
		{ "fs=ext4", "lazy_groups", "3", "lazy_init", "true" },
		{ "fs=ext4", "lazy_groups", "0", "lazy_init", "false" },
		{ "fs=ext4;features=^64bit,quota", "64bit", "1", "feature.64bit", "1" },
		{ "fs=xfs;features=n:parent=1", "parent", "0", "feature.parent", "0" },
		{ "fs=btrfs;data=raid0", "data_profile", "single", "data", "single" },
		{ "fs=btrfs;checksum=sha256", "checksum", "sha256", "checksum", "sha256" },
	};
	char fact[64];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].params);

		snprintf(fact, sizeof(fact), "filesystem.%s", rows[i].fact);
		fake_host_fact(h, fact, rows[i].value);
		CU_ASSERT_EQUAL(mkfs_readback(&h->ctx), 0);
		mkfs_expect(rows[i].params, fake_host_find(&h->in_force, rows[i].key),
			    rows[i].want);
		fake_host_free(h);
	}
}

/* Half a block in a group is no difference, half the inodes are. */
static void test_mkfs_shares(void)
{
	static const struct {
		const char *params, *inodes, *reserved, *key, *want;
	} rows[] = {
		{ "fs=ext4;inode_ratio=16KiB", "65536", "0", "inode_ratio", "16384" },
		{ "fs=ext4;inode_ratio=16KiB", "65600", "0", "inode_ratio", "16384" },
		{ "fs=ext4;inode_ratio=16KiB", "32768", "0", "inode_ratio", "32768" },
		{ "fs=ext4;reserved_percent=5", "1", "53686272", "reserved_percent", "5" },
		{ "fs=ext4;reserved_percent=5", "1", "10737418", "reserved_percent", "1" },
		{ "fs=ext4;reserved_percent=0", "1", "0", "reserved_percent", "0" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].params);

		fake_host_fact(h, "filesystem.geometry.size", "1073741824");
		fake_host_fact(h, "filesystem.geometry.inodes", rows[i].inodes);
		fake_host_fact(h, "filesystem.geometry.block_size", "4096");
		fake_host_fact(h, "filesystem.groups", "8");
		fake_host_fact(h, "filesystem.inode_size", "256");
		fake_host_fact(h, "filesystem.reserved", rows[i].reserved);
		CU_ASSERT_EQUAL(mkfs_readback(&h->ctx), 0);
		mkfs_expect(rows[i].params, fake_host_find(&h->in_force, rows[i].key),
			    rows[i].want);
		fake_host_free(h);
	}
}

static void test_mkfs_readback(void)
{
	struct fake_host *h = mkfs_host("fs=xfs;su=64KiB;sw=4;reflink=0;log_size=64MiB;agcount=4");

	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), 0);
	mkfs_expect("su", fake_host_find(&h->asked, "su"), "65536");
	mkfs_expect("label", fake_host_find(&h->asked, "label"), "fstrial");
	fake_host_next_process(h);
	fake_host_fact(h, "filesystem.type", "xfs");
	fake_host_fact(h, "filesystem.sunit", "65536");
	fake_host_fact(h, "filesystem.swidth", "262144");
	fake_host_fact(h, "filesystem.reflink", "0");
	fake_host_fact(h, "filesystem.agcount", "8");
	CU_ASSERT_EQUAL(mkfs_readback(&h->ctx), 0);
	mkfs_expect("fs", fake_host_find(&h->in_force, "fs"), "xfs");
	mkfs_expect("su", fake_host_find(&h->in_force, "su"), "65536");
	mkfs_expect("sw", fake_host_find(&h->in_force, "sw"), "4");
	mkfs_expect("reflink", fake_host_find(&h->in_force, "reflink"), "0");
	mkfs_expect("agcount", fake_host_find(&h->in_force, "agcount"), "8");
	mkfs_expect("log_size", fake_host_find(&h->in_force, "log_size"), NULL);
	fake_host_free(h);
}

void test_plugin_mkfs_made(void)
{
	CU_pSuite s = CU_add_suite("plugin mkfs, what was made", NULL, NULL);

	CU_add_test(s, "the plan", test_mkfs_plan);
	CU_add_test(s, "bytes and blocks", test_mkfs_blocks);
	CU_add_test(s, "another program", test_mkfs_program);
	CU_add_test(s, "versions", test_mkfs_version);
	CU_add_test(s, "logs elsewhere", test_mkfs_external);
	CU_add_test(s, "revert of what is gone", test_mkfs_revert);
	CU_add_test(s, "readback", test_mkfs_readback);
	CU_add_test(s, "readback of what no fact says", test_mkfs_readback_special);
	CU_add_test(s, "readback of shares", test_mkfs_shares);
}
