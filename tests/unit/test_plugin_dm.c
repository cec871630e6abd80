/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/dm: tables, refusals, and the way back of what was left half done. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC dm
#include "plugins/setup/dm.c"
#include "tests/unit/fake_host.h"

void test_plugin_dm(void);

static void dm_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static void test_dm_tables(void)
{
	static const struct {
		const char *params;
		uint64_t offset, length;
		const char *want;
	} rows[] = {
		{ "type=delay;read_delay=5ms;write_delay=10ms", 0, 1 << 20,
		  "0 2048 delay 8:0 0 5 8:0 0 10 8:0 0 0" },
		{ "type=delay;flush_delay=1s", 1 << 20, 1 << 20,
		  "0 2048 delay 8:0 2048 0 8:0 2048 0 8:0 2048 1000" },
		{ "type=flakey;up=60s;down=5s", 0, 1 << 20, "0 2048 flakey 8:0 0 60 5" },
		{ "type=flakey;up=0s;when_down=drop_writes", 0, 1 << 20,
		  "0 2048 flakey 8:0 0 0 1 1 drop_writes" },
		{ "type=flakey;when_down=error_writes", 0, 1 << 20,
		  "0 2048 flakey 8:0 0 10 1 1 error_writes" },
		{ "type=error;error_offset=512KiB;error_length=4KiB", 0, 1 << 20,
		  "0 1024 linear 8:0 0; 1024 8 error; 1032 1016 linear 8:0 1032" },
		{ "type=error;error_offset=512KiB", 0, 1 << 20,
		  "0 1024 linear 8:0 0; 1024 1024 error" },
		{ "type=error;error_length=4KiB", 1 << 20, 1 << 20,
		  "0 8 error; 8 2040 linear 8:0 2056" },
		{ "type=error", 0, 1 << 20, "0 2048 error" },
		{ "type=error;error_offset=1020KiB;error_length=1g", 0, 1 << 20,
		  "0 2040 linear 8:0 0; 2040 8 error" },
		{ "type=linear", 4096, 8192, "0 16 linear 8:0 8" },
	};
	char table[DM_MAX_TABLE], plain[DM_MAX_TABLE];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_dm);
		struct dm_part part = { "8:0", rows[i].offset, rows[i].length };

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(dm_check(&h->ctx), 0);
		dm_build_table(table, sizeof(table), h->ctx.cfg, &part);
		dm_plain_table(table, plain, sizeof(plain));
		dm_expect(rows[i].params, plain, rows[i].want);
		fake_host_free(h);
	}
}

/* As Linux 6.1 prints them. */
static void test_dm_shown(void)
{
	char plain[DM_MAX_TABLE];

	dm_plain_table("0 819200 flakey 98:0 0 60 1 0 \n", plain, sizeof(plain));
	dm_expect("no features", plain, "0 819200 flakey 98:0 0 60 1");
	dm_plain_table("0 819200 flakey 98:0 0 0 1 1 drop_writes \n", plain, sizeof(plain));
	dm_expect("one feature", plain, "0 819200 flakey 98:0 0 0 1 1 drop_writes");
	dm_plain_table("0 8 linear 98:0 0\n8 8 error \n", plain, sizeof(plain));
	dm_expect("two lines", plain, "0 8 linear 98:0 0; 8 8 error");
	dm_plain_table("0 8 linear 98:0 0", plain, sizeof(plain));
	dm_expect("linear from 0", plain, "0 8 linear 98:0 0");
	dm_plain_table("", plain, sizeof(plain));
	dm_expect("nothing", plain, "");
}

static void test_dm_check(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "type=linear;read_delay=5ms", "read_delay is for type = delay, not linear" },
		{ "type=delay;up=5s", "up is for type = flakey, not delay" },
		{ "type=flakey;error_length=4KiB", "error_length is for type = error, not flakey" },
		{ "type=delay;read_delay=1500us",
		  "read_delay: the device mapper takes whole milliseconds" },
		{ "type=flakey;up=1500ms", "up: the device mapper takes whole seconds" },
		{ "type=flakey;up=0s;down=0s", "up and down: one of them has to be longer than 0" },
		{ "type=linear;size=1000", "size is not a multiple of 512 bytes" },
		{ "type=error;error_length=0b", "error_length is 0: nothing would fail" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_dm);

		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(dm_check(&h->ctx), -EINVAL);
		dm_expect(rows[i].params, h->error, rows[i].want);
		fake_host_free(h);
	}
}

static void test_dm_apply_refuses(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_dm);

	fake_host_param(h, "type", "linear");
	CU_ASSERT_EQUAL(dm_apply(&h->ctx), -EINVAL);
	dm_expect("no device", h->error, "there is no device to put a linear device over");
	fake_host_next_process(h);
	h->ctx.device = "/dev/null";
	CU_ASSERT_EQUAL(dm_apply(&h->ctx), -ENOTBLK);
	CU_ASSERT_EQUAL(h->saves.n, 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	fake_host_free(h);
}

/* Only what has both our name and our UUID is removed. */
static void test_dm_remove(void)
{
	static char name[] = "fstrial-0123456789abcdef";
	struct fake_host *h = fake_host_new(&fstrial_plugin_dm);

	fake_host_command(h, 1, "", "Device does not exist.\n");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), 0);
	CU_ASSERT_EQUAL(h->commands.n, 1);
	fake_host_next_process(h);
	fake_host_command(h, 0, "LVM-somebody-else\n", "");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), 0);
	CU_ASSERT_EQUAL(h->commands.n, 1);
	fake_host_next_process(h);
	fake_host_command(h, 0, "fstrial-0123456789abcdef-2\n", "");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), 0);
	CU_ASSERT_EQUAL(h->commands.n, 1);
	fake_host_next_process(h);
	fake_host_command(h, 0, "fstrial-0123456789abcdef\n", "");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 2);
	dm_expect("command", h->commands.v[1].value, "dmsetup remove fstrial-0123456789abcdef");
	fake_host_next_process(h);
	fake_host_command(h, 0, "fstrial-0123456789abcdef\n", "");
	fake_host_command(h, 1, "",
			  "device-mapper: remove ioctl on x  failed: Device or resource busy\n");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), -EBUSY);
	CU_ASSERT_PTR_NULL(h->error);
	fake_host_next_process(h);
	fake_host_command(h, 0, "fstrial-0123456789abcdef\n", "");
	fake_host_command(h, 1, "", "something else failed\n");
	CU_ASSERT_EQUAL(dm_remove_once(&h->ctx, name), -EINVAL);
	dm_expect("reason", h->error,
		  "dmsetup: something else failed (command: dmsetup remove "
		  "fstrial-0123456789abcdef)");
	fake_host_free(h);
}

static void test_dm_revert_of_nothing(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_dm);

	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	fake_host_free(h);
}

void test_plugin_dm(void)
{
	CU_pSuite s = CU_add_suite("plugin dm", NULL, NULL);

	CU_add_test(s, "tables", test_dm_tables);
	CU_add_test(s, "tables as shown", test_dm_shown);
	CU_add_test(s, "check", test_dm_check);
	CU_add_test(s, "apply without a device", test_dm_apply_refuses);
	CU_add_test(s, "removing", test_dm_remove);
	CU_add_test(s, "revert of nothing", test_dm_revert_of_nothing);
}
