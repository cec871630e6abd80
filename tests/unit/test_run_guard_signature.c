/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/run/guard: what is written on a device. */
#include <CUnit/CUnit.h>
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run/guard.h"
#include "core/util/xalloc.h"
#include "guard_expect.h"

static void test_xfs(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: xfs", "mkfs.xfs", 1))
		return;
	guard_expect(&s, 0, "@", false, NULL);
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, "home"));
	guard_expect(&s, 0, "@", false,
		     "/dev/@ holds an xfs file system (label home, uuid |): add overwrite = true");
	guard_expect(&s, 0, "@", true, NULL);
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, "fstrial2"));
	guard_expect(&s, 0, "@", false, "label fstrial2");
	CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, GUARD_LABEL));
	guard_expect(&s, 0, "@", false, NULL);
	/* With a wrong checksum it is still a file system. */
	guard_put(&s, 0, 108, "vacation", 8);
	guard_expect(&s, 0, "@", false, "/dev/@ holds an xfs file system (label vacation, uuid ");
	scratch_close(&s);
}

static void test_ext4(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: ext4", "mkfs.ext4", 1))
		return;
	CU_ASSERT_TRUE(scratch_run("mkfs.ext4", "-q", "-F", s.device[0], NULL));
	guard_expect(&s, 0, "@", false, "/dev/@ holds an ext4 file system (uuid ");
	scratch_close(&s);
}

static void test_gpt(void)
{
	_cleanup_free_ char *command = NULL;
	struct scratch s;

	if (!guard_begin(&s, "guard: gpt", "sfdisk", 1))
		return;
	command = xasprintf("printf 'label: gpt\\n,64MiB\\n,\\n' | sfdisk -q --no-reread "
			    "--no-tell-kernel %s",
			    s.device[0]);
	CU_ASSERT_TRUE(scratch_run("sh", "-c", command, NULL));
	guard_expect(&s, 0, "@", false,
		     "/dev/@ holds a gpt partition table (2 partitions)|overwrite");
	guard_expect(&s, 0, "@", true, NULL);
	scratch_close(&s);
}

/* A partition table and the file system that was there before it: both are named. */
static void test_gpt_over_xfs(void)
{
	_cleanup_free_ char *command = NULL;
	struct scratch s;

	if (!guard_begin(&s, "guard: gpt over xfs", "sfdisk", 1))
		return;
	command = xasprintf("printf 'label: gpt\\n,64MiB\\n' | sfdisk -q --wipe never --no-reread "
			    "--no-tell-kernel %s",
			    s.device[0]);
	if (!scratch_skip("guard: gpt over xfs", "mkfs.xfs")) {
		CU_ASSERT_TRUE(guard_mkfs_xfs(&s, 0, GUARD_LABEL));
		CU_ASSERT_TRUE(scratch_run("sh", "-c", command, NULL));
		guard_expect(&s, 0, "@", false,
			     "holds |an xfs file system (label fstrial|and |a gpt partition table");
	}
	scratch_close(&s);
}

/* lvm2's own checksum over the label sector behind its header. */
static uint32_t lvm_crc(const unsigned char *p, size_t len)
{
	uint32_t crc = 0xf597a6cf;

	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static void put_lvm(const struct scratch *s, size_t i)
{
	unsigned char sector[512] = { 0 };
	uint32_t crc;

	memcpy(sector, "LABELONE", 8);
	sector[8] = 1;	 /* sector number */
	sector[20] = 32; /* offset of the header */
	memcpy(sector + 24, "LVM2 001", 8);
	memcpy(sector + 32, "0123456789abcdefghijklmnopqrstuv", 32);
	crc = htole32(lvm_crc(sector + 20, sizeof(sector) - 20));
	memcpy(sector + 16, &crc, sizeof(crc));
	guard_put(s, i, 512, sector, sizeof(sector));
}

static void test_lvm(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: lvm", NULL, 1))
		return;
	put_lvm(&s, 0);
	guard_expect(&s, 0, "@", false, "/dev/@ holds an LVM2_member signature (uuid |overwrite");
	guard_expect(&s, 0, "@", true, NULL);
	scratch_close(&s);
}

/* Ours beside a stranger's: the stranger decides, and all are named. */
static void test_several(void)
{
	struct scratch s;

	if (!guard_begin(&s, "guard: several signatures", "mkfs.ext4", 1))
		return;
	CU_ASSERT_TRUE(scratch_run("mkfs.ext4", "-q", "-F", "-L", GUARD_LABEL, s.device[0], NULL));
	guard_expect(&s, 0, "@", false, NULL);
	put_lvm(&s, 0);
	guard_expect(&s, 0, "@", false,
		     "LVM2_member signature|and |an ext4 file system (label fstrial|overwrite");
	scratch_close(&s);
}

void test_run_guard_signature(void);

void test_run_guard_signature(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "xfs", test_xfs }, { "ext4", test_ext4 },
		{ "gpt", test_gpt }, { "gpt over xfs", test_gpt_over_xfs },
		{ "lvm", test_lvm }, { "several signatures", test_several },
	};
	CU_pSuite suite = CU_add_suite("run guard signature", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
