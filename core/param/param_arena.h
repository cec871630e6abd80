/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What configurations point to. */
#pragma once

#include <stddef.h>

/* Strings and lists that configurations point to; freed at once. */
struct param_arena {
	void **v;
	size_t n, cap;
};
void *param_arena_add(struct param_arena *a, void *owned);
void param_arena_free(struct param_arena *a);
