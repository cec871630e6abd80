/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/zram: parameters, and that only the device of its own is ever touched. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC zram
#include "plugins/setup/zram.c"
#include "tests/unit/fake_host.h"

void test_plugin_zram(void);

static void zram_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static void test_zram_check(void)
{
	static const struct {
		const char *params, *want;
	} rows[] = {
		{ "size=0b", "size is 0" },
		{ "size=1000", "size is not a multiple of 4KiB" },
		{ "size=1g;algorithm=lz4 x", "algorithm: lz4 x is none" },
		{ "size=1g;algorithm=LZ4", "algorithm: LZ4 is none" },
	};
	struct fake_host *h;
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		h = fake_host_new(&fstrial_plugin_zram);
		fake_host_params(h, rows[i].params);
		CU_ASSERT_EQUAL(zram_check(&h->ctx), -EINVAL);
		zram_expect(rows[i].params, h->error, rows[i].want);
		fake_host_free(h);
	}
	h = fake_host_new(&fstrial_plugin_zram);
	fake_host_params(h, "disksize=1g;comp_algorithm=lzo-rle;mem_limit=64MiB");
	CU_ASSERT_EQUAL(zram_check(&h->ctx), 0);
	fake_host_free(h);
}

/* Facts that fit no device: nothing is found, nothing happens. */
static void test_zram_find(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_zram);
	char name[BLOCK_NAME_MAX], list[ZRAM_MAX_LIST];
	uint64_t newest;

	CU_ASSERT_FALSE(zram_find(&h->ctx, name, sizeof(name)));
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	h->table.save(&h->ctx, "before", " ");
	h->table.save(&h->ctx, "newest", "18446744073709551614");
	CU_ASSERT_FALSE(zram_find(&h->ctx, name, sizeof(name)));
	h->table.save(&h->ctx, "zram", "zram4711");
	h->table.save(&h->ctx, "diskseq", "1");
	CU_ASSERT_FALSE(zram_find(&h->ctx, name, sizeof(name)));
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
	/* those that are there now were there before */
	zram_list(list, sizeof(list), &newest);
	CU_ASSERT_EQUAL(list[0], ' ');
	CU_ASSERT_FALSE(zram_is_nameless("zram0", " zram0 zram1 ", 0));
	CU_ASSERT_FALSE(zram_is_nameless("loop0", " ", 0));
}

/* A number that has another device now. */
static void test_zram_other(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_zram);
	char name[BLOCK_NAME_MAX], seq[32];

	if (block_sys_read("zram0", "diskseq", seq, sizeof(seq)) == 0) {
		h->table.save(&h->ctx, "zram", "zram0");
		h->table.save(&h->ctx, "diskseq", "1000000000");
		CU_ASSERT_FALSE(zram_find(&h->ctx, name, sizeof(name)));
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_TRUE(block_is_there("zram0"));
	}
	fake_host_free(h);
}

void test_plugin_zram(void)
{
	CU_pSuite s = CU_add_suite("plugin zram", NULL, NULL);

	CU_add_test(s, "check", test_zram_check);
	CU_add_test(s, "which one", test_zram_find);
	CU_add_test(s, "another one of that number", test_zram_other);
}
