/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of accepted changes, line by line. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/analyse/accept.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/vec.h"

enum { ACCEPT_MAX = 1 << 20 };

struct words {
	VEC(char *) v;
};

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->v.n; i++)
		free(w->v.v[i]);
	vec_free(&w->v);
}

/* One word from *s on, quoted or not, also in part (until="x"). False: quotes without an end. */
static bool take_word(const char **s, struct strbuf *word)
{
	bool quoted = false;

	for (; **s && (quoted || !isspace((unsigned char)**s)); (*s)++) {
		if (**s == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && **s == '\\' && ((*s)[1] == '"' || (*s)[1] == '\\'))
			(*s)++;
		strbuf_addch(word, **s);
	}
	return !quoted;
}

static bool take_words(const char *s, struct words *w)
{
	for (;;) {
		struct strbuf word = STRBUF_INIT;
		bool good;

		while (isspace((unsigned char)*s))
			s++;
		if (!*s || *s == '#')
			return true;
		good = take_word(&s, &word);
		vec_push(&w->v, strbuf_steal(&word));
		if (!good)
			return false;
	}
}

/* "-20%" */
static bool take_percent(const char *text, size_t len, double *out)
{
	_cleanup_free_ char *copy = xstrndup(text, len);
	struct err e = { 0 };

	if (len < 2 || copy[len - 1] != '%')
		return false;
	copy[len - 1] = '\0';
	if (units_parse_f64(copy[0] == '+' ? copy + 1 : copy, out, &e) < 0)
		return false;
	*out /= 100;
	return *out > -1;
}

static bool take_range(const char *text, double *lo, double *hi)
{
	const char *dots = strstr(text, "..");

	return dots && take_percent(text, (size_t)(dots - text), lo) && take_percent(dots + 2, strlen(dots + 2), hi) &&
	       *lo <= *hi;
}

/* One of the calendar: what would be another day once it is counted out is none. */
static bool is_day(const char *s)
{
	struct tm tm = { 0 };
	const char *end = strptime(s, "%Y-%m-%d", &tm);
	char back[32];

	if (!end || *end)
		return false;
	timegm(&tm);
	return strftime(back, sizeof(back), "%Y-%m-%d", &tm) && str_eq(back, s);
}

/* until=DATE or NAME=PATTERN; what is wrong, or NULL. */
static const char *take_condition(const char *word, struct accept_line *l)
{
	const char *is = strchr(word, '=');

	if (!is || is == word || !is[1])
		return "behind the reason come only until=DATE, kernel=PATTERN and TOOL=PATTERN";
	if (str_starts(word, "until=")) {
		if (l->until)
			return "until= appears twice";
		if (!is_day(is + 1))
			return "until= is not a date like 2027-01-31";
		l->until = xstrdup(is + 1);
		return NULL;
	}
	l->versions = xreallocarray(l->versions, l->n_versions + 1, sizeof(*l->versions));
	l->versions[l->n_versions++] =
		(struct accept_version){ xstrndup(word, (size_t)(is - word)), xstrdup(is + 1) };
	return NULL;
}

static void take_line(struct accepts *a, unsigned number, const char *text, struct diag *d)
{
	struct words w = { 0 };
	struct accept_line l = { .line = number };
	bool good = take_words(text, &w);

	if (!w.v.n) {
		words_free(&w);
		return;
	}
	if (!good)
		diag_add(d, a->file, number, "a quotation mark is not closed");
	else if (w.v.n < 4)
		diag_add(d, a->file, number,
			 "a line is CELL METRIC CHANGE REASON [until=DATE] [kernel=PATTERN]; this has %zu of these words",
			 w.v.n);
	if (good && w.v.n >= 4) {
		l.cell = xstrdup(w.v.v[0]);
		l.metric = xstrdup(w.v.v[1]);
		l.reason = xstrdup(w.v.v[3]);
		if (!take_range(w.v.v[2], &l.lo, &l.hi))
			diag_add(d, a->file, number, "\"%s\" is no range of changes like -20%%..-5%%", w.v.v[2]);
		if (!*l.reason)
			diag_add(d, a->file, number, "the reason is empty");
		for (size_t i = 4; i < w.v.n; i++) {
			const char *wrong = take_condition(w.v.v[i], &l);

			if (wrong)
				diag_add(d, a->file, number, "\"%s\": %s", w.v.v[i], wrong);
		}
		a->v = xreallocarray(a->v, a->n + 1, sizeof(*a->v));
		a->v[a->n++] = l;
	}
	words_free(&w);
}

int accept_load(const char *path, struct accepts *a, struct diag *d)
{
	_cleanup_free_ char *text = NULL;
	struct err e = { 0 };
	unsigned number = 1;
	size_t len = 0;

	*a = (struct accepts){ .file = path };
	if (file_read(path, ACCEPT_MAX, &text, &len, &e) < 0) {
		diag_add(d, NULL, 0, "%s", e.text);
		return -EINVAL;
	}
	if (strlen(text) != len)
		diag_add(d, path, 1, "holds a NUL byte: this is no text");
	for (char *line = text, *end; line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		take_line(a, number, line, d);
	}
	return d->n ? -EINVAL : 0;
}

void accept_release(struct accepts *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct accept_line *l = &a->v[i];

		for (size_t k = 0; k < l->n_versions; k++) {
			free(l->versions[k].of);
			free(l->versions[k].pattern);
		}
		free(l->versions);
		free(l->cell);
		free(l->metric);
		free(l->reason);
		free(l->until);
		free(l->unused);
	}
	free(a->v);
	*a = (struct accepts){ 0 };
}
