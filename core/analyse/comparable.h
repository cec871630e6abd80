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

#include "core/util/strmap.h"

/* One condition. Texts are of a pool, so that equal ones are the same pointer. */
struct fact {
	const char *variant; /* NULL: of the whole result */
	const char *what;    /* "size of target" */
	const char *text;
	bool confounding;
};

struct facts {
	struct fact *v;
	size_t n, cap;
};

/* Texts are the pool's already. */
void facts_put(struct facts *f, const char *variant, const char *what, const char *text, bool confounding);
/* Conditions of the whole result: environment, session and plugins, each as in a result document. */
void facts_add_result(struct facts *f, struct strmap *pool, const json_t *environment, const json_t *session,
		      const json_t *plugins);
/* The text of a condition of the whole result; NULL where it is not known. */
const char *facts_find(const struct facts *f, const char *what);
void facts_release(struct facts *f);

struct difference {
	char *what; /* "size of target", "3 variants (x=1, x=2, ...): file system's agcount" */
	char *base, *new;
	bool confounding;
};

struct differences {
	struct difference *v;
	size_t n;
	size_t confounding; /* how many are */
};

/* Of one pool. A variant that only one side has is no difference. */
void comparable_find(const struct facts *base, const struct facts *new, struct differences *d);
void comparable_release(struct differences *d);
