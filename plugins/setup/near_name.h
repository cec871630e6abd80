/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file of a directory may have been meant by a name that is not there. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define NEAR_NAME_MAX 64

/* Letters to change, add or take away to make one name of the other. */
static inline unsigned int near_name_distance(const char *a, const char *b)
{
	unsigned int row[NEAR_NAME_MAX], above, here;
	size_t i, j, nb = strlen(b);

	if (nb >= NEAR_NAME_MAX)
		return 99;
	for (j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (i = 0; a[i]; i++) {
		above = row[0]++;
		for (j = 1; j <= nb; j++) {
			here = above + (a[i] != b[j - 1]);
			above = row[j];
			here = here < above + 1 ? here : above + 1;
			row[j] = here < row[j - 1] + 1 ? here : row[j - 1] + 1;
		}
	}
	return row[nb];
}

/* " (is NAME meant?)" for the nearest file of dir, "" when none is near. buf: also what is returned. */
static inline const char *near_name(const char *dir, const char *word, char *buf, size_t size)
{
	unsigned int d, best = 3;
	struct dirent *e;
	DIR *open_dir = opendir(dir);

	buf[0] = '\0';
	while (open_dir && (e = readdir(open_dir)) != NULL) {
		d = near_name_distance(word, e->d_name);
		if (d < best) {
			best = d;
			snprintf(buf, size, " (is %.*s meant?)", NEAR_NAME_MAX, e->d_name);
		}
	}
	if (open_dir)
		closedir(open_dir);
	return buf;
}
