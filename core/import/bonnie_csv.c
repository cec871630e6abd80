/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that bonnie++ wrote for machines, and what copying them by hand did to them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/bonnie.h"
#include "core/import/bonnie_plain.h"
#include "core/import/bonnie_tagged.h"
#include "core/import/csv.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static char **split_row(const char *line, size_t *n)
{
	struct csv csv = { line, ',', 1 };
	struct csv_record record;

	*n = 0;
	if (csv_next(&csv, &record, NULL) != 1)
		return NULL;
	*n = record.n;
	return record.v;
}

static void free_row(char **v, size_t n)
{
	struct csv_record record = { v, n, 0 };

	csv_free(&record);
}

/* Where a row goes on in the next line, the comma at the break lost, and has all its fields then. */
static char *joined_line(const struct import_lines *lines, size_t at, size_t n, size_t fields)
{
	const char *next = at + 1 < lines->n ? lines->v[at + 1] : "";
	size_t blanks = strspn(next, " \t"), len = strlen(lines->v[at]), more;
	char *joined, **v;

	if (n + 1 >= fields || !blanks ||
	    !(isdigit((unsigned char)next[blanks]) || next[blanks] == '+'))
		return NULL;
	joined = xasprintf("%s%s%s", lines->v[at], len && lines->v[at][len - 1] == ',' ? "" : ",",
			   next + blanks);
	v = split_row(joined, &more);
	free_row(v, more);
	if (more == fields)
		return joined;
	free(joined);
	return NULL;
}

static bool is_header(char **v, size_t n)
{
	return n > 2 && ((str_eq(v[0], "name") && str_eq(v[1], "file_size")) ||
			 (str_eq(v[0], "format_version") && str_eq(v[1], "bonnie_version")));
}

static bool is_row(char **v, size_t n)
{
	return bonnie_is_tag(v[0]) ? n >= 3 : bonnie_plain_is(v, n);
}

static void take_fields(struct import *im, size_t source, unsigned line, char **v, size_t n,
			enum import_shape shape)
{
	if (bonnie_is_tag(v[0]))
		bonnie_tagged_add(im, source, line, v, n, shape);
	else
		bonnie_plain_add(im, source, line, v, n, shape);
}

/* How many lines it took. */
static size_t take_row(struct import *im, size_t source, const struct import_lines *lines,
		       size_t at, char **v, size_t n)
{
	const size_t fields = bonnie_is_tag(v[0]) ? bonnie_tagged_fields(v[0]) : BONNIE_FIELDS;
	_cleanup_free_ char *joined = joined_line(lines, at, n, fields);
	unsigned line = (unsigned)at + 1;
	char **whole;

	if (!joined) {
		take_fields(im, source, line, v, n, IMPORT_PLAIN);
		return 1;
	}
	import_find(im, IMPORT_NOTE, source, line, "the row goes on in line %u: joined", line + 1);
	whole = split_row(joined, &n);
	take_fields(im, source, line, whole, n, IMPORT_JOINED);
	free_row(whole, n);
	return 2;
}

size_t bonnie_csv_lines(struct import *im, size_t source, const struct import_lines *lines,
			size_t at)
{
	size_t n, taken = 0;
	char **v = split_row(lines->v[at], &n);

	if (is_header(v, n))
		taken = 1;
	else if (n && is_row(v, n))
		taken = take_row(im, source, lines, at, v, n);
	free_row(v, n);
	return taken;
}
