/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings folded: what happened in several trials is said once for all of them. */
#include <stdlib.h>
#include <string.h>

#include "core/report/findings_private.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/text.h"

#define FINDINGS_LINES 20 /* of a section, unless all are wanted */

/* Variants that have the very same to say become one finding. */
static void section_merge(struct section *s)
{
	_cleanup_json_ json_t *texts = js_object();

	for (size_t i = 0; i < s->n; i++) {
		struct finding *f = &s->v[i], *first;
		json_t *known = json_object_get(texts, f->text);

		if (f->varies)
			continue;
		if (!known) {
			js_set(texts, f->text, js_u64(i));
			continue;
		}
		first = &s->v[json_integer_value(known)];
		for (size_t k = 0; k < f->at.n; k++)
			vec_push(&first->at, f->at.v[k]);
		f->at.n = 0;
	}
}

static int finding_order(const void *x, const void *y)
{
	const struct finding_place *a = x, *b = y;

	if (a->variant != b->variant)
		return a->variant < b->variant ? -1 : 1;
	return (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

/* Number of places from first on that are of one variant. */
static size_t finding_run(const struct finding *f, size_t first)
{
	size_t n = 1;

	while (first + n < f->at.n && f->at.v[first + n].variant == f->at.v[first].variant)
		n++;
	return n;
}

static bool finding_same_repeats(const struct finding *f, size_t a, size_t b, size_t n)
{
	if (finding_run(f, b) != n || f->at.v[b].variant != f->at.v[b - 1].variant + 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (f->at.v[a + i].repeat != f->at.v[b + i].repeat)
			return false;
	}
	return true;
}

/* "r1-r3,r5" */
static void finding_repeats(const struct finding *f, size_t first, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n;) {
		uint32_t r = f->at.v[first + i].repeat, end = r;

		for (i++; i < n && f->at.v[first + i].repeat <= end + 1; i++)
			end = f->at.v[first + i].repeat;
		strbuf_addf(out, "%sr%u", out->len && out->buf[out->len - 1] != ' ' ? "," : "", r);
		if (end > r)
			strbuf_addf(out, "-r%u", end);
	}
}

static void finding_line(const struct strbuf *where, const char *text, size_t width,
			 struct strbuf *out)
{
	strbuf_addf(out, "  %s%s", strbuf_str(where), where->len ? " " : "");
	text_wrap(out, text, 2 + where->len + (where->len ? 1 : 0), 6, width);
}

static void finding_id(const json_t *variants, int64_t variant, struct strbuf *out)
{
	text_add_clean(out, js_get_str(json_array_get(variants, (size_t)variant), "id", "?"));
}

/* Lines of one finding from place number first on; the number of the first place not said. */
static size_t finding_format(const struct finding *f, const json_t *variants, size_t first,
			     size_t width, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf where = STRBUF_INIT;
	size_t n = finding_run(f, first), last = first;
	int64_t variant = f->at.v[first].variant;

	if (variant == FINDING_ONCE)
		strbuf_addstr(&where, "once");
	if (variant >= 0) {
		while (last + n < f->at.n && finding_same_repeats(f, first, last + n, n))
			last += n;
		finding_id(variants, variant, &where);
		if (last > first) {
			strbuf_addch(&where, '-');
			finding_id(variants, f->at.v[last].variant, &where);
		}
		strbuf_addch(&where, ' ');
		finding_repeats(f, first, n, &where);
	}
	finding_line(&where, f->text, width, out);
	return last + n;
}

/* Whose numbers are shown: those of the first place, as long as the places are not sorted. */
static void finding_say_varies(struct finding *f)
{
	char *text = xasprintf("%s (numbers of r%u)", f->text, f->at.v[0].repeat);

	free(f->text);
	f->text = text;
}

void findings_section_format(struct section *s, const json_t *variants, bool all, size_t width, struct strbuf *out)
{
	size_t lines = 0, more = 0;

	if (!s->n)
		return;
	section_merge(s);
	strbuf_addf(out, "\n%s:\n", s->title);
	for (size_t i = 0; i < s->n; i++) {
		struct finding *f = &s->v[i];

		if (f->varies)
			finding_say_varies(f);
		if (f->at.n)
			qsort(f->at.v, f->at.n, sizeof(*f->at.v), finding_order);
		for (size_t first = 0; first < f->at.n; lines++) {
			_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

			first = finding_format(f, variants, first, width, &line);
			if (all || lines < FINDINGS_LINES)
				strbuf_addstr(out, strbuf_str(&line));
			else
				more++;
		}
	}
	if (more)
		strbuf_addf(out, "  ... and %zu more (fstrial show --all)\n", more);
}

void findings_section_free(struct section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].text);
		vec_free(&s->v[i].at);
	}
	vec_free(s);
	json_decref(s->index);
}
