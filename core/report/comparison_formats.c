/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for machines: JSON, CSV, JUnit XML. */
#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/report/comparison_formats.h"
#include "core/report/quote.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

static json_t *side_json(const struct cell *c)
{
	json_t *o = js_object(), *values = js_array();

	for (size_t i = 0; i < c->n; i++)
		js_push(values, js_real(c->v[i]));
	js_set(o, "n", js_u64(c->n));
	js_set(o, "failed", js_u64(c->failed));
	js_set(o, "median", js_real(basic_median(c->v, c->n)));
	js_set(o, "values", values);
	return o;
}

static json_t *cell_json(const struct comparison *c)
{
	static const char *const better[] = { "neutral", "higher", "lower" };
	json_t *o = js_object();

	js_set(o, "variant", js_str(c->base->variant));
	js_set(o, "step", js_str(c->base->step));
	js_set(o, "metric", js_str(c->base->metric));
	js_set(o, "unit", js_str(c->base->unit));
	js_set(o, "better", js_str(better[c->base->better]));
	js_set(o, "filesystem", *c->base->fs ? js_str(c->base->fs) : json_null());
	js_set(o, "gated", js_bool(c->gated));
	js_set(o, "verdict", js_str(verdict_name(c->verdict)));
	js_set(o, "why", js_str(c->why));
	js_set(o, "accepted", js_str(c->accepted));
	js_set(o, "ratio", js_real(c->ratio));
	js_set(o, "ratio_lo", js_real(c->ratio_lo));
	js_set(o, "ratio_hi", js_real(c->ratio_hi));
	js_set(o, "margin", js_real(c->delta));
	js_set(o, "p", js_real(c->p));
	js_set(o, "q", js_real(c->q));
	js_set(o, "p_rank", js_real(c->p_rank));
	js_set(o, "method", js_str(c->method));
	js_set(o, "detectable", js_real(c->detectable));
	js_set(o, "needed", js_real(c->needed));
	js_set(o, "base", side_json(c->base));
	js_set(o, "new", side_json(c->new));
	return o;
}

static json_t *differences_json(const struct differences *d)
{
	json_t *list = js_array();

	for (size_t i = 0; i < d->n; i++) {
		json_t *one = js_object();

		js_set(one, "what", js_str(d->v[i].what));
		js_set(one, "base", js_str(d->v[i].base));
		js_set(one, "new", js_str(d->v[i].new));
		js_set(one, "confounding", js_bool(d->v[i].confounding));
		js_push(list, one);
	}
	return list;
}

static json_t *suite_json(const struct report *r)
{
	json_t *suite = js_object();

	js_set(suite, "cells", js_u64(r->suite.geo.n));
	js_set(suite, "ratio", js_real(exp(-r->suite.geo.t.diff)));
	js_set(suite, "ratio_lo", js_real(exp(-r->suite.geo.t.hi)));
	js_set(suite, "ratio_hi", js_real(exp(-r->suite.geo.t.lo)));
	js_set(suite, "p", js_real(r->suite.geo.t.p));
	js_set(suite, "p_rank", js_real(isnan(r->suite.rank.p_two_sided) ? r->suite.rank.p_normal :
									   r->suite.rank.p_two_sided));
	js_set(suite, "block_ratio", js_real(exp(-r->suite.blocks.diff)));
	js_set(suite, "block_ratio_lo", js_real(exp(-r->suite.blocks.hi)));
	js_set(suite, "block_ratio_hi", js_real(exp(-r->suite.blocks.lo)));
	js_set(suite, "worse", js_bool(r->suite.worse));
	return suite;
}

/* Those that both sides have. */
static json_t *canaries_json(const struct report *r)
{
	json_t *list = js_array();

	for (int i = 0; i < N_CANARIES; i++) {
		const struct canary_shift *c = &r->canary[i];
		json_t *one;

		if (!c->n_base || !c->n_new)
			continue;
		one = js_object();
		js_set(one, "canary", js_str(canary_names[i]));
		js_set(one, "ratio", js_real(c->ratio));
		js_set(one, "ratio_lo", js_real(c->lo));
		js_set(one, "ratio_hi", js_real(c->hi));
		js_set(one, "moved", js_bool(c->moved));
		js_set(one, "says", js_str(guards_canary_says(c)));
		js_push(list, one);
	}
	return list;
}

static json_t *unused_json(const struct accepts *a)
{
	json_t *list = js_array();

	for (size_t i = 0; a && i < a->n; i++) {
		_cleanup_free_ char *unused = accept_unused(a, &a->v[i]);

		if (unused)
			js_push(list, js_str(unused));
	}
	return list;
}

static json_t *set_json(const struct set *s)
{
	json_t *o = js_object(), *within = differences_json(&s->mixed);

	js_set(o, "name", js_str(s->name));
	js_set(o, "results", js_u64(s->n_docs));
	js_set(o, "boots", js_u64(s->n_boots));
	js_set(o, "kernel", js_str(facts_find(&s->facts, "kernel")));
	js_set(o, "differences_within", within);
	return o;
}

json_t *report_json(const struct report *r, bool all)
{
	json_t *o = js_object(), *cells = js_array(), *where = js_array();

	for (size_t i = 0; i < r->n; i++)
		if (all || r->v[i].gated)
			js_push(cells, cell_json(&r->v[i]));
	for (size_t i = 0; i < r->where.n; i++)
		js_push(where, js_str(r->where.lines[i]));
	js_set(o, "format", js_str("fstrial-comparison/1"));
	js_set(o, "base", js_str(r->base->name));
	js_set(o, "new", js_str(r->new->name));
	js_set(o, "alpha", js_real(r->opt.verdict.alpha));
	js_set(o, "adjustment", js_str(r->opt.verdict.holm ? "Holm" : "Benjamini-Hochberg"));
	js_set(o, "unit_of_analysis", js_str(r->by_boot ? "boot" : "trial"));
	js_set(o, "confounded", js_bool(r->differences.confounding > 0));
	js_set(o, "confounded_with_boot", js_bool(report_boot_confounded(r)));
	js_set(o, "refused", js_bool(report_refused(r)));
	js_set(o, "exit", js_u64((uint64_t)report_exit(r, false)));
	js_set(o, "only_base", js_u64(r->only_base));
	js_set(o, "only_new", js_u64(r->only_new));
	js_set(o, "sides", js_push(js_push(js_array(), set_json(r->base)), set_json(r->new)));
	js_set(o, "differences", differences_json(&r->differences));
	js_set(o, "canaries", canaries_json(r));
	js_set(o, "suite", suite_json(r));
	js_set(o, "where", where);
	js_set(o, "unused_acceptances", unused_json(r->opt.accepts));
	js_set(o, "cells", cells);
	return o;
}

void report_json_print(const struct report *r, FILE *out)
{
	_cleanup_json_ json_t *doc = report_json(r, true);

	js_print(doc, out);
}

static void csv_number(double v, FILE *out)
{
	if (isnan(v) || isinf(v))
		fputc(',', out);
	else
		fprintf(out, ",%.10g", v);
}

void report_csv_rows(const struct report *r, const char *before, FILE *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct comparison *c = &r->v[i];
		const double numbers[] = { basic_median(c->base->v, c->base->n), basic_median(c->new->v, c->new->n),
					   c->ratio, c->ratio_lo, c->ratio_hi, c->p, c->q, c->p_rank,
					   (double)c->base->n, (double)c->new->n };

		fprintf(out, "%s%s,%d,", before, report_refused(r) ? "" : verdict_name(c->verdict), c->gated);
		quote_csv(c->base->step, true, out);
		fputc(',', out);
		quote_csv(c->base->metric, true, out);
		fputc(',', out);
		quote_csv(c->base->unit, false, out);
		fputc(',', out);
		quote_csv(c->base->variant, true, out);
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
			csv_number(numbers[k], out);
		fprintf(out, ",%s,", c->method);
		quote_csv(c->accepted ? c->accepted : "", true, out);
		fputc('\n', out);
	}
}

void report_csv(const struct report *r, FILE *out)
{
	fputs(REPORT_CSV_HEAD, out);
	report_csv_rows(r, "", out);
}

/* REGRESSED is a failure; what could not be settled is skipped, not passed. */
static void junit_case(const struct comparison *c, FILE *out)
{
	fputs("  <testcase classname=\"", out);
	quote_xml(c->base->step, out);
	fputs("\" name=\"", out);
	quote_xml(c->base->metric, out);
	fputc(' ', out);
	quote_xml(c->base->variant, out);
	fputs("\">", out);
	if (c->accepted) {
		fputs("<system-out>accepted: ", out);
		quote_xml(c->accepted, out);
		fputs("</system-out>", out);
	} else if (c->verdict == VERDICT_REGRESSED) {
		fprintf(out, "<failure message=\"%+.1f %% (%+.1f..%+.1f %%), q = %.3g\"/>", 100 * (c->ratio - 1),
			100 * (c->ratio_lo - 1), 100 * (c->ratio_hi - 1), c->q);
	} else if (c->verdict <= VERDICT_NO_RATIO) {
		fprintf(out, "<skipped message=\"%s", verdict_name(c->verdict));
		if (c->why) {
			fputs(": ", out);
			quote_xml(c->why, out);
		}
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

struct tally {
	size_t tests, failures, skipped;
};

static void tally_cells(const struct report *r, struct tally *t)
{
	*t = (struct tally){ 0 };
	for (size_t i = 0; i < r->n; i++) {
		const struct comparison *c = &r->v[i];

		t->tests += c->gated;
		t->failures += c->gated && c->verdict == VERDICT_REGRESSED && !c->accepted;
		t->skipped += c->gated && c->verdict > VERDICT_REGRESSED && c->verdict <= VERDICT_NO_RATIO;
	}
}

void report_junit_suite(const struct report *r, const char *name, FILE *out)
{
	bool refused = report_refused(r);
	struct tally t;

	tally_cells(r, &t);
	if (refused)
		t = (struct tally){ .tests = 1 };
	fputs("<testsuite name=\"", out);
	quote_xml(name, out);
	if (!refused) {
		t.tests += r->suite.worse;
		t.failures += r->suite.worse;
	}
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"%d\">\n", t.tests, t.failures, t.skipped,
		refused);
	if (refused)
		fprintf(out, "  <testcase classname=\"compare\" name=\"comparable\"><error message=\"%zu conditions "
			     "differ\"/></testcase>\n",
			r->differences.confounding + r->base->mixed.n + r->new->mixed.n +
				r->canary[CANARY_COMPUTE].moved);
	for (size_t i = 0; !refused && i < r->n; i++)
		if (r->v[i].gated)
			junit_case(&r->v[i], out);
	if (!refused && r->suite.worse)
		fprintf(out, "  <testcase classname=\"compare\" name=\"all cells together\"><failure "
			     "message=\"%+.1f %%\"/></testcase>\n",
			100 * (exp(-r->suite.geo.t.diff) - 1));
	fputs("</testsuite>\n", out);
}

void report_junit(const struct report *r, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	report_junit_suite(r, "fstrial compare", out);
}
