/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: growing lists of texts, and the one line of an output that says what went wrong. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <fstrial/plugin.h>

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

/* Next line of *text that is not blank, without blanks around it; false at the end. */
static inline bool exec_next_line(const char **text, char *line, size_t size)
{
	const char *p = *text, *start, *end;
	size_t len;

	while (*p) {
		len = strcspn(p, "\n");
		start = p;
		end = p + len;
		p = *end ? end + 1 : end;
		while (start < end && isspace((unsigned char)*start))
			start++;
		while (end > start && isspace((unsigned char)end[-1]))
			end--;
		if (start == end)
			continue;
		snprintf(line, size, "%.*s", (int)(end - start), start);
		*text = p;
		return true;
	}
	*text = p;
	return false;
}

static inline bool exec_names_error(const char *line)
{
	static const char *const words[] = { "error", "fatal",	 "fail",    "cannot",  "can't", "could not", "denied",
					     "no such", "not found", "invalid", "illegal", "unknown", "refused" };
	size_t i;

	if (strncasecmp(line, "warning", 7) == 0 || strncasecmp(line, "note", 4) == 0)
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

/* The first line that names an error, else the last one; false: there is none. */
static inline bool exec_best_line(const char *text, char *line, size_t size)
{
	bool any = false;

	while (exec_next_line(&text, line, size)) {
		any = true;
		if (exec_names_error(line))
			break;
	}
	return any;
}

/* Of what a program printed, the line to show when it failed. */
static inline const char *exec_message(const char *out, const char *err, char *line, size_t size)
{
	if (!exec_best_line(err, line, size) && !exec_best_line(out, line, size))
		snprintf(line, size, "it said nothing");
	return line;
}
