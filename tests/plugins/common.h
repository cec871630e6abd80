/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plugins that are wrong in one respect have in common: a workload that does nothing. */
#pragma once

#include <fstrial/plugin.h>

static inline int common_run(struct fst_worker *w)
{
	(void)w;
	return 0;
}

/* Texts that every plugin needs. */
#define COMMON_TEXTS \
	.version = "1", .summary = "For tests", .description = "For tests of the loader."

/* A descriptor of any type, exported. */
#define COMMON_EXPORT(type)                          \
	extern FST_EXPORT const type fstrial_plugin; \
	FST_EXPORT const type fstrial_plugin
