/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the line of a tool's output that says why it refused. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Next line of *text that is not empty, without blanks around it; false at the end. */
static inline bool mkfs_next_line(const char **text, char *line, size_t size)
{
	const char *p = *text;

	while (*p) {
		size_t len = strcspn(p, "\n");
		const char *end = p + len, *start = p;

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

/* "mke2fs 1.47.0 (5-Feb-2023)" */
static inline bool mkfs_is_banner(const char *line)
{
	return strncmp(line, "mke2fs ", 7) == 0 && isdigit((unsigned char)line[7]);
}

static inline bool mkfs_names_error(const char *line, const char *program)
{
	static const char *const words[] = { "error", "fail",	 "must",    "cannot",
					     "can't", "illegal", "unknown", "invalid",
					     "bad ",  "too ",	 "not " };
	size_t i;

	if (strncasecmp(line, "warning", 7) == 0)
		return false;
	if (strncmp(line, program, strlen(program)) == 0)
		return true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

/* The best line of one text into line: one that names an error, else the first. False: no line. */
static inline bool mkfs_best_line(const char *text, const char *program, char *line, size_t size)
{
	char one[512], next[512];
	bool any = false;

	while (mkfs_next_line(&text, one, sizeof(one))) {
		bool error = mkfs_names_error(one, program);

		if (strncmp(one, "Usage:", 6) == 0)
			break;
		if (mkfs_is_banner(one) || (any && !error))
			continue;
		any = true;
		snprintf(line, size, "%s", one);
		if (!error)
			continue;
		/* a sentence that goes on in the next line */
		if (!ispunct((unsigned char)one[strlen(one) - 1]) &&
		    mkfs_next_line(&text, next, sizeof(next)) && islower((unsigned char)next[0]) &&
		    !mkfs_names_error(next, program))
			snprintf(line + strlen(line), size - strlen(line), " %s", next);
		break;
	}
	return any;
}

/* Why a tool refused, in one line, with the program's name in front. */
static inline void mkfs_message(const char *program, const char *out, const char *err, char *text,
				size_t size)
{
	char line[1024];

	if (!mkfs_best_line(err, program, line, sizeof(line)) &&
	    !mkfs_best_line(out, program, line, sizeof(line)))
		snprintf(line, sizeof(line), "it failed without a word");
	if (strncmp(line, program, strlen(program)) == 0)
		snprintf(text, size, "%s", line);
	else
		snprintf(text, size, "%s: %s", program, line);
}
