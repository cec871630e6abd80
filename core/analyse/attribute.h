/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the same measurement was made on several file systems, or on the raw device too: did one change alone, or
 * all of them?
 */
#pragma once

#include <stddef.h>

#include "core/analyse/verdict.h"

struct attribution {
	char **lines; /* "write.throughput bs=4KiB: xfs alone got worse (-12.1 %), ..." */
	size_t n;
};

/* Nothing where there is but one kind of file system, or no verdict of a change. */
void attribute_find(const struct comparison *v, size_t n, struct attribution *a);
void attribute_release(struct attribution *a);
