/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/lvm: commands, labels, reports, refusals, and the way back of what was left half done. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC lvm
#include "plugins/setup/lvm.c"
#include "tests/unit/fake_host.h"

#define UUID "abcdef-ghij-klmn-opqr-stuv-wxyz-012345"

void test_plugin_lvm(void);

static void lvm_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static const struct block_members lvm_four = { { "/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd" },
					       4 };

static void test_lvm_commands(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "layout=linear", "lvm lvcreate --yes --wipesignatures y --type linear --extents "
				   "100%FREE --name trial v" },
		{ "layout=striped;stripe_size=128KiB;size=1g",
		  "lvm lvcreate --yes --wipesignatures y --type striped --stripes 4 --stripesize "
		  "131072b --size "
		  "1073741824b --name trial v" },
		{ "layout=mirror;mirror_log=core;nosync=true;region_size=1MiB",
		  "lvm lvcreate --yes --wipesignatures y --type mirror --mirrors 1 --mirrorlog "
		  "core --nosync --regionsize "
		  "1048576b --extents 100%FREE --name trial v" },
		{ "layout=mirror;mirrors=2", "lvm lvcreate --yes --wipesignatures y --type mirror "
					     "--mirrors 2 --mirrorlog disk --extents 100%FREE "
					     "--name trial v" },
		{ "layout=raid1", "lvm lvcreate --yes --wipesignatures y --type raid1 --mirrors 1 "
				  "--extents 100%FREE --name "
				  "trial v" },
		{ "layout=raid5", "lvm lvcreate --yes --wipesignatures y --type raid5 --stripes 3 "
				  "--extents 100%FREE --name "
				  "trial v" },
		{ "layout=raid10;stripes=2",
		  "lvm lvcreate --yes --wipesignatures y --type raid10 --stripes 2 --mirrors 1 "
		  "--extents 100%FREE --name trial v" },
	};
	struct block_args a;
	char text[1024];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(lvm_check(&h->ctx), 0);
		lvm_build_lvcreate(&a, h->ctx.cfg, &lvm_four, "v");
		CU_ASSERT_FALSE(a.full);
		block_join(&a, text, sizeof(text));
		lvm_expect(rows[i].params, text, rows[i].want);
		fake_host_free(h);
	}
}

/* Nothing else in the machine is looked at. */
static void test_lvm_filter(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);
	struct block_args a;
	char text[1024];

	fake_host_params(
		h, "layout=linear;metadata_size=64KiB;data_alignment=256KiB;extent_size=8MiB");
	lvm_build_pvcreate(&a, h->ctx.cfg, &lvm_four, 1, UUID);
	CU_ASSERT_PTR_NOT_NULL(strstr(a.v[3], "filter=[\"a|^/dev/sda$|\",\"a|^/dev/sdb$|\",\"a|^/"
					      "dev/sdc$|\",\"a|^/dev/sdd$|\",\"r|.*|\"]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(a.v[3], "use_devicesfile=0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(a.v[3], "backup=0 archive=0"));
	block_join(&a, text, sizeof(text));
	lvm_expect("pvcreate", text,
		   "lvm pvcreate --yes --force --force --norestorefile --uuid " UUID
		   " --metadatasize 65536b --dataalignment 262144b /dev/sdb");
	lvm_build_vgcreate(&a, h->ctx.cfg, &lvm_four, "v");
	block_join(&a, text, sizeof(text));
	lvm_expect("vgcreate", text,
		   "lvm vgcreate --yes --physicalextentsize 8388608b v /dev/sda /dev/sdb /dev/sdc "
		   "/dev/sdd");
	fake_host_free(h);
}

static void test_lvm_check(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "layout=linear;stripes=2", "stripes has no meaning with layout = linear" },
		{ "layout=raid1;mirror_log=core", "mirror_log has no meaning with layout = raid1" },
		{ "layout=striped;nosync=true", "nosync has no meaning with layout = striped" },
		{ "layout=raid5;nosync=true", "nosync: with layout = raid5 parity would be wrong" },
		{ "layout=striped;stripe_size=96KiB",
		  "stripe_size is not a power of 2, 4KiB or more" },
		{ "layout=mirror;region_size=512b",
		  "region_size is not a power of 2, 4KiB or more" },
		{ "layout=linear;metadata_size=1000",
		  "metadata_size is not a multiple of 512 bytes" },
		{ "layout=linear;size=0b", "size is 0" },
	};
	struct fake_host *h;
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		h = fake_host_new(&fstrial_plugin_lvm);
		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(lvm_check(&h->ctx), -EINVAL);
		lvm_expect(rows[i].params, h->error, rows[i].want);
		fake_host_free(h);
	}
	h = fake_host_new(&fstrial_plugin_lvm);
	fake_host_params(h, "layout=linear;devices=target.2;devices=target.1");
	CU_ASSERT_EQUAL(lvm_check(&h->ctx), 0);
	CU_ASSERT_EQUAL_FATAL(h->claims.n, 2);
	lvm_expect("claim", h->claims.v[0].value, "target.2");
	fake_host_free(h);
}

static void test_lvm_label(void)
{
	unsigned char head[4 * 512] = { 0 };
	char uuid[LVM_UUID_TEXT];

	CU_ASSERT_FALSE(lvm_label_uuid(head, sizeof(head), uuid));
	memcpy(head + 512, "LABELONE", 8);
	memcpy(head + 512 + 24, "LVM2 001", 8);
	head[512 + 20] = 32;
	memcpy(head + 512 + 32, "abcdefghijklmnopqrstuvwxyz012345", 32);
	CU_ASSERT_TRUE(lvm_label_uuid(head, sizeof(head), uuid));
	lvm_expect("uuid", uuid, UUID);
	head[512 + 21] = 2; /* a header outside of the sector */
	CU_ASSERT_FALSE(lvm_label_uuid(head, sizeof(head), uuid));
	head[512 + 21] = 0;
	head[512 + 24] = 'X';
	CU_ASSERT_FALSE(lvm_label_uuid(head, sizeof(head), uuid));
	CU_ASSERT_EQUAL(lvm_has_label("/nonexistent", UUID), 0);
}

static void test_lvm_new_uuid(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);
	char a[LVM_UUID_TEXT], b[LVM_UUID_TEXT];

	CU_ASSERT_EQUAL(lvm_new_uuid(&h->ctx, a), 0);
	CU_ASSERT_EQUAL(lvm_new_uuid(&h->ctx, b), 0);
	CU_ASSERT_EQUAL(strlen(a), strlen(UUID));
	CU_ASSERT_NOT_EQUAL(strcmp(a, b), 0);
	CU_ASSERT_EQUAL(a[6], '-');
	CU_ASSERT_EQUAL(a[31], '-');
	fake_host_free(h);
}

/* Reports as lvm 2.03.16 prints them. */
static void test_lvm_readback(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);

	fake_host_params(h, "layout=mirror");
	h->table.save(&h->ctx, "vg", "fstrial_1");
	h->table.save(&h->ctx, "pv", UUID " /dev/nonexistent");
	fake_host_command(h, 0,
			  "  trial|mirror|1|0|2|524288|4194304|335544320|100.00\n"
			  "  [trial_mimage_0]|linear|1|0|1|0|4194304|335544320|\n"
			  "  [trial_mlog]|linear|1|0|1|0|4194304|4194304|\n",
			  "");
	fake_host_command(h, 0, "  1048576|1044480\n  2097152|1044480\n", "");
	CU_ASSERT_EQUAL(lvm_readback(&h->ctx), 0);
	lvm_expect("layout", fake_host_find(&h->in_force, "layout"), "mirror");
	lvm_expect("mirrors", fake_host_find(&h->in_force, "mirrors"), "1");
	lvm_expect("stripes", fake_host_find(&h->in_force, "stripes"), NULL);
	lvm_expect("region_size", fake_host_find(&h->in_force, "region_size"), "524288");
	lvm_expect("extent_size", fake_host_find(&h->in_force, "extent_size"), "4194304");
	lvm_expect("size", fake_host_find(&h->in_force, "size"), "335544320");
	lvm_expect("synced", fake_host_find(&h->in_force, "synced"), "100.00");
	lvm_expect("mirror_log", fake_host_find(&h->in_force, "mirror_log"), "disk");
	lvm_expect("metadata_size", fake_host_find(&h->in_force, "metadata_size"), "1044480");
	lvm_expect("offsets", fake_host_find(&h->warnings, ""),
		   "data begins at 1048576 bytes on one device and at 2097152 on another");
	fake_host_free(h);
}

static void test_lvm_too_few(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);

	fake_host_params(h, "layout=raid1");
	CU_ASSERT_EQUAL(lvm_apply(&h->ctx), -EINVAL);
	lvm_expect("none", h->error, "there is no device to work on");
	fake_host_next_process(h);
	CU_ASSERT_EQUAL(lvm_say_asked(&h->ctx, h->ctx.cfg, 1), -EINVAL);
	lvm_expect("one", h->error, "layout = raid1 needs 2 devices, here is 1");
	fake_host_next_process(h);
	fake_host_param(h, "devices", "target.3");
	CU_ASSERT_EQUAL(lvm_apply(&h->ctx), -EINVAL);
	lvm_expect("no third", h->error, "devices: there is no target.3, the target has 0");
	CU_ASSERT_EQUAL(h->commands.n, 0);
	CU_ASSERT_EQUAL(h->saves.n, 0);
	fake_host_free(h);
}

/* Whatever state it is in: the group is asked for by name, devices are only touched with our label. */
static void test_lvm_revert(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);

	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	h->table.save(&h->ctx, "vg", "fstrial_1");
	h->table.save(&h->ctx, "pv", UUID " /dev/null");
	h->table.save(&h->ctx, "pv", UUID " /dev/nonexistent");
	fake_host_next_process(h);
	fake_host_command(h, 5, "",
			  "  Volume group \"fstrial_1\" not found\n  Cannot process volume group "
			  "fstrial_1\n");
	CU_ASSERT_EQUAL(h->plugin->revert(&h->ctx), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->commands.v[0].value, "lvm vgremove"));
	CU_ASSERT_PTR_NOT_NULL(strstr(h->commands.v[0].value, "\"a|^/dev/null$|\",\"r|.*|\""));
	fake_host_free(h);
}

/* As lvm 2.03.16 says why: behind its warnings, and not in words of failure. */
static void test_lvm_reason(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);
	struct block_args a = { .n = 0 };

	block_arg(&a, "lvm");
	block_arg(&a, "lvcreate");
	fake_host_command(
		h, 5, "",
		"  WARNING: New mirror won't be synchronised. Don't read what you didn't write!\n"
		"  Log type \"mirrored\" is DEPRECATED. Use RAID1 LV or disk log instead.\n");
	CU_ASSERT_EQUAL(block_run(&h->ctx, &a, NULL), -EINVAL);
	lvm_expect("reason", h->error,
		   "lvm: Log type \"mirrored\" is DEPRECATED. Use RAID1 LV or disk log instead. "
		   "(command: lvm lvcreate)");
	fake_host_next_process(h);
	fake_host_command(h, 5, "", "  WARNING: this alone\n");
	CU_ASSERT_EQUAL(block_run(&h->ctx, &a, NULL), -EINVAL);
	lvm_expect("only a warning", h->error, "lvm: WARNING: this alone (command: lvm lvcreate)");
	fake_host_free(h);
}

static void test_lvm_vg_remove(void)
{
	struct lvm_saved s = { .vg = "fstrial_1" };
	struct fake_host *h = fake_host_new(&fstrial_plugin_lvm);

	fake_host_command(h, 5, "",
			  "  Logical volume fstrial_1/trial contains a filesystem in use.\n");
	CU_ASSERT_EQUAL(lvm_vg_remove_once(&h->ctx, &s), -EBUSY);
	fake_host_next_process(h);
	fake_host_command(h, 0, "  Volume group \"fstrial_1\" successfully removed\n", "");
	CU_ASSERT_EQUAL(lvm_vg_remove_once(&h->ctx, &s), 1);
	/* a device is gone: volumes and labels are removed by other means */
	fake_host_next_process(h);
	fake_host_command(h, 5, "", "  VG fstrial_1 is missing PV x (last written to /dev/sdb).\n");
	CU_ASSERT_EQUAL(lvm_vg_remove_once(&h->ctx, &s), 0);
	CU_ASSERT_PTR_NULL(h->error);
	fake_host_free(h);
}

void test_plugin_lvm(void)
{
	CU_pSuite s = CU_add_suite("plugin lvm", NULL, NULL);

	CU_add_test(s, "lvcreate", test_lvm_commands);
	CU_add_test(s, "only these devices", test_lvm_filter);
	CU_add_test(s, "check", test_lvm_check);
	CU_add_test(s, "labels", test_lvm_label);
	CU_add_test(s, "UUIDs", test_lvm_new_uuid);
	CU_add_test(s, "readback", test_lvm_readback);
	CU_add_test(s, "too few devices", test_lvm_too_few);
	CU_add_test(s, "revert", test_lvm_revert);
	CU_add_test(s, "removing the group", test_lvm_vg_remove);
	CU_add_test(s, "reasons", test_lvm_reason);
}
