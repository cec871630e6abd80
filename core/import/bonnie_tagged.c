/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of bonnie++ whose first field says their format: 1.93 and later. */
#include "core/import/bonnie_tagged.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/bonnie_fields.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* The tagged kinds: how many fields, and at which of them what begins once the machine's name is one field. */
static const struct bonnie_layout {
	const char *first, *last; /* tags, as texts of the same length */
	const char *kind;
	size_t fields, chunk, io, files, latency;
} layouts[] = {
	{ "1.93", "1.97", BONNIE_KIND_197, 48, 6, 7, 19, 36 },
	{ "1.98", "1.98", BONNIE_KIND_198, 50, 6, 9, 21, 38 },
};

enum { TAGGED_NAME = 2, TAGGED_CONCURRENCY = 3, TAGGED_SIZE = 5 };

static bool is_digits(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

static const struct bonnie_layout *layout_find(const char *tag)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (strlen(tag) == strlen(layouts[i].first) && strcmp(tag, layouts[i].first) >= 0 &&
		    strcmp(tag, layouts[i].last) <= 0)
			return &layouts[i];
	}
	return NULL;
}

size_t bonnie_tagged_fields(const char *tag)
{
	const struct bonnie_layout *l = layout_find(tag);

	return l ? l->fields : 0;
}

/* "1.9x" or later: the first field of a row says so. */
bool bonnie_is_tag(const char *s)
{
	return isdigit((unsigned char)s[0]) && s[1] == '.' && isdigit((unsigned char)s[2]) &&
	       isdigit((unsigned char)s[3]) && !s[4];
}

/* num_files, max_size, min_size, num_dirs, file_chunk_size, where num_dirs may stand one too far to the right. */
static char *tagged_files(char **v)
{
	const char *dirs = *v[3] ? v[3] : v[4];

	if (!*v[0])
		return xstrdup("");
	if (str_eq(v[1], "link") || str_eq(v[1], "symlink"))
		return xasprintf("%s:%s", v[0], v[1]);
	return xasprintf("%s%s%s%s%s%s%s", v[0], *v[1] ? ":" : "", v[1], *v[1] ? ":" : "",
			 *v[1] && !*v[2] ? "0" : v[2], *dirs ? "/" : "", dirs);
}

static void tagged_take(const struct bonnie_layout *l, char **v, struct bonnie_row *b)
{
	b->kind = l->kind;
	b->version = v[1];
	b->concurrency = v[TAGGED_CONCURRENCY];
	bonnie_pairs_take(b, v + l->io, 0, -1);
	bonnie_pairs_take(b, v + l->files + 5, BONNIE_IO_PHASES, -1);
	for (int i = 0; i < BONNIE_PHASES; i++)
		b->latency[i] = v[l->latency + (size_t)i];
}

/* v: all fields, the name in one. */
static void tagged_put(struct import *im, size_t source, unsigned line,
		       const struct bonnie_layout *l, char **v, enum import_shape shape)
{
	struct bonnie_row b = BONNIE_ROW_INIT;
	_cleanup_free_ char *files = tagged_files(v + l->files);
	_cleanup_free_ char *size = xasprintf("%s%s%s", v[TAGGED_SIZE], *v[l->chunk] ? ":" : "",
					      v[l->chunk]);
	struct import_row *row;

	tagged_take(l, v, &b);
	b.size = size;
	b.files = files;
	row = bonnie_add(im, source, line, v[TAGGED_NAME], &b);
	if (row)
		row->shape = shape;
}

void bonnie_tagged_add(struct import *im, size_t source, unsigned line, char **v, size_t n,
		       enum import_shape shape)
{
	const struct bonnie_layout *l = layout_find(v[0]);
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ char **fields = NULL;
	size_t extra;

	if (!l) {
		import_find(im, IMPORT_REFUSED, source, line,
			    "format %s of bonnie++ is not known; 1.93 to 1.98 are", v[0]);
		return;
	}
	extra = n > l->fields ? n - l->fields : 0;
	if (n < l->fields || !is_digits(v[TAGGED_CONCURRENCY + extra]) ||
	    !is_digits(v[TAGGED_CONCURRENCY + 1 + extra]) ||
	    (*v[TAGGED_SIZE + extra] && !bonnie_is_size(v[TAGGED_SIZE + extra]))) {
		bonnie_refuse_count(im, source, line, n, v[0], l->fields);
		return;
	}
	if (bonnie_is_no_name(v, TAGGED_NAME, extra)) {
		bonnie_refuse_rows(im, source, line, n, v[0], l->fields);
		return;
	}
	name = bonnie_join_name(v, TAGGED_NAME, extra);
	if (extra)
		bonnie_say_name(im, source, line, name, n, v[0], l->fields);
	fields = xcalloc(l->fields, sizeof(*fields));
	memcpy(fields, v, TAGGED_NAME * sizeof(*fields));
	fields[TAGGED_NAME] = name;
	memcpy(fields + TAGGED_CONCURRENCY, v + TAGGED_CONCURRENCY + extra,
	       (l->fields - TAGGED_CONCURRENCY) * sizeof(*fields));
	tagged_put(im, source, line, l, fields, shape);
}
