/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: an argument list under construction. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MKFS_MAX_ARGS 96
#define MKFS_MAX_TEXT 8192

/* All text is in `text`. */
struct mkfs_args {
	const char *v[MKFS_MAX_ARGS + 1];
	size_t n;
	char text[MKFS_MAX_TEXT];
	size_t used;
	bool full;
};

static inline void mkfs_arg_start(struct mkfs_args *a)
{
	if (a->n == MKFS_MAX_ARGS)
		a->full = true;
	else
		a->v[a->n++] = a->text + a->used;
}

static inline void mkfs_arg_text(struct mkfs_args *a, const char *text)
{
	size_t len = strlen(text);

	if (a->used + len + 1 >= sizeof(a->text)) {
		a->full = true;
		return;
	}
	memcpy(a->text + a->used, text, len);
	a->used += len;
}

static inline void mkfs_arg_end(struct mkfs_args *a)
{
	a->text[a->used++] = '\0';
	if (a->used >= sizeof(a->text) - 1)
		a->full = true;
	a->v[a->n] = NULL;
}

static inline void mkfs_arg(struct mkfs_args *a, const char *text)
{
	if (a->full)
		return;
	mkfs_arg_start(a);
	mkfs_arg_text(a, text);
	mkfs_arg_end(a);
}

/* An option with its value, or neither. */
static inline void mkfs_arg_pair(struct mkfs_args *a, const char *option, const char *value)
{
	if (!value)
		return;
	mkfs_arg(a, option);
	mkfs_arg(a, value);
}

/*
 * Splits at blanks; in single or double quotes everything is taken as it is, a backslash takes
 * the next character. -EINVAL when a quote is not closed.
 */
static inline int mkfs_split(struct mkfs_args *a, const char *p)
{
	char quote = 0, one[2] = "";
	bool in = false;

	for (; *p && !a->full; p++) {
		if (!quote && (*p == ' ' || *p == '\t' || *p == '\n')) {
			if (in)
				mkfs_arg_end(a);
			in = false;
			continue;
		}
		if (!in)
			mkfs_arg_start(a);
		in = true;
		if (*p == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (*p == '\'' || *p == '"')) {
			quote = *p;
			continue;
		}
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		one[0] = *p;
		mkfs_arg_text(a, one);
	}
	if (in && !a->full)
		mkfs_arg_end(a);
	return quote ? -EINVAL : a->full ? -E2BIG : 0;
}
