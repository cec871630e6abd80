/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that is wrong with a job, gathered, each line once. */
#include "core/util/diag.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/text.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

static uint64_t diag_hash(const char *file, unsigned line, const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL ^ line;

	for (; file && *file; file++)
		h = (h ^ (unsigned char)*file) * 0x100000001b3ULL;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return h ^ (h >> 32);
}

/* Where the line is in the index, or the free place for it. */
static size_t diag_place(const struct diag *d, const char *file, unsigned line, const char *text)
{
	size_t i = diag_hash(file, line, text) & (d->index_size - 1);

	for (; d->index[i]; i = (i + 1) & (d->index_size - 1)) {
		const struct diag_line *l = &d->v[d->index[i] - 1];

		if (l->line == line && str_eq(l->file, file) && str_eq(l->text, text))
			break;
	}
	return i;
}

static void diag_index_grow(struct diag *d)
{
	free(d->index);
	d->index_size = d->index_size ? 2 * d->index_size : 64;
	d->index = xcalloc(d->index_size, sizeof(*d->index));
	for (size_t i = 0; i < d->n; i++)
		d->index[diag_place(d, d->v[i].file, d->v[i].line, d->v[i].text)] = (unsigned)i + 1;
}

void diag_addv(struct diag *d, const char *file, unsigned line, const char *fmt, va_list ap)
{
	char *text = xvasprintf(fmt, ap);
	size_t place;

	if (d->prefix) {
		char *whole = xasprintf("%s: %s", d->prefix, text);

		free(text);
		text = whole;
	}
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = ' ';
	}
	if (2 * (d->n + 1) > d->index_size)
		diag_index_grow(d);
	place = diag_place(d, file, line, text);
	if (d->index[place]) {
		free(text);
		return;
	}
	vec_push(d, ((struct diag_line){ file ? xstrdup(file) : NULL, line, text }));
	d->index[place] = (unsigned)d->n;
}

void diag_add(struct diag *d, const char *file, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_addv(d, file, line, fmt, ap);
	va_end(ap);
}

struct diag_key {
	const struct diag_line *line;
	size_t file, number; /* both: in order of mention */
};

static int diag_compare(const void *a, const void *b)
{
	const struct diag_key *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line->line != y->line->line)
		return x->line->line < y->line->line ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

void diag_print(struct diag *d, FILE *out)
{
	struct diag_key *keys = xcalloc(d->n + 1, sizeof(*keys));

	for (size_t i = 0; i < d->n; i++) {
		size_t first = 0;

		/* Few files, each mentioned early. */
		while (!str_eq(d->v[first].file, d->v[i].file))
			first++;
		keys[i] = (struct diag_key){ &d->v[i], first, i };
	}
	qsort(keys, d->n, sizeof(*keys), diag_compare);
	for (size_t i = 0; i < d->n; i++) {
		const struct diag_line *l = keys[i].line;
		_cleanup_free_ char *file = text_clean(l->file ? l->file : ""), *text = text_clean(l->text);

		if (l->file && l->line)
			fprintf(out, "%s:%u: %s\n", file, l->line, text);
		else if (l->file)
			fprintf(out, "%s: %s\n", file, text);
		else
			fprintf(out, "%s\n", text);
	}
	free(keys);
}

void diag_free(struct diag *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].file);
		free(d->v[i].text);
	}
	free(d->v);
	free(d->index);
	*d = (struct diag){ 0 };
}
