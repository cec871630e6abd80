/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are copies of others: whoever pastes a row twice has not measured twice. */
#include <ctype.h>
#include <stdint.h>

#include "core/import/model.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

/* Fewer digits than this may be alike by chance. */
#define COPY_DIGITS 15

static size_t row_digits(const struct import_row *row)
{
	const char *at = strbuf_str(&row->figures);
	bool number = false;
	size_t n = 0;

	for (; *at; at++) {
		if (*at == '=')
			number = true;
		else if (*at == '\n')
			number = false;
		n += number && isdigit((unsigned char)*at);
	}
	return n;
}

void import_find_copies(struct import *im)
{
	_cleanup_json_ json_t *seen = js_object();

	for (size_t i = 0; i < im->rows.n; i++) {
		struct import_row *row = &im->rows.v[i];
		const char *key = strbuf_str(&row->figures);
		const json_t *known = json_object_get(seen, key);
		const struct import_row *first;
		_cleanup_free_ char *where = NULL;

		if (row_digits(row) < COPY_DIGITS)
			continue;
		if (!known) {
			js_set(seen, key, js_u64(i));
			continue;
		}
		row->copy_of = (size_t)json_integer_value(known);
		first = &im->rows.v[row->copy_of];
		where = first->source == row->source
				? xasprintf("line %u", first->line)
				: xasprintf("%s:%u", im->sources.v[first->source].path,
					    first->line);
		import_find(im, IMPORT_WARNING, row->source, row->line,
			    "%s has the very figures of %s (%s): a copy, which is not counted as a "
			    "measurement",
			    *row->label ? row->label : "the row",
			    *first->label ? first->label : "another", where);
	}
}
