/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rows of bonnie++ have in common, with a tag or without one. */
#include "core/import/bonnie_fields.h"

#include "core/import/number.h"
#include "core/util/strbuf.h"

bool bonnie_is_size(const char *s)
{
	double bytes, chunk;

	return bonnie_parse_size(s, &bytes, &chunk);
}

bool bonnie_is_files(const char *s)
{
	struct bonnie_files f;

	return bonnie_parse_files(s, &f);
}

void bonnie_pairs_take(struct bonnie_row *b, char **v, int first, int damaged)
{
	for (int i = 0; i < BONNIE_IO_PHASES; i++) {
		b->rate[first + i] = *v++;
		b->cpu[first + i] = i == damaged ? "" : *v++;
	}
	if (damaged >= 0)
		b->damaged = first + damaged;
}

void bonnie_refuse_count(struct import *im, size_t source, unsigned line, size_t n,
			 const char *kind, size_t fields)
{
	import_find(im, IMPORT_REFUSED, source, line, "%zu field%s, where bonnie++ %s has %zu", n,
		    n == 1 ? "" : "s", kind, fields);
}

void bonnie_refuse_rows(struct import *im, size_t source, unsigned line, size_t n, const char *kind,
			size_t fields)
{
	import_find(im, IMPORT_REFUSED, source, line,
		    "%zu fields, where bonnie++ %s has %zu: figures stand before the machine's "
		    "name, as "
		    "where two rows have run together",
		    n, kind, fields);
}

/* The machine's name has separators in it: first fields of all that are one too many become one. */
char *bonnie_join_name(char **v, size_t first, size_t extra)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i <= extra; i++)
		strbuf_addf(&out, "%s%s", i ? "," : "", v[first + i]);
	return strbuf_steal(&out);
}

static bool is_figure(const char *s)
{
	double v;

	return import_is_censored(s) || import_number(s, &v, NULL) == 0;
}

bool bonnie_is_no_name(char **v, size_t first, size_t extra)
{
	size_t figures = 0;

	for (size_t i = first; i <= first + extra && figures < BONNIE_NO_NAME; i++)
		figures = is_figure(v[i]) ? figures + 1 : 0;
	return figures >= BONNIE_NO_NAME;
}

void bonnie_say_name(struct import *im, size_t source, unsigned line, const char *name, size_t n,
		     const char *kind, size_t fields)
{
	import_find(im, IMPORT_WARNING, source, line,
		    "%zu fields, where bonnie++ %s has %zu: the name \"%s\" has a comma in it, "
		    "without quotes",
		    n, kind, fields, name);
}
