/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/record/layers, on made-up trees of sysfs. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/record/layers.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

static char sys[64];

static void sys_put(const char *file, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/devices/%s", sys, file), *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	CU_ASSERT_EQUAL(dir_make(dir, 0700, NULL), 0);
	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

/* place: "sda/sda1"; the kernel's link by name. */
static void sys_device(const char *place, const char *sectors)
{
	const char *name = strrchr(place, '/') ? strrchr(place, '/') + 1 : place;
	_cleanup_free_ char *link = xasprintf("%s/class/block/%s", sys, name);
	_cleanup_free_ char *real = xasprintf("%s/devices/%s", sys, place);
	_cleanup_free_ char *file = xasprintf("%s/size", place);
	_cleanup_free_ char *alignment = xasprintf("%s/alignment_offset", place);

	sys_put(file, sectors);
	sys_put(alignment, "0\n");
	CU_ASSERT_EQUAL(symlink(real, link), 0);
}

static void sys_open(void)
{
	_cleanup_free_ char *class = NULL;

	snprintf(sys, sizeof(sys), "/tmp/fstrial-unit-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(sys));
	class = xasprintf("%s/class/block", sys);
	CU_ASSERT_EQUAL(dir_make(class, 0700, NULL), 0);
}

static void sys_close(void)
{
	CU_ASSERT_EQUAL(dir_remove_tree(sys, NULL), 0);
}

static const json_t *layer(const json_t *all, size_t i, const char *name, const char *kind)
{
	const json_t *l = json_array_get(all, i);

	CU_ASSERT_STRING_EQUAL(js_get_str(l, "name", ""), name);
	CU_ASSERT_STRING_EQUAL(js_get_str(l, "kind", ""), kind);
	return l;
}

static void below(const json_t *l, size_t i, const char *name, uint64_t offset)
{
	const json_t *b = json_array_get(json_object_get(l, "below"), i);

	CU_ASSERT_STRING_EQUAL(js_get_str(b, "name", ""), name);
	CU_ASSERT_EQUAL(js_get_u64(b, "offset_bytes", UINT64_MAX), offset);
}

/* A partition that begins where partitions began once. */
static void sys_partition(const char *start)
{
	sys_device("sda", "2000000\n");
	sys_put("sda/queue/physical_block_size", "4096\n");
	sys_put("sda/queue/rotational", "1\n");
	sys_put("sda/queue/write_cache", "write back\n");
	sys_put("sda/holders/.keep", "");
	sys_device("sda/sda1", "1000000\n");
	sys_put("sda/sda1/partition", "1\n");
	sys_put("sda/sda1/start", start);
	sys_put("sda/sda1/holders/dm-7", "");
}

static void test_partition(void)
{
	_cleanup_json_ json_t *all = NULL;
	const json_t *l;

	sys_open();
	sys_partition("63\n");
	all = layers_collect_at(sys, "sda1");
	CU_ASSERT_EQUAL(json_array_size(all), 2);
	l = layer(all, 0, "sda1", "partition");
	below(l, 0, "sda", 63 * 512);
	CU_ASSERT_EQUAL(js_get_u64(l, "size_bytes", 0), 512000000);
	CU_ASSERT_EQUAL(js_get_u64(l, "physical_block_size", 0), 4096);
	CU_ASSERT_STRING_EQUAL(js_get_str(l, "write_cache", ""), "write back");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(json_object_get(l, "holders"), 0)),
			       "dm-7");
	l = layer(all, 1, "sda", "disk");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(l, "below")), 0);
	CU_ASSERT_TRUE(json_is_true(json_object_get(l, "rotational")));
	sys_close();
}

static void test_loop(void)
{
	_cleanup_json_ json_t *all = NULL, *none = NULL;

	sys_open();
	sys_device("loop3", "2048\n");
	sys_put("loop3/loop/offset", "65536\n");
	sys_put("loop3/loop/backing_file", "/var/tmp/a b.img\n");
	all = layers_collect_at(sys, "loop3");
	CU_ASSERT_EQUAL(json_array_size(all), 1);
	below(layer(all, 0, "loop3", "loop"), 0, "/var/tmp/a b.img", 65536);
	none = layers_collect_at(sys, "sdz");
	CU_ASSERT_EQUAL(json_array_size(none), 0);
	sys_close();
}

/* RAID 5 of three partitions; each member once. */
static void test_md(void)
{
	_cleanup_json_ json_t *all = NULL;
	const json_t *l;
	int i;

	sys_open();
	sys_device("md0", "4000\n");
	sys_put("md0/md/level", "raid5\n");
	sys_put("md0/md/chunk_size", "65536\n");
	for (i = 0; i < 3; i++) {
		_cleanup_free_ char *disk = xasprintf("sd%c", 'a' + i);
		_cleanup_free_ char *slave = xasprintf("md0/slaves/%s", disk);
		_cleanup_free_ char *offset = xasprintf("md0/md/dev-%s/offset", disk);

		sys_device(disk, "2000\n");
		sys_put(slave, "");
		sys_put(offset, i == 2 ? "3\n" : "2048\n");
	}
	all = layers_collect_at(sys, "md0");
	CU_ASSERT_EQUAL(json_array_size(all), 4);
	l = layer(all, 0, "md0", "md");
	CU_ASSERT_STRING_EQUAL(js_get_str(l, "detail", ""), "raid5");
	CU_ASSERT_EQUAL(js_get_u64(l, "chunk_bytes", 0), 64 * KIB);
	below(l, 0, "sda", MIB);
	below(l, 2, "sdc", 1536);
	sys_close();
}

static void test_dm_parse(void)
{
	struct layers_dm dm;

	layers_dm_parse("linear", "8:16 2048", &dm);
	CU_ASSERT_EQUAL(dm.n, 1);
	CU_ASSERT_STRING_EQUAL(dm.v[0].dev, "8:16");
	CU_ASSERT_EQUAL(dm.v[0].offset, MIB);
	CU_ASSERT_EQUAL(dm.chunk, 0);
	layers_dm_parse("striped", "2 128 8:0 2048 8:16 4096", &dm);
	CU_ASSERT_EQUAL(dm.n, 2);
	CU_ASSERT_EQUAL(dm.chunk, 64 * KIB);
	CU_ASSERT_STRING_EQUAL(dm.v[1].dev, "8:16");
	CU_ASSERT_EQUAL(dm.v[1].offset, 2 * MIB);
	layers_dm_parse("flakey", "8:0 0 10 2 1 drop_writes", &dm);
	CU_ASSERT_EQUAL(dm.n, 1);
	layers_dm_parse("mirror", "core 2 1024 nosync 2 8:0 0 8:16 0", &dm);
	CU_ASSERT_EQUAL(dm.n, 0);
	CU_ASSERT_STRING_EQUAL(dm.type, "mirror");
	layers_dm_parse("striped", "2", &dm);
	CU_ASSERT_EQUAL(dm.n, 0);
	layers_dm_parse("error", "", &dm);
	CU_ASSERT_EQUAL(dm.n, 0);
}

static void test_check(void)
{
	static const struct {
		const char *start;
		uint64_t sunit;
		const char *want; /* NULL: nothing to say */
	} rows[] = {
		{ "2048\n", 0, NULL },
		{ "2048\n", 64 * KIB, NULL },
		{ "2048\n", MIB, NULL },
		{ "63\n", 0,
		  "misaligned: sda1 begins 31.5KiB into sda, within a physical block of 4KiB" },
		{ "128\n", 256 * KIB,
		  "misaligned: sda1 begins 64KiB into sda, no multiple of the file system's "
		  "stripe unit of 256KiB" },
		{ "8\n", 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_json_ json_t *all = NULL, *warnings = js_array();

		sys_open();
		sys_partition(rows[i].start);
		all = layers_collect_at(sys, "sda1");
		layers_check(all, rows[i].sunit, warnings);
		CU_ASSERT_EQUAL(json_array_size(warnings), rows[i].want ? 1 : 0);
		if (rows[i].want)
			CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(warnings, 0)),
					       rows[i].want);
		sys_close();
	}
}

/* A volume on an array on disks: the stripe counts down to the array, blocks below of it. */
static void test_check_stack(void)
{
	static const char text[] =
		"[{\"name\": \"dm-0\", \"alignment_offset\": 0, \"chunk_bytes\": null,"
		"  \"below\": [{\"name\": \"md0\", \"offset_bytes\": 1048576}]},"
		" {\"name\": \"md0\", \"alignment_offset\": 0, \"chunk_bytes\": 65536, "
		"\"physical_block_size\": 4096,"
		"  \"below\": [{\"name\": \"sda\", \"offset_bytes\": 8192}, {\"name\": \"sdb\", "
		"\"offset_bytes\": 1536},"
		"	     {\"name\": \"sdc\", \"offset_bytes\": null}]},"
		" {\"name\": \"sda\", \"alignment_offset\": 0, \"chunk_bytes\": null, "
		"\"physical_block_size\": 4096, \"below\": []},"
		" {\"name\": \"sdb\", \"alignment_offset\": 3584, \"chunk_bytes\": null, "
		"\"physical_block_size\": 4096, \"below\": []}]";
	_cleanup_json_ json_t *all = js_parse(text, strlen(text), "layers", NULL),
			      *warnings = js_array();
	_cleanup_json_ json_t *more = js_array();

	layers_check(all, 64 * KIB, warnings);
	CU_ASSERT_EQUAL(json_array_size(warnings), 2);
	CU_ASSERT_STRING_EQUAL(
		json_string_value(json_array_get(warnings, 0)),
		"misaligned: dm-0 begins 1.5KiB into sdb, within a physical block of 4KiB");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(warnings, 1)),
			       "misaligned: the kernel gives sdb an alignment_offset of 3584");
	layers_check(all, 192 * KIB, more);
	CU_ASSERT_EQUAL(json_array_size(more), 3);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(json_string_value(json_array_get(more, 0)), "begins 1MiB into md0"));
}

void test_record_layers(void);

void test_record_layers(void)
{
	CU_pSuite s = CU_add_suite("record layers", NULL, NULL);

	CU_add_test(s, "partition", test_partition);
	CU_add_test(s, "loop", test_loop);
	CU_add_test(s, "md", test_md);
	CU_add_test(s, "dm tables", test_dm_parse);
	CU_add_test(s, "check", test_check);
	CU_add_test(s, "check of a stack", test_check_stack);
}
