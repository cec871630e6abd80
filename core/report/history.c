/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons over versions, and what it is for machines. */
#include "core/report/history.h"

#include <stdlib.h>
#include <string.h>

#include "core/report/comparison_formats.h"
#include "core/report/quote.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/version.h"
#include "core/util/xalloc.h"

/* ---- the order ---- */

static const char *version_of(const struct set *s, const char *by)
{
	const char *v = by ? facts_find(&s->facts, by) : NULL;

	return v ? v : "";
}

/* All sets have this version, and not the same. */
static bool orders(const struct set *sets, size_t n, const char *by)
{
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		if (!facts_find(&sets[i].facts, by))
			return false;
		differ |= !str_eq(version_of(&sets[i], by), version_of(&sets[0], by));
	}
	return differ;
}

/* The kernel where it differs, else the first tool that does. */
static const char *find_order(const struct set *sets, size_t n)
{
	const struct facts *f = &sets[0].facts;

	if (orders(sets, n, "kernel"))
		return "kernel";
	for (size_t i = 0; i < f->n; i++)
		if (!f->v[i].variant && !f->v[i].confounding && str_starts(f->v[i].what, "version of ") &&
		    orders(sets, n, f->v[i].what))
			return f->v[i].what;
	return NULL;
}

/* A stable sort: sets of one version stay as they were given. */
static void sort_sets(struct set *sets, size_t n, const char *by)
{
	struct set *from = xmemdup(sets, n * sizeof(*sets)), *to = xmemdup(sets, n * sizeof(*sets));

	for (size_t width = 1; by && width < n; width *= 2) {
		for (size_t at = 0; at < n; at += 2 * width) {
			size_t a = at, b = MIN(at + width, n), mid = b, end = MIN(at + 2 * width, n), k = at;

			while (a < mid || b < end) {
				bool left = a < mid && (b == end || version_compare(version_of(&from[a], by),
										     version_of(&from[b], by)) <= 0);

				to[k++] = from[left ? a++ : b++];
			}
		}
		struct set *t = from;

		from = to;
		to = t;
	}
	memcpy(sets, from, n * sizeof(*sets));
	free(from);
	free(to);
}

/* ---- comparing ---- */

void history_compare(struct history *s, struct set *sets, size_t n, const struct report_options *opt)
{
	*s = (struct history){ .sets = sets, .n = n, .by = find_order(sets, n), .accepts = opt->accepts };
	sort_sets(sets + 1, n - 1, s->by);
	s->to_base = xcalloc(n, sizeof(*s->to_base));
	s->to_last = xcalloc(n, sizeof(*s->to_last));
	/* Cells that only failed become cells before anything points to them. */
	for (size_t i = 1; i < n; i++) {
		cells_add_failed(&sets[i].cells, &sets[0].cells);
		cells_add_failed(&sets[0].cells, &sets[i].cells);
	}
	for (size_t i = 1; i < n; i++)
		cells_add_failed(&sets[i].cells, &sets[0].cells);
	for (size_t i = 1; i < n; i++) {
		report_compare(&s->to_base[i], &sets[0], &sets[i], opt);
		if (i > 1)
			report_compare(&s->to_last[i], &sets[i - 1], &sets[i], opt);
	}
}

void history_release(struct history *s)
{
	for (size_t i = 0; i < s->n; i++) {
		report_release(&s->to_base[i]);
		report_release(&s->to_last[i]);
	}
	free(s->to_base);
	free(s->to_last);
	*s = (struct history){ 0 };
}

const char *history_label(const struct history *s, size_t i)
{
	const char *v = version_of(&s->sets[i], s->by);

	return *v ? v : s->sets[i].name;
}

const struct comparison *history_find(const struct report *r, const struct cell *cell)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].base->key == cell->key)
			return &r->v[i];
	return NULL;
}

size_t history_first(const struct history *s, const struct cell *cell)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct comparison *c = history_find(&s->to_base[i], cell);

		if (c && c->gated && c->verdict == VERDICT_REGRESSED && !report_refused(&s->to_base[i]))
			return i;
	}
	return 0;
}

int history_exit(const struct history *s, bool allow_inconclusive)
{
	const struct report *last = &s->to_last[s->n - 1];
	int code;

	for (size_t i = 1; i < s->n; i++)
		if (report_exit(&s->to_base[i], true) == EXIT_NOT_COMPARABLE)
			return EXIT_NOT_COMPARABLE;
	code = report_exit(&s->to_base[s->n - 1], allow_inconclusive);
	return last->n && report_exit(last, true) == EXIT_FAILED ? EXIT_FAILED : code;
}

/* ---- for machines ---- */

/* Of each set, first its comparison with the base, then that with its predecessor. */
static void each_report(const struct history *s, void (*fn)(const struct history *s, size_t i, const struct report *r, FILE *out),
			FILE *out)
{
	for (size_t i = 1; i < s->n; i++) {
		fn(s, i, &s->to_base[i], out);
		if (s->to_last[i].base)
			fn(s, i, &s->to_last[i], out);
	}
}

static void put_csv(const struct history *s, size_t i, const struct report *r, FILE *out)
{
	_cleanup_free_ char *before = NULL;
	size_t size = 0;
	FILE *mem = xopen_memstream(&before, &size);

	quote_csv(r->base->name, true, mem);
	fputc(',', mem);
	quote_csv(r->new->name, true, mem);
	fputc(',', mem);
	quote_csv(history_label(s, i), true, mem);
	fputc(',', mem);
	if (fclose(mem) == 0)
		report_csv_rows(r, before, out);
}

static void put_junit(const struct history *s, size_t i, const struct report *r, FILE *out)
{
	_cleanup_free_ char *name = xasprintf("%s (%s) against %s", r->new->name, history_label(s, i), r->base->name);

	report_junit_suite(r, name, out);
}

static json_t *sets_json(const struct history *s)
{
	json_t *list = js_array();

	for (size_t i = 0; i < s->n; i++) {
		json_t *o = js_object();

		js_set(o, "name", js_str(s->sets[i].name));
		js_set(o, "version", s->by ? js_str(version_of(&s->sets[i], s->by)) : json_null());
		js_set(o, "results", js_u64(s->sets[i].n_docs));
		js_set(o, "boots", js_u64(s->sets[i].n_boots));
		js_push(list, o);
	}
	return list;
}

static json_t *first_json(const struct history *s)
{
	json_t *list = js_array();

	for (size_t k = 0; k < s->sets[0].cells.n; k++) {
		const struct cell *cell = &s->sets[0].cells.v[k];
		size_t i = history_first(s, cell);
		json_t *o;

		if (!i)
			continue;
		o = js_object();
		js_set(o, "step", js_str(cell->step));
		js_set(o, "metric", js_str(cell->metric));
		js_set(o, "variant", js_str(cell->variant));
		js_set(o, "set", js_str(s->sets[i].name));
		js_set(o, "version", s->by ? js_str(version_of(&s->sets[i], s->by)) : json_null());
		js_set(o, "ratio", js_real(history_find(&s->to_base[i], cell)->ratio));
		js_push(list, o);
	}
	return list;
}

/* One after the other, as all of them together may be large. */
static void put_comparison(const struct history *s, size_t i, const struct report *r, FILE *out)
{
	_cleanup_json_ json_t *o = report_json(r, !r->opt.gated_only);
	_cleanup_free_ char *text = NULL;

	js_set(o, "against", js_str(r->base == &s->sets[0] ? "base" : "predecessor"));
	text = js_dump(o);
	fprintf(out, "%s\n%s", i == 1 && r == &s->to_base[1] ? "" : ",", text);
}

static void put_json(const struct history *s, FILE *out)
{
	_cleanup_json_ json_t *sets = sets_json(s), *first = first_json(s), *by = js_str(s->by);
	_cleanup_free_ char *text = js_dump(sets), *regressed = js_dump(first), *order = js_dump(by);

	fprintf(out, "{\n\"format\": \"fstrial-history/1\",\n\"ordered_by\": %s,\n\"exit\": %d,\n\"sets\": %s,\n"
		     "\"first_regressed\": %s,\n\"comparisons\": [",
		order, history_exit(s, false), text, regressed);
	each_report(s, put_comparison, out);
	fputs("\n]\n}\n", out);
}

void history_print(const struct history *s, enum report_format format, FILE *out)
{
	switch (format) {
	case REPORT_CSV:
		fputs("base,new,version," REPORT_CSV_HEAD, out);
		each_report(s, put_csv, out);
		break;
	case REPORT_JUNIT:
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
		each_report(s, put_junit, out);
		fputs("</testsuites>\n", out);
		break;
	case REPORT_JSON:
		put_json(s, out);
		break;
	default:
		history_text(s, format, out);
	}
}
