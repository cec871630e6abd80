/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Were two results measured under the same conditions? Differences in what a comparison is about (the kernel, the
 * file system's tools) are only told; differences beside it (another device, other geometry, other options
 * in force, other plugin versions) make the comparison worthless unless somebody insists.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct difference {
	char *what; /* "device size" */
	char *base, *new;
	bool confounding;
};

struct differences {
	struct difference *v;
	size_t n;
	size_t confounding; /* how many are */
};

void comparable_find(const json_t *base, const json_t *new, struct differences *d);
void comparable_release(struct differences *d);
