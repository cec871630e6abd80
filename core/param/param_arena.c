/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What configurations point to. */
#include "core/param/param_arena.h"

#include <stdlib.h>

#include "core/util/vec.h"

void *param_arena_add(struct param_arena *a, void *owned)
{
	vec_push(a, owned);
	return owned;
}

void param_arena_free(struct param_arena *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	vec_free(a);
}
