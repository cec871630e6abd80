/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/record/fsfacts: what mkfs was told must come back, mounted and not. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/record/fsfacts.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "scratch.h"

#define MIB (1ULL << 20)

/* want: NULL when nothing must be known. */
struct fact {
	const char *key, *want;
};

static void expect_facts(const json_t *facts, const struct fact *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = fsfacts_lookup(facts, f[i].key);

		CU_ASSERT_TRUE(str_eq(text, f[i].want));
		if (!str_eq(text, f[i].want))
			printf("\n%s is %s, not %s\n", f[i].key, text ? text : "unknown",
			       f[i].want ? f[i].want : "unknown");
	}
}

static void test_lookup(void)
{
	static const char text[] =
		"{\"type\": \"xfs\", \"fill\": 0.5, \"mount\": {\"options\": \"rw,noatime\"},"
		" \"geometry\": {\"agcount\": 4, \"log_internal\": true, \"block_size\": 4096},"
		" \"features\": [\"crc\", \"reflink\"]}";
	static const char other[] = "{\"type\": \"erofs\", \"features\": []}";
	static const char no_features[] = "{\"type\": \"ext4\"}";
	static const struct fact rows[] = {
		{ "type", "xfs" },	  { "agcount", "4" }, { "geometry.agcount", "4" },
		{ "log_internal", "1" },  { "fill", "0.5" },  { "mount.options", "rw,noatime" },
		{ "reflink", "1" },	  { "rmapbt", "0" },  { "features", "crc,reflink" },
		{ "has_journal", NULL },  { "mount", NULL },  { "mount.nothing", NULL },
		{ "type.nothing", NULL }, { "", NULL },	      { ".", NULL },
	};
	static const struct fact unknown[] = { { "reflink", NULL }, { "has_journal", NULL } };
	_cleanup_json_ json_t *a = js_parse(text, strlen(text), "a", NULL);
	_cleanup_json_ json_t *b = js_parse(other, strlen(other), "b", NULL);
	_cleanup_json_ json_t *c = js_parse(no_features, strlen(no_features), "c", NULL);

	expect_facts(a, rows, ARRAY_SIZE(rows));
	expect_facts(b, unknown, ARRAY_SIZE(unknown));
	expect_facts(c, unknown, ARRAY_SIZE(unknown));
	CU_ASSERT_PTR_NULL(fsfacts_lookup(NULL, "type"));
}

static void test_nothing(void)
{
	_cleanup_json_ json_t *none = fsfacts_collect(NULL, NULL);
	_cleanup_json_ json_t *missing = fsfacts_collect("/nonexistent", "/dev/fstrial-none");

	CU_ASSERT_EQUAL(json_object_size(none), 0);
	CU_ASSERT_EQUAL(json_object_size(missing), 0);
}

/* Without root: something must be known of any directory. */
static void test_directory(void)
{
	_cleanup_json_ json_t *facts = fsfacts_collect("/proc", NULL);
	_cleanup_json_ json_t *here = fsfacts_collect(".", NULL);
	const json_t *mount = json_object_get(facts, "mount");

	CU_ASSERT_STRING_EQUAL(js_get_str(facts, "type", ""), "proc");
	CU_ASSERT_STRING_EQUAL(js_get_str(mount, "point", ""), "/proc");
	CU_ASSERT_TRUE(str_starts(js_get_str(mount, "options", ""), "r"));
	CU_ASSERT_PTR_NULL(json_object_get(facts, "geometry"));
	CU_ASSERT_TRUE(js_get_u64(here, "size_bytes", 0) > 0);
	CU_ASSERT_TRUE(js_get_real(here, "fill", -1) >= 0 && js_get_real(here, "fill", 2) <= 1);
	CU_ASSERT_TRUE(*js_get_str(here, "type", "") != '\0');
}

/* Mounted and unmounted, by ioctl and by superblock: the two must agree. */
static void expect_same(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "geometry", "features", "uuid", "label", "type" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
		_cleanup_free_ char *tx = x ? json_dumps(x, JSON_ENCODE_ANY) : NULL;
		_cleanup_free_ char *ty = y ? json_dumps(y, JSON_ENCODE_ANY) : NULL;

		CU_ASSERT_TRUE(x && y && json_equal(x, y));
		if (!x || !y || !json_equal(x, y))
			printf("\n%s: %s\n%s\n", keys[i], tx ? tx : "none", ty ? ty : "none");
	}
}

static void both_ways(struct scratch *s, const char *type, const struct fact *f, size_t n)
{
	_cleanup_json_ json_t *before = fsfacts_collect(NULL, s->device[0]), *during = NULL,
			      *open = NULL;
	const char *dir, *options;

	expect_facts(before, f, n);
	CU_ASSERT_PTR_NULL(json_object_get(before, "mount"));
	CU_ASSERT_PTR_NULL(json_object_get(before, "fill"));
	dir = scratch_mount(s, s->device[0], type, NULL);
	CU_ASSERT_PTR_NOT_NULL(dir);
	if (!dir)
		return;
	during = fsfacts_collect(dir, s->device[0]);
	open = fsfacts_collect(dir, NULL);
	expect_facts(during, f, n);
	expect_same(before, during);
	expect_same(during, open);
	CU_ASSERT_STRING_EQUAL(js_get_str(during, "source", ""), s->device[0]);
	CU_ASSERT_STRING_EQUAL(js_get_str(json_object_get(during, "mount"), "point", ""), dir);
	options = js_get_str(json_object_get(during, "mount"), "options", "");
	CU_ASSERT_TRUE(str_starts(options, "rw,noatime"));
	/* Once, though the mount and the superblock both have it. */
	CU_ASSERT_PTR_NULL(strstr(options + 1, "rw,"));
	CU_ASSERT_TRUE(js_get_u64(during, "size_bytes", 0) > 200 * MIB);
	CU_ASSERT_TRUE(js_get_u64(during, "free_bytes", 0) > 100 * MIB);
	CU_ASSERT_TRUE(js_get_real(during, "fill", 1) < 0.5);
	CU_ASSERT_TRUE(js_get_u64(during, "inodes", 0) > js_get_u64(during, "inodes_free", 0));
}

static bool begin(struct scratch *s, const char *test, const char *program, uint32_t sector)
{
	bool good;

	if (scratch_skip(test, program))
		return false;
	good = scratch_open(s) && scratch_attach(s, 0, 1024 * MIB, sector);
	CU_ASSERT_TRUE(good);
	if (!good)
		scratch_close(s);
	return good;
}

static void test_xfs(void)
{
	static const struct fact f[] = {
		{ "type", "xfs" },
		{ "label", "facts" },
		{ "agcount", "8" },
		{ "agsize", "134217728" },
		{ "block_size", "4096" },
		{ "sector_size", "4096" },
		{ "inode_size", "1024" },
		{ "log_size", "67108864" },
		{ "log_internal", "1" },
		{ "log_start_agno", "3" },
		{ "log_sector_size", "4096" },
		{ "log_sunit", "65536" },
		{ "log_version", "2" },
		{ "sunit", "65536" },
		{ "swidth", "262144" },
		{ "naming_size", "8192" },
		{ "data_size", "1073741824" },
		{ "imaxpct", "10" },
		{ "rt_size", "0" },
		{ "crc", "1" },
		{ "rmapbt", "1" },
		{ "reflink", "1" },
		{ "finobt", "1" },
		{ "bigtime", "0" },
		{ "inobtcount", "0" },
		{ "sparse", "1" },
		{ "ftype", "1" },
		{ "attr2", "1" },
		{ "lazy-count", "1" },
		{ "projid32bit", "1" },
		{ "ci", "0" },
	};
	struct scratch s;

	if (!HAVE_XFS_XFS_H) {
		printf("skipped: facts of xfs: built without xfs/xfs.h\n");
		return;
	}
	if (!begin(&s, "facts of xfs", "mkfs.xfs", 4096))
		return;
	if (scratch_run("mkfs.xfs", "-q", "-f", "-L", "facts", "-d", "agcount=8,su=64k,sw=4", "-i",
			"size=1024,maxpct=10", "-l", "size=64m,agnum=3,su=64k", "-n", "size=8k",
			"-m", "rmapbt=1,reflink=1,bigtime=0,inobtcount=0", s.device[0], NULL))
		both_ways(&s, "xfs", f, ARRAY_SIZE(f));
	else
		CU_FAIL("mkfs failed");
	scratch_close(&s);
}

static void test_xfs_external_log(void)
{
	static const struct fact f[] = {
		{ "log_internal", "0" }, { "log_size", "67108864" }, { "log_start_agno", NULL },
		{ "rmapbt", "0" },	 { "bigtime", "1" },	     { "log_sunit", "0" },
		{ "sunit", "0" },
	};
	_cleanup_free_ char *log = NULL, *option = NULL;
	_cleanup_json_ json_t *before = NULL, *during = NULL;
	const char *dir;
	struct scratch s;

	if (!HAVE_XFS_XFS_H || !begin(&s, "facts of xfs with an external log", "mkfs.xfs", 512))
		return;
	CU_ASSERT_TRUE(scratch_attach(&s, 1, 80 * MIB, 512));
	log = xasprintf("logdev=%s,size=64m", s.device[1]);
	option = xasprintf("logdev=%s,logbsize=256k", s.device[1]);
	CU_ASSERT_TRUE(scratch_run("mkfs.xfs", "-q", "-f", "-l", log, "-m", "rmapbt=0,bigtime=1",
				   s.device[0], NULL));
	before = fsfacts_collect(NULL, s.device[0]);
	expect_facts(before, f, ARRAY_SIZE(f));
	dir = scratch_mount(&s, s.device[0], "xfs", option);
	during = fsfacts_collect(dir, NULL);
	expect_facts(during, f, ARRAY_SIZE(f));
	expect_same(before, during);
	CU_ASSERT_PTR_NOT_NULL(strstr(js_get_str(json_object_get(during, "mount"), "options", ""),
				      "logbsize=256k"));
	scratch_close(&s);
}

static void test_ext4(void)
{
	static const struct fact f[] = {
		{ "type", "ext4" },
		{ "label", "facts" },
		{ "block_size", "4096" },
		{ "size", "1073741824" },
		{ "inode_size", "512" },
		{ "inodes", "8192" },
		{ "blocks_per_group", "32768" },
		{ "groups", "8" },
		{ "lazy_groups", "0" },
		{ "stride", "65536" },
		{ "stripe_width", "262144" },
		{ "journal_size", "33554432" },
		{ "journal_internal", "1" },
		{ "cluster_size", "4096" },
		{ "flex_bg_groups", "8" },
		{ "reserved", "10735616" }, /* 1 %, in whole blocks */
		{ "has_journal", "1" },
		{ "extent", "1" },
		{ "metadata_csum", "1" },
		{ "64bit", "1" },
		{ "huge_file", "0" },
		{ "bigalloc", "0" },
		{ "project", "0" },
	};
	struct scratch s;

	if (!HAVE_EXT2FS) {
		printf("skipped: facts of ext4: built without ext2fs/ext2_fs.h\n");
		return;
	}
	if (!begin(&s, "facts of ext4", "mkfs.ext4", 512))
		return;
	if (scratch_run("mkfs.ext4", "-q", "-F", "-L", "facts", "-b", "4096", "-I", "512", "-N",
			"8192", "-m", "1", "-J", "size=32", "-G", "8", "-E",
			"stride=16,stripe_width=64,lazy_itable_init=0", "-O",
			"^huge_file,metadata_csum,64bit,extent", s.device[0], NULL))
		both_ways(&s, "ext4", f, ARRAY_SIZE(f));
	else
		CU_FAIL("mkfs failed");
	scratch_close(&s);
}

static void test_ext2(void)
{
	static const struct fact f[] = {
		{ "type", "ext2" },	 { "block_size", "1024" },     { "has_journal", "0" },
		{ "journal_size", "0" }, { "journal_internal", NULL }, { "extent", "0" },
		{ "inode_size", "128" },
	};
	_cleanup_json_ json_t *facts = NULL;
	struct scratch s;

	if (!HAVE_EXT2FS || !begin(&s, "facts of ext2", "mkfs.ext4", 512))
		return;
	CU_ASSERT_TRUE(scratch_run("mkfs.ext4", "-q", "-F", "-t", "ext2", "-b", "1024", "-I", "128",
				   s.device[0], NULL));
	facts = fsfacts_collect(NULL, s.device[0]);
	expect_facts(facts, f, ARRAY_SIZE(f));
	scratch_close(&s);
}

/* Groups whose inode tables are still to be written: of 1 KiB blocks their descriptors are elsewhere. */
static void test_ext4_lazy(void)
{
	static const char *const sizes[] = { "1024", "4096" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_json_ json_t *lazy = NULL, *written = NULL;
		struct scratch s;

		if (!HAVE_EXT2FS || !begin(&s, "lazy groups of ext4", "mkfs.ext4", 512))
			return;
		CU_ASSERT_TRUE(scratch_run("mkfs.ext4", "-q", "-F", "-b", sizes[i], "-E",
					   "lazy_itable_init=1", s.device[0], NULL));
		lazy = fsfacts_collect(NULL, s.device[0]);
		CU_ASSERT_TRUE(js_get_u64(lazy, "lazy_groups", 0) > 0);
		CU_ASSERT_TRUE(scratch_run("mkfs.ext4", "-q", "-F", "-b", sizes[i], "-E",
					   "lazy_itable_init=0", s.device[0], NULL));
		written = fsfacts_collect(NULL, s.device[0]);
		CU_ASSERT_EQUAL(js_get_u64(written, "lazy_groups", 1), 0);
		scratch_close(&s);
	}
}

/* Profiles are told by ioctl, the rest by the superblock: mounted and not, it is the same. */
static void test_btrfs(void)
{
	static const struct fact f[] = {
		{ "type", "btrfs" },	    { "label", "facts" },	{ "block_size", "4096" },
		{ "sector_size", "4096" },  { "node_size", "32768" },	{ "size", "1073741824" },
		{ "devices", "1" },	    { "checksum", "sha256" },	{ "no-holes", "0" },
		{ "free-space-tree", "1" }, { "skinny-metadata", "1" }, { "reflink", NULL },
		{ "agcount", NULL },
	};
	static const struct fact mounted[] = {
		{ "data_profile", "single" },
		{ "metadata_profile", "dup" },
		{ "system_profile", "dup" },
	};
	_cleanup_json_ json_t *before = NULL, *during = NULL;
	const char *dir;
	struct scratch s;

	if (!begin(&s, "facts of btrfs", "mkfs.btrfs", 512))
		return;
	CU_ASSERT_TRUE(scratch_run("mkfs.btrfs", "-q", "-f", "-L", "facts", "-n", "32k", "-s", "4k",
				   "--csum", "sha256", "-d", "single", "-m", "dup", "-O",
				   "^no-holes", "-R", "free-space-tree", s.device[0], NULL));
	before = fsfacts_collect(NULL, s.device[0]);
	expect_facts(before, f, ARRAY_SIZE(f));
	CU_ASSERT_PTR_NULL(fsfacts_lookup(before, "data_profile"));
	dir = scratch_mount(&s, s.device[0], "btrfs", NULL);
	if (dir) {
		during = fsfacts_collect(dir, NULL);
		expect_facts(during, f, ARRAY_SIZE(f));
		expect_facts(during, mounted, ARRAY_SIZE(mounted));
		CU_ASSERT_STRING_EQUAL(js_get_str(during, "uuid", "a"),
				       js_get_str(before, "uuid", "b"));
		CU_ASSERT_STRING_EQUAL(js_get_str(during, "source", ""), s.device[0]);
		CU_ASSERT_TRUE(js_get_u64(during, "size_bytes", 0) > 0);
		CU_ASSERT_TRUE(js_get_real(during, "fill", 1) < 0.5);
	}
	scratch_close(&s);
}

void test_record_fsfacts(void);

void test_record_fsfacts(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "lookup", test_lookup },
		{ "nothing known", test_nothing },
		{ "a directory", test_directory },
		{ "xfs", test_xfs },
		{ "xfs with an external log", test_xfs_external_log },
		{ "ext4", test_ext4 },
		{ "ext2", test_ext2 },
		{ "ext4, lazy groups", test_ext4_lazy },
		{ "btrfs", test_btrfs },
	};
	CU_pSuite suite = CU_add_suite("record fsfacts", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
