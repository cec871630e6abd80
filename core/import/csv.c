/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a CSV. */
#include "core/import/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

char csv_separator(const char *text)
{
	static const char separators[] = ",;\t";
	size_t count[sizeof(separators) - 1] = { 0 }, best = 0;
	int quoted = 0;

	for (; *text && *text != '\n' && *text != '\r'; text++) {
		const char *at = strchr(separators, *text);

		quoted ^= *text == '"';
		if (at && !quoted)
			count[at - separators]++;
	}
	for (size_t i = 1; i < sizeof(separators) - 1; i++)
		best = count[i] > count[best] ? i : best;
	return separators[best];
}

/* Behind the opening quote. */
static int csv_quoted(struct csv *csv, struct strbuf *out, struct err *e)
{
	unsigned line = csv->line;

	for (; *csv->at; csv->at++) {
		csv->line += *csv->at == '\n';
		if (*csv->at != '"') {
			strbuf_addch(out, *csv->at);
		} else if (csv->at[1] == '"') {
			strbuf_addch(out, '"');
			csv->at++;
		} else {
			csv->at++;
			csv->at += strspn(csv->at, " ");
			if (*csv->at && *csv->at != csv->separator && !strchr("\r\n", *csv->at))
				return err_set(e, EINVAL,
					       "text behind the closing quote: \"%.20s\"", csv->at);
			return 0;
		}
	}
	csv->line = line;
	return err_set(e, EINVAL, "the quote that opens here is not closed");
}

static int csv_field(struct csv *csv, struct strbuf *out, struct err *e)
{
	size_t blanks = csv->separator == '\t' ? 0 : strspn(csv->at, " ");
	const char stop[] = { csv->separator, '\r', '\n', '\0' };
	size_t n;

	if (csv->at[blanks] == '"') {
		csv->at += blanks + 1;
		return csv_quoted(csv, out, e);
	}
	n = strcspn(csv->at, stop);
	strbuf_add(out, csv->at, n);
	csv->at += n;
	return 0;
}

int csv_next(struct csv *csv, struct csv_record *record, struct err *e)
{
	VEC(char *) v = VEC_INIT;
	int r = 0;

	*record = (struct csv_record){ NULL, 0, 0 };
	while (*csv->at && strchr(" \t\r\n", *csv->at) && *csv->at != csv->separator)
		csv->line += *csv->at++ == '\n';
	if (!*csv->at)
		return 0;
	record->line = csv->line;
	for (bool more = true; r == 0 && more;) {
		struct strbuf field = STRBUF_INIT;
		_cleanup_free_ char *text = NULL;

		r = csv_field(csv, &field, e);
		text = strbuf_steal(&field);
		vec_push(&v, xstrdup(str_trim(text)));
		more = *csv->at == csv->separator;
		csv->at += more;
	}
	record->v = v.v;
	record->n = v.n;
	if (r < 0)
		csv_free(record);
	return r < 0 ? r : 1;
}

void csv_free(struct csv_record *record)
{
	for (size_t i = 0; i < record->n; i++)
		free(record->v[i]);
	free(record->v);
	record->v = NULL;
	record->n = 0;
}
