/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed growing arrays: `VEC(int) v = VEC_INIT; vec_push(&v, 3); v.v[0]; vec_free(&v);` */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "core/util/xalloc.h"

#define VEC(T)             \
	struct {           \
		T *v;      \
		size_t n;  \
		size_t cap; \
	}
#define VEC_INIT { NULL, 0, 0 }

#define vec_reserve(vec, want)                                                            \
	do {                                                                              \
		if ((vec)->cap < (want)) {                                                \
			(vec)->cap = (vec)->cap * 2 > (want) ? (vec)->cap * 2 : (want);     \
			(vec)->v = xreallocarray((vec)->v, (vec)->cap, sizeof(*(vec)->v)); \
		}                                                                         \
	} while (0)

#define vec_push(vec, item)                             \
	do {                                            \
		if ((vec)->n == (vec)->cap)             \
			vec_reserve(vec, (vec)->n + 8);  \
		(vec)->v[(vec)->n++] = (item);          \
	} while (0)

/* Frees the array, not what its elements point to. */
#define vec_free(vec)                       \
	do {                                \
		free((vec)->v);             \
		(vec)->v = NULL;            \
		(vec)->n = (vec)->cap = 0;  \
	} while (0)
