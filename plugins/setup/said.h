/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program printed: its lines, and the one of them that says why it failed. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Next line of *text that is not blank, without blanks around it; false at the end. */
static inline bool said_next_line(const char **text, char *line, size_t size)
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

static inline bool said_is_remark(const char *line)
{
	return strncasecmp(line, "warning", 7) == 0 || strncasecmp(line, "note", 4) == 0;
}

static inline bool said_names_error(const char *line)
{
	static const char *const words[] = { "error", "fatal",	 "fail",    "cannot",  "can't", "could not", "denied",
					     "no such", "not found", "invalid", "illegal", "unknown", "refused" };
	size_t i;

	if (said_is_remark(line))
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

/* The first line that names an error, else the last one; false: there is none. */
static inline bool said_best_line(const char *text, char *line, size_t size)
{
	bool any = false;

	while (said_next_line(&text, line, size)) {
		any = true;
		if (said_names_error(line))
			break;
	}
	return any;
}

/* Of what a program printed, the line to show when it failed. */
static inline const char *said_message(const char *out, const char *err, char *line, size_t size)
{
	if (!said_best_line(err, line, size) && !said_best_line(out, line, size))
		snprintf(line, size, "it said nothing");
	return line;
}
