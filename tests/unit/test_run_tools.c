/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions out of what programs print. */
#include <stdlib.h>

#include <CUnit/CUnit.h>

#include "core/run/tools.h"
#include "core/util/macro.h"

void test_run_tools(void);

static void test_parse_version(void)
{
	static const struct {
		const char *text, *version;
	} cases[] = {
		{ "mkfs.xfs version 6.1.0\n", "6.1.0" },
		{ "mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n", "1.47.0" },
		{ "mkfs.btrfs, part of btrfs-progs v6.2\n", "6.2" },
		{ "  LVM version:     2.03.16(2) (2022-05-18)\n", "2.03.16" },
		{ "mdadm - v4.2 - 2021-12-30 - Debian 4.2-5\n", "4.2" },
		{ "no number here\n", NULL },
		{ "42\n", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *v = tools_parse_version(cases[i].text);

		if (cases[i].version) {
			CU_ASSERT_PTR_NOT_NULL(v);
			CU_ASSERT_STRING_EQUAL(v ? v : "", cases[i].version);
		} else {
			CU_ASSERT_PTR_NULL(v);
		}
		free(v);
	}
}

void test_run_tools(void)
{
	CU_pSuite s = CU_add_suite("run/tools", NULL, NULL);

	CU_ADD_TEST(s, test_parse_version);
}
