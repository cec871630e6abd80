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
	"mdadm --create /dev/md/n --config=none --homehost=any --name=n --uuid=" UUID \
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
		md_build_create(&h->ctx, &a, h->ctx.cfg, &m, "n", UUID);
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
	CU_add_test(s, "revert", test_md_revert);
	CU_add_test(s, "refusals", test_md_refuses);
	CU_add_test(s, "members", test_md_members);
}
