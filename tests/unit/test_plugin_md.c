/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/md: the command, refusals, whose array and superblock it is. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC md
#include "plugins/setup/md.c"
#include "tests/unit/fake_host.h"

#define UUID "01234567:89abcdef:01234567:89abcdef"

void test_plugin_md(void);

static void md_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static void test_md_command(void)
{
#define MD_BEGIN                                                                      \
	"mdadm --create /dev/md600 --config=none --homehost=any --name=n --uuid=" UUID \
	" --run --level="
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "level=0;chunk=64KiB", MD_BEGIN
		  "raid0 --metadata=1.2 --chunk=64K --raid-devices=3 /dev/sda /dev/sdb /dev/sdc" },
		{ "level=raid1;spares=1;assume_clean=true",
		  MD_BEGIN "raid1 --metadata=1.2 --bitmap=none --assume-clean --raid-devices=2 "
			   "--spare-devices=1 "
			   "/dev/sda /dev/sdb /dev/sdc" },
		{ "level=1;bitmap=internal;bitmap_chunk=64MiB;write_mostly=target.2;write_behind="
		  "256;metadata=1.0",
		  MD_BEGIN
		  "raid1 --metadata=1.0 --bitmap=internal --bitmap-chunk=65536K --write-behind=256 "
		  "--raid-devices=3 /dev/sda /dev/sdc --write-mostly /dev/sdb" },
		{ "level=5;layout=left-asymmetric;data_offset=2MiB;size=1g", MD_BEGIN
		  "raid5 --metadata=1.2 --layout=left-asymmetric --bitmap=none --size=1048576K "
		  "--data-offset=2048K --force --raid-devices=3 /dev/sda /dev/sdb /dev/sdc" },
		{ "level=raid10;layout=f2",
		  MD_BEGIN "raid10 --metadata=1.2 --layout=f2 --bitmap=none --raid-devices=3 "
			   "/dev/sda /dev/sdb "
			   "/dev/sdc" },
	};
	static const char *const devices[] = { "/dev/sda", "/dev/sdb", "/dev/sdc" };
	struct block_members m = { { devices[0], devices[1], devices[2] }, 3 };
	struct block_args a;
	char text[1024];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_md);

		h->ctx.devices = devices;
		h->ctx.n_devices = 3;
		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(md_check(&h->ctx), 0);
		md_build_create(&h->ctx, &a, h->ctx.cfg, &m, "md600", "n", UUID);
		CU_ASSERT_FALSE(a.full);
		block_join(&a, text, sizeof(text));
		md_expect(rows[i].params, text, rows[i].want);
		fake_host_free(h);
	}
}

static void test_md_check(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "level=raid1;chunk=64KiB", "chunk has no meaning with level = raid1" },
		{ "level=0;bitmap=internal", "bitmap has no meaning with level = raid0" },
		{ "level=raid5;write_mostly=target.1",
		  "write_mostly has no meaning with level = raid5" },
		{ "level=linear;assume_clean=true",
		  "assume_clean has no meaning with level = linear" },
		{ "level=5;chunk=96KiB", "chunk is not a power of 2" },
		{ "level=0;chunk=2KiB", "chunk is smaller than 4KiB" },
		{ "level=0;chunk=1000", "chunk is not a multiple of 1KiB" },
		{ "level=0;metadata=2.0", "metadata is 0.90, 1.0, 1.1 or 1.2, not 2.0" },
		{ "level=5;layout=left symmetric", "layout: left symmetric is none" },
		{ "level=1;metadata=0.90;data_offset=1MiB",
		  "data_offset: with metadata 0.90 data begins at 0" },
		{ "level=1;bitmap_chunk=64MiB", "bitmap_chunk needs bitmap = internal" },
		{ "level=1;write_behind=256",
		  "write_behind needs bitmap = internal and write_mostly" },
		{ "level=1;sync_speed_min=2MiB;sync_speed_max=1MiB",
		  "sync_speed_min is above sync_speed_max" },
		{ "level=1;size=0b", "size is 0" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_md);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(md_check(&h->ctx), -EINVAL);
		md_expect(rows[i].params, h->error, rows[i].want);
		fake_host_free(h);
	}
}

static void test_md_estimate(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	struct fst_estimate est = { .struct_size = sizeof(est) };

	fake_host_params(h, "level=raid1;spares=1");
	fake_host_fact(h, "target.count", "2");
	fake_host_fact(h, "target.size", "1000");
	CU_ASSERT_EQUAL(md_estimate(&h->ctx, &est), 0);
	md_expect("warning", fake_host_find(&h->warnings, ""),
		  "level = raid1 needs 3 devices, the target has 2");
	CU_ASSERT_EQUAL(est.bytes_written, 1000);
	fake_host_free(h);
}

static void test_md_uuid(void)
{
	static const struct {
		int exit_status;
		const char *out;
		int want;
	} rows[] = {
		{ 0, "MD_LEVEL=raid1\nMD_UUID=" UUID "\nMD_EVENTS=17\n", 1 },
		{ 0, "MD_UUID=" UUID, 1 },
		{ 0, "MD_UUID=" UUID "0\n", 0 },
		{ 0, "MD_UUID=76543210:89abcdef:01234567:89abcdef\n", 0 },
		{ 1, "", 0 },
	};
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		fake_host_next_process(h);
		fake_host_command(h, rows[i].exit_status, rows[i].out, "");
		CU_ASSERT_EQUAL(md_shows_uuid(&h->ctx, "--examine", "/dev/null", UUID),
				rows[i].want);
	}
	fake_host_free(h);
}

/* A device that is gone, or that carries another array's superblock, is left alone. */
static void test_md_revert(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	size_t i;

	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	h->table.save(&h->ctx, "uuid", UUID);
	h->table.save(&h->ctx, "member", "/dev/nonexistent");
	h->table.save(&h->ctx, "member", "/dev/null");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	for (i = 0; i < h->commands.n; i++) {
		CU_ASSERT_PTR_NULL(strstr(h->commands.v[i].value, "--zero-superblock"));
		CU_ASSERT_PTR_NULL(strstr(h->commands.v[i].value, "--stop"));
	}
	fake_host_free(h);
}

/* A name that nothing has, from any number on. */
static void test_md_name(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	static const struct {
		uint32_t chance;
		const char *want;
	} rows[] = {
		{ 0, "md512" },
		{ MD_NUMBERS - 1, "md4607" },
		{ MD_NUMBERS, "md512" },
		{ UINT32_MAX, "md4607" },
	};
	char array[MD_ARRAY_TEXT];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		CU_ASSERT_EQUAL(md_take_name(&h->ctx, rows[i].chance, array), 0);
		md_expect("name", array, rows[i].want);
	}
	fake_host_free(h);
}

/* A disk is known by its number as long as that holds, or by what lasts. */
static void test_md_disk(void)
{
	static const struct {
		const char *saved, *now;
		bool same;
	} rows[] = {
		{ "0 7@boot wwid:naa.1", "0 9@later wwid:naa.1", true },
		{ "0 7@boot wwid:naa.1", "0 9@boot wwid:naa.2", false },
		{ "0 7@boot wwid:naa.1", "0 9@boot ", false },
		{ "0 7@boot wwid:naa.1", "0 -@boot wwid:naa.1", true },
		{ "0 7@boot file:/renamed", "0 7@boot file:/a", true },
		{ "0 7@boot wwid:naa.1", "1 7@boot wwid:naa.1", false },
		{ "1 7@boot wwid:naa.1", "11 7@boot wwid:naa.1", false },
		{ "0 7@boot ", "0 7@boot ", true },
		{ "0 7@boot ", "0 7@later ", false },
		{ "0 7@boot ", "0 8@boot ", false },
		{ "0 7@boot ", "0 9@boot wwid:naa.1", false },
		{ "0 7@boot ", "0 77@boot ", false },
		{ "0 -@boot ", "0 -@boot ", false },
		{ "0 7@boot file:/a b", "0 8@boot file:/a b", true },
		{ "0 7@boot file:/a b", "0 8@boot file:/a c", false },
		{ "", "", false },
	};
	static const struct {
		const char *text, *want;
	} images[] = {
		{ "0 7@boot file:/tmp/a b", "/tmp/a b" },
		{ "1 7@boot file:/tmp/a", NULL },
		{ "0 7@boot wwid:file:/a", NULL },
		{ "0 7@boot ", NULL },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++)
		if (block_disk_is(rows[i].saved, rows[i].now) != rows[i].same) {
			fprintf(stderr, "'%s' and '%s'\n", rows[i].saved, rows[i].now);
			CU_FAIL("the same disk?");
		}
	for (i = 0; i < FST_COUNT(images); i++)
		md_expect(images[i].text, block_disk_image(images[i].text), images[i].want);
}

/* Facts as two applies would have left them; the last one was cut short between its two. */
static void test_md_disks(void)
{
	static const char *const facts[][2] = {
		{ "uuid", UUID },	{ "member", "/dev/old" }, { "disk", "0 1@b " },
		{ "member", "/dev/one" }, { "disk", "0 2@b " },	   { "member", "/dev/two" },
		{ "disk", "0 3@b " },
	};
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	struct md_saved s;
	size_t i;

	for (i = 0; i < FST_COUNT(facts); i++)
		h->table.save(&h->ctx, facts[i][0], facts[i][1]);
	CU_ASSERT_EQUAL(md_get_saved(&h->ctx, &s), 0);
	CU_ASSERT_EQUAL_FATAL(s.members.n, 3);
	md_expect("two", s.disks.text[0], "0 2@b ");
	md_expect("one", s.disks.text[1], "0 1@b ");
	md_expect("old", s.disks.text[2], NULL);
	fake_host_free(h);
}

/* Superblocks as mdadm 4.2 writes them, in images of 1 MiB. */
static void test_md_super(void)
{
	static const unsigned char magic[] = { 0xfc, 0x4e, 0x2b, 0xa9 };
	static const unsigned char plain[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					       0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	static const unsigned char first[] = { 0x67, 0x45, 0x23, 0x01 };
	static const unsigned char rest[] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45,
					      0x23, 0x01, 0xef, 0xcd, 0xab, 0x89 };
	static const struct {
		off_t at;
		bool old, want;
	} rows[] = {
		{ 4096, false, true },	{ 0, false, true },	     { 1048576 - 8192, false, true },
		{ 8192, false, false }, { 1048576 - 65536, true, true }, { 4096, true, false },
	};
	char image[] = "/tmp/fstrial-md-XXXXXX";
	int fd = mkstemp(image);
	size_t i;

	CU_ASSERT_FATAL(fd >= 0);
	for (i = 0; i < FST_COUNT(rows); i++) {
		bool wrote = ftruncate(fd, 0) == 0 && ftruncate(fd, 1048576) == 0 &&
			     pwrite(fd, magic, 4, rows[i].at) == 4;

		if (rows[i].old)
			wrote = wrote && pwrite(fd, first, 4, rows[i].at + 20) == 4 &&
				pwrite(fd, rest, 12, rows[i].at + 52) == 12;
		else
			wrote = wrote && pwrite(fd, plain, 16, rows[i].at + 16) == 16;
		CU_ASSERT_TRUE(wrote);
		CU_ASSERT_EQUAL(md_super_in(image, UUID), rows[i].want);
		CU_ASSERT_FALSE(md_super_in(image, "01234567:89abcdef:01234567:89abcdee"));
	}
	close(fd);
	unlink(image);
	CU_ASSERT_FALSE(md_super_in(image, UUID));
}

/* The loop is detached: the superblock is taken from its image, when that is there. */
static void test_md_image(void)
{
	static const unsigned char super[] = "\xfc\x4e\x2b\xa9............"
					     "\x01\x23\x45\x67\x89\xab\xcd\xef"
					     "\x01\x23\x45\x67\x89\xab\xcd\xef"
					     "................................";
	char image[] = "/tmp/fstrial-md-XXXXXX", disk[64], zero[96];
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	struct md_saved s;
	int fd = mkstemp(image);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, super, MD_SUPER_BYTES), MD_SUPER_BYTES);
	close(fd);
	snprintf(disk, sizeof(disk), "0 -@boot file:%s", image);
	h->table.save(&h->ctx, "uuid", UUID);
	h->table.save(&h->ctx, "disk", disk);
	h->table.save(&h->ctx, "member", "/dev/nonexistent");
	CU_ASSERT_EQUAL(md_get_saved(&h->ctx, &s), 0);
	CU_ASSERT_EQUAL(md_zero_all(&h->ctx, &s), -EIO); /* the tool of this test takes nothing */
	CU_ASSERT_EQUAL_FATAL(h->commands.n, MD_TRIES);
	snprintf(zero, sizeof(zero), "mdadm --zero-superblock %s", image);
	md_expect("zero", h->commands.v[0].value, zero);
	CU_ASSERT_EQUAL(h->warnings.n, 0);
	unlink(image);
	fake_host_next_process(h);
	CU_ASSERT_EQUAL(md_zero_all(&h->ctx, &s), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	CU_ASSERT_EQUAL(h->warnings.n, 0);
	fake_host_free(h);
}

/* A disk that is nowhere is named, with what to type should it come back. */
static void test_md_lost(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);

	h->table.save(&h->ctx, "uuid", UUID);
	h->table.save(&h->ctx, "disk", "0 -@boot wwid:naa.none");
	h->table.save(&h->ctx, "member", "/dev/nonexistent");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	md_expect("lost", fake_host_find(&h->warnings, ""),
		  "/dev/nonexistent is not there; should it come back as part of the array " UUID
		  ", type: mdadm --zero-superblock DEVICE");
	/* something else has its superblock */
	fake_host_next_process(h);
	fake_host_command(h, 0, "MD_UUID=" UUID "\n", "");
	CU_ASSERT_EQUAL(md_lost_on(&h->ctx, "sdz", "/dev/sdz",
				   &(struct md_saved){ .uuid = UUID }),
			-EEXIST);
	md_expect("another", h->error,
		  "/dev/sdz has a superblock of the array " UUID
		  ", and nothing tells that it is the disk that was used; if it is, type: "
		  "mdadm --zero-superblock /dev/sdz");
	fake_host_free(h);
}

static void test_md_refuses(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);

	fake_host_params(h, "level=6");
	CU_ASSERT_EQUAL(md_say_asked(&h->ctx, h->ctx.cfg, 3), -EINVAL);
	md_expect("too few", h->error, "level = raid6 needs 4 devices, here are 3");
	fake_host_next_process(h);
	CU_ASSERT_EQUAL(md_apply(&h->ctx), -EINVAL);
	md_expect("none", h->error, "there is no device to work on");
	fake_host_next_process(h);
	h->no_tools = true;
	CU_ASSERT_EQUAL(md_probe(&h->ctx), -EOPNOTSUPP);
	md_expect("tool", h->error, "mdadm is not installed: install the package mdadm");
	fake_host_free(h);
}

static void test_md_members(void)
{
	static const char *const targets[] = { "/dev/nonexistent1", "/dev/nonexistent2" };
	struct fake_host *h = fake_host_new(&fstrial_plugin_md);
	const struct fst_list none = { 0, NULL };
	struct block_members m;

	h->ctx.devices = targets;
	h->ctx.n_devices = 2;
	h->ctx.device = targets[0];
	(void)block_members_find(&h->ctx, &none, &m);
	CU_ASSERT_EQUAL_FATAL(m.n, 2);
	md_expect("second", m.v[1], targets[1]);
	/* made by a step before */
	fake_host_next_process(h);
	h->ctx.device = "/dev/nonexistent3";
	(void)block_members_find(&h->ctx, &none, &m);
	CU_ASSERT_EQUAL_FATAL(m.n, 1);
	md_expect("made before", m.v[0], "/dev/nonexistent3");
	fake_host_next_process(h);
	fake_host_params(h, "level=1;devices=target.2;devices=target.2");
	CU_ASSERT_EQUAL(block_members_find(&h->ctx, &((const struct md_cfg *)h->ctx.cfg)->devices,
					   &m),
			-EINVAL);
	md_expect("twice", h->error, "devices: /dev/nonexistent2 is named twice");
	fake_host_free(h);
}

void test_plugin_md(void)
{
	CU_pSuite s = CU_add_suite("plugin md", NULL, NULL);

	CU_add_test(s, "mdadm --create", test_md_command);
	CU_add_test(s, "check", test_md_check);
	CU_add_test(s, "estimate", test_md_estimate);
	CU_add_test(s, "UUIDs", test_md_uuid);
	CU_add_test(s, "name", test_md_name);
	CU_add_test(s, "revert", test_md_revert);
	CU_add_test(s, "the same disk", test_md_disk);
	CU_add_test(s, "members and their disks", test_md_disks);
	CU_add_test(s, "superblocks in images", test_md_super);
	CU_add_test(s, "the image of a loop", test_md_image);
	CU_add_test(s, "disks that are gone", test_md_lost);
	CU_add_test(s, "refusals", test_md_refuses);
	CU_add_test(s, "members", test_md_members);
}
