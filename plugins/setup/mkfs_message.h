/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the line of a tool's output that says why it refused. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "said.h"

/* "mke2fs 1.47.0 (5-Feb-2023)" */
static inline bool mkfs_is_banner(const char *line)
{
	return strncmp(line, "mke2fs ", 7) == 0 && isdigit((unsigned char)line[7]);
}

/* These tools say it in words that others use of other things. */
static inline bool mkfs_names_error(const char *line, const char *program)
{
	static const char *const words[] = { "must", "bad ", "too ", "not " };
	size_t i;

	if (said_is_remark(line))
		return false;
	if (strncmp(line, program, strlen(program)) == 0)
		return true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(line, words[i]))
			return true;
	return said_names_error(line);
}

/* "/usr/sbin/mkfs.btrfs: unrecognized option": without the directory. */
static inline const char *mkfs_skip_path(const char *line, const char *program)
{
	size_t len = line[0] == '/' ? strcspn(line, ": ") : 0, name = strlen(program);

	return len > name && line[len] == ':' && line[len - name - 1] == '/' &&
			       strncmp(line + len - name, program, name) == 0
		       ? line + len - name
		       : line;
}

/* The best line of one text into line: one that names an error, else the first. False: no line. */
static inline bool mkfs_best_line(const char *text, const char *program, char *line, size_t size)
{
	char all[512], next[512];
	bool any = false;

	while (said_next_line(&text, all, sizeof(all))) {
		const char *one = mkfs_skip_path(all, program);
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
		    said_next_line(&text, next, sizeof(next)) && islower((unsigned char)next[0]) &&
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
