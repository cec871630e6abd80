/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for machines: JSON, CSV, JUnit XML. */
#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/report/comparison.h"
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
	js_set(o, "gated", js_bool(c->gated));
	js_set(o, "verdict", js_str(verdict_name(c->verdict)));
	js_set(o, "why", js_str(c->why));
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

json_t *report_json(const struct report *r)
{
	json_t *o = js_object(), *cells = js_array(), *list = js_array(), *suite = js_object();

	for (size_t i = 0; i < r->differences.n; i++) {
		const struct difference *d = &r->differences.v[i];
		json_t *one = js_object();

		js_set(one, "what", js_str(d->what));
		js_set(one, "base", js_str(d->base));
		js_set(one, "new", js_str(d->new));
		js_set(one, "confounding", js_bool(d->confounding));
		js_push(list, one);
	}
	for (size_t i = 0; i < r->n; i++)
		js_push(cells, cell_json(&r->v[i]));
	js_set(suite, "cells", js_u64(r->suite.geo.n));
	js_set(suite, "ratio", js_real(exp(-r->suite.geo.t.diff)));
	js_set(suite, "ratio_lo", js_real(exp(-r->suite.geo.t.hi)));
	js_set(suite, "ratio_hi", js_real(exp(-r->suite.geo.t.lo)));
	js_set(suite, "p", js_real(r->suite.geo.t.p));
	js_set(suite, "p_rank", js_real(r->suite.rank.p_two_sided));
	js_set(suite, "worse", js_bool(r->suite.worse));
	js_set(o, "format", js_str("fstrial-comparison/1"));
	js_set(o, "base", js_str(r->base_name));
	js_set(o, "new", js_str(r->new_name));
	js_set(o, "alpha", js_real(r->opt.alpha));
	js_set(o, "adjustment", js_str(r->opt.holm ? "Holm" : "Benjamini-Hochberg"));
	js_set(o, "confounded", js_bool(r->differences.confounding > 0));
	js_set(o, "exit", js_u64((uint64_t)report_exit(r, false)));
	js_set(o, "differences", list);
	js_set(o, "suite", suite);
	js_set(o, "cells", cells);
	return o;
}

/* RFC 4180. */
static void csv_text(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

static void csv_number(double v, FILE *out)
{
	if (isnan(v) || isinf(v))
		fputc(',', out);
	else
		fprintf(out, ",%.10g", v);
}

void report_csv(const struct report *r, FILE *out)
{
	fputs("verdict,gated,step,metric,unit,variant,base_median,new_median,ratio,ratio_lo,ratio_hi,p,q,p_rank,"
	      "base_n,new_n,method\n",
	      out);
	for (size_t i = 0; i < r->n; i++) {
		const struct comparison *c = &r->v[i];
		const double numbers[] = { basic_median(c->base->v, c->base->n), basic_median(c->new->v, c->new->n),
					   c->ratio, c->ratio_lo, c->ratio_hi, c->p, c->q, c->p_rank,
					   (double)c->base->n, (double)c->new->n };

		fprintf(out, "%s,%d,", verdict_name(c->verdict), c->gated);
		csv_text(c->base->step, out);
		fputc(',', out);
		csv_text(c->base->metric, out);
		fprintf(out, ",%s,", c->base->unit);
		csv_text(c->base->variant, out);
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
			csv_number(numbers[k], out);
		fprintf(out, ",%s\n", c->method);
	}
}

static void xml_text(const char *s, FILE *out)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*s < 0x20 ? ' ' : *s, out);
		}
	}
}

/* REGRESSED is a failure; what could not be settled is skipped, not passed. */
static void junit_case(const struct comparison *c, FILE *out)
{
	fputs("  <testcase classname=\"", out);
	xml_text(c->base->step, out);
	fputs("\" name=\"", out);
	xml_text(c->base->metric, out);
	fputc(' ', out);
	xml_text(c->base->variant, out);
	fputs("\">", out);
	if (c->verdict == VERDICT_REGRESSED)
		fprintf(out, "<failure message=\"%+.1f %% (%+.1f..%+.1f %%), q = %.3g\"/>", 100 * (c->ratio - 1),
			100 * (c->ratio_lo - 1), 100 * (c->ratio_hi - 1), c->q);
	else if (c->verdict <= VERDICT_NO_RATIO)
		fprintf(out, "<skipped message=\"%s\"/>", verdict_name(c->verdict));
	fputs("</testcase>\n", out);
}

void report_junit(const struct report *r, FILE *out)
{
	size_t tests = 0, failures = 0, skipped = 0;
	bool refused = r->differences.confounding && !r->forced;

	for (size_t i = 0; i < r->n; i++) {
		tests += r->v[i].gated;
		failures += r->v[i].gated && r->v[i].verdict == VERDICT_REGRESSED;
		skipped += r->v[i].gated && r->v[i].verdict > VERDICT_REGRESSED && r->v[i].verdict <= VERDICT_NO_RATIO;
	}
	if (refused) {
		tests = 1;
		failures = skipped = 0;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fprintf(out, "<testsuite name=\"fstrial compare\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"%d\">\n",
		tests, failures, skipped, refused);
	if (refused)
		fprintf(out, "  <testcase classname=\"compare\" name=\"comparable\"><error message=\"%zu conditions "
			     "differ\"/></testcase>\n",
			r->differences.confounding);
	for (size_t i = 0; !refused && i < r->n; i++)
		if (r->v[i].gated)
			junit_case(&r->v[i], out);
	fputs("</testsuite>\n", out);
}
