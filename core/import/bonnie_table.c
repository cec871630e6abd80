/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that bonnie and bonnie++ print for people. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/bonnie.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

enum { FIGURES = 12, PARTS = 2, LATENCIES = 2 };

static bool is_figure(const char *s)
{
	size_t n = strlen(s);

	if (bonnie_is_rate(s))
		return true;
	/* "213k" of version 2 */
	return n > 1 && isdigit((unsigned char)s[0]) && strchr("kKmMgG", s[n - 1]) &&
	       strspn(s, "0123456789.") == n - 1;
}

/* The last twelve words are figures, and there is something in front of them. */
static bool is_figures(char **words, size_t n)
{
	if (n <= FIGURES)
		return false;
	for (size_t i = n - FIGURES; i < n; i++) {
		if (!is_figure(words[i]))
			return false;
	}
	return true;
}

static void take_figures(struct bonnie_row *b, char **words, size_t n, int first)
{
	char **v = words + n - FIGURES;

	for (int i = 0; i < BONNIE_IO_PHASES; i++) {
		b->rate[first + i] = v[2 * i];
		b->cpu[first + i] = v[2 * i + 1];
	}
}

static void table_reset(struct bonnie_table *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(t->words); i++)
		str_freev(t->words[i]);
	free(t->label);
	t->label = NULL;
	memset(t->words, 0, sizeof(t->words));
	t->row = (struct bonnie_row)BONNIE_ROW_INIT;
}

/* The words before the last k + FIGURES: the machine's name, which may have blanks and end with a comma. */
static char *table_name(char **words, size_t n, size_t k)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i + FIGURES + k < n; i++)
		strbuf_addf(&out, "%s%s", i ? " " : "", words[i]);
	while (out.len && strchr(", ", out.buf[out.len - 1]))
		strbuf_truncate(&out, out.len - 1);
	return strbuf_steal(&out);
}

static const char *table_kind(const struct bonnie_table *t)
{
	if (t->version[0] == '2' || str_starts(t->version, "1.98"))
		return BONNIE_KIND_198;
	return str_starts(t->version, "1.9") ? BONNIE_KIND_197 : BONNIE_KIND_10;
}

void bonnie_table_end(struct import *im, size_t source, struct bonnie_table *t)
{
	const struct import_row *row;

	if (t->label) {
		t->row.rounded = t->prefixed;
		row = bonnie_add(im, source, t->line, t->label, &t->row);
		if (row && t->prefixed)
			import_find(
				im, IMPORT_WARNING, source, t->line,
				"figures of a table of version 2 are rounded, and those of its "
				"files are not printed right: "
				"they are left out; the row of CSV that it prints too has them");
	}
	table_reset(t);
	t->state = BONNIE_NO_TABLE;
}

/* ---- lines ---- */

static void line_classic(struct import *im, size_t source, struct bonnie_table *t, char **words,
			 size_t n, unsigned number)
{
	_cleanup_free_ char *name = table_name(words, n, 1),
			    *size = xasprintf("%sM", words[n - FIGURES - 1]);
	struct bonnie_row b = BONNIE_ROW_INIT;

	b.kind = BONNIE_KIND_CLASSIC;
	b.size = size;
	b.no_phase = BONNIE_IO_PHASES;
	take_figures(&b, words, n, 0);
	bonnie_add(im, source, number, name, &b);
	(void)t;
}

/* Takes words. */
static void line_io(struct bonnie_table *t, char **words, size_t n, unsigned number)
{
	table_reset(t);
	t->line = number;
	t->words[0] = words;
	t->label = table_name(words, n, 1);
	t->row.kind = table_kind(t);
	t->row.version = t->version;
	t->row.no_phase = BONNIE_IO_PHASES;
	/* "64M::1": size, chunk and so on */
	t->row.size = words[n - FIGURES - 1];
	if (strstr(t->row.size, "::"))
		*strstr(words[n - FIGURES - 1], "::") = '\0';
	take_figures(&t->row, words, n, 0);
}

/* Takes words. */
static void line_files(struct bonnie_table *t, char **words, size_t n)
{
	t->words[1] = words;
	if (t->prefixed)
		return;
	t->row.files = words[n - FIGURES - 1];
	t->row.no_phase = BONNIE_PHASES;
	take_figures(&t->row, words, n, BONNIE_IO_PHASES);
}

/* The lines above the figures. true: it is one. */
static bool line_title(struct import *im, size_t source, struct bonnie_table *t, const char *line)
{
	const char *at = line + strspn(line, " \t");
	bool files = str_starts(at, "files");

	if (str_starts(at, "Version")) {
		at += strlen("Version");
		at += strspn(at, " \t");
		if (t->state == BONNIE_NO_TABLE || !t->label)
			snprintf(t->version, sizeof(t->version), "%.*s", (int)strcspn(at, " \t-"),
				 at);
		return true;
	}
	if (!strstr(line, "%CP") || !strstr(line, "/sec"))
		return strstr(line, "-Per Ch") || strstr(line, "--Sequential") ||
		       strstr(line, "-Create--");
	if (files) {
		t->state = BONNIE_FILES_PART;
		return true;
	}
	bonnie_table_end(im, source, t);
	t->state = strstr(line, "%CPU") ? BONNIE_CLASSIC : BONNIE_IO;
	/* Version 2 has no "K" in its titles, and letters at its figures. */
	t->prefixed = t->state == BONNIE_IO && !strstr(line, "K/sec");
	return true;
}

bool bonnie_table_line(struct import *im, size_t source, struct bonnie_table *t, const char *line,
		       unsigned number)
{
	size_t n;
	char **words;
	bool taken = true;

	if (line_title(im, source, t, line))
		return true;
	if (t->state == BONNIE_NO_TABLE)
		return false;
	words = str_split(line, " \t", &n);
	if (n && str_eq(words[0], "Latency")) {
		str_freev(words);
		return true;
	}
	if (!is_figures(words, n)) {
		taken = n == 0;
	} else if (t->state == BONNIE_CLASSIC && n > FIGURES + 1) {
		line_classic(im, source, t, words, n, number);
	} else if (t->state == BONNIE_IO && n > FIGURES + 1 && !t->label) {
		line_io(t, words, n, number);
		return true;
	} else if (t->state == BONNIE_FILES_PART && t->label && !t->words[1]) {
		line_files(t, words, n);
		return true;
	} else {
		taken = false;
	}
	str_freev(words);
	return taken;
}
