/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: growing lists of texts. */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "said.h"

/* NULL-terminated once there is anything in it. */
struct exec_words {
	char **v;
	size_t n;
};

/* Takes text; NULL is an earlier allocation that failed. */
static inline int exec_words_take(struct exec_words *w, char *text)
{
	char **v = text ? realloc(w->v, (w->n + 2) * sizeof(*v)) : NULL;

	if (!v) {
		free(text);
		return -ENOMEM;
	}
	w->v = v;
	v[w->n++] = text;
	v[w->n] = NULL;
	return 0;
}

static inline int FST_PRINTF(2, 3) exec_words_add(struct exec_words *w, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return exec_words_take(w, n < 0 ? NULL : text);
}

static inline void exec_words_free(struct exec_words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	w->v = NULL;
	w->n = 0;
}
