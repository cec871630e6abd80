/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text with ${} in it, piece by piece: what looks at them and what puts values in share this. */
#pragma once

#include <stddef.h>

#include "core/util/macro.h"

#define SUBST_NAME_MAX 128
#define SUBST_DEPTH_MAX 32
#define SUBST_REFS_MAX 10000
#define SUBST_TEXT_MAX 65536

/* One piece of a text. */
struct subst_piece {
	const char *s; /* plain text, when name is empty */
	size_t len;
	char name[SUBST_NAME_MAX];
};

/* The next piece of *text, which moves on. 1; 0 at its end; -EINVAL with the reason in *why. */
int subst_next(const char **text, struct subst_piece *p, const char **why) _must_check_;
