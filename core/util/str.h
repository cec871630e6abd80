/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small string helpers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/util/macro.h"

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* Cuts white space at both ends, in place; returns the first kept character. */
char *str_trim(char *s);
/*
 * Splits at any of seps into trimmed, non-empty parts. Returns a NULL-terminated array that the
 * caller frees with str_freev(); *n (may be NULL) is the count.
 */
char **str_split(const char *s, const char *seps, size_t *n) _must_check_;
void str_freev(char **v);
/*
 * The name nearest to word by edit distance (insert, delete, replace, swap of neighbours), or NULL
 * when none is near enough to be a typing error (more than a third of its length, at least 1, off).
 */
const char *str_nearest(const char *word, const char *const *names, size_t n);
