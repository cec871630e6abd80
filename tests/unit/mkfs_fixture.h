/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the mkfs plugin share: included behind the plugin itself. */
#pragma once

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fake_host.h"

#define USAGE \
	"Usage: mkfs.xfs\n/* blocksize */\t\t[-b size=num]\n/* config file */\t[-c options=xxx]\n"

static const char *const mkfs_devices[] = { "/dev/loop9", "/dev/loop10" };

static inline struct fake_host *mkfs_host(const char *params)
{
	struct fake_host *h = fake_host_new(&FST_SYMBOL);

	fake_host_params(h, params);
	h->ctx.device = "/dev/loop9";
	h->ctx.devices = mkfs_devices;
	h->ctx.n_devices = 2;
	return h;
}

static inline void mkfs_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}
