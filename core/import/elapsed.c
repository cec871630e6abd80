/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures held against how long the whole took. */
#include <math.h>

#include "core/import/bonnie.h"
#include "core/import/model.h"
#include "core/util/json.h"
#include "core/util/str.h"

/* Starting, laying out and cleaning up take their time besides; clocks and rounding may take some away. */
#define ELAPSED_MORE_S 10.0
#define ELAPSED_MORE 0.03
#define ELAPSED_LESS_S 2.0
#define ELAPSED_LESS 0.01
#define ELAPSED_NEAR 0.05 /* of amount, time and rate of one step */

/* How many runs the time is of, as it seems; 0: no whole number. */
static int elapsed_runs(double elapsed, double expected)
{
	double ratio = elapsed / expected;
	int n = (int)rint(ratio);

	return n >= 2 && n <= 100 && fabs(ratio / n - 1) < 0.02 ? n : 0;
}

/* The time that is left is the damaged phase's. */
static void say_left(struct import *im, const struct import_row *row, double left)
{
	json_t *step;
	size_t i;

	json_array_foreach(row->steps, i, step)
	{
		const json_t *params = json_object_get(step, "params");
		const json_t *metric = json_object_get(json_object_get(step, "metrics"), "rate");
		double files = js_get_real(params, "files", NAN);

		if (str_eq(js_get_str(json_object_get(metric, "source"), "note", ""),
			   IMPORT_DAMAGE) &&
		    left > 0 && files > 0)
			import_find(im, IMPORT_NOTE, row->source, row->line,
				    "%s: the other figures leave %.1f s, so that its rate was %.0f "
				    "/s or more",
				    js_get_str(step, "name", ""), left, files / left);
	}
}

static void check_row(struct import *im, struct import_row *row)
{
	double elapsed = row->elapsed_s, expected = row->expected_s, over = elapsed - expected;
	int runs = elapsed_runs(elapsed, expected);

	if (over < -fmax(ELAPSED_LESS_S, ELAPSED_LESS * expected))
		import_warn(im, row, "took %.2f s, but its figures need %.2f s", elapsed, expected);
	else if (row->shape == IMPORT_DAMAGED)
		say_left(im, row, over);
	else if (over > fmax(ELAPSED_MORE_S, ELAPSED_MORE * expected) && runs)
		import_warn(im, row,
			    "took %.2f s, and its figures are of %.2f s: the time of %d runs?",
			    elapsed, expected, runs);
	else if (over > fmax(ELAPSED_MORE_S, ELAPSED_MORE * expected))
		import_warn(im, row, "took %.2f s, but its figures explain %.2f s of them only",
			    elapsed, expected);
	else
		import_find(im, IMPORT_NOTE, row->source, row->line,
			    "took %.2f s, its figures say %.2f s: they agree", elapsed, expected);
}

/* First metric of a step in this unit; NAN: none. */
static double step_value(const json_t *step, const char *unit)
{
	const char *name;
	json_t *m;

	json_object_foreach(json_object_get(step, "metrics"), name, m)
	{
		if (str_eq(js_get_str(m, "unit", ""), unit))
			return js_get_real(m, "value", NAN);
	}
	return NAN;
}

/* Amount, time and rate of one step, where a table has all three. How many were held against each other. */
static size_t check_steps(struct import *im, struct import_row *row)
{
	static const char *const pairs[][2] = { { "bytes", "bytes/s" }, { "count", "ops/s" } };
	json_t *step;
	size_t i, n = 0;

	json_array_foreach(row->steps, i, step)
	{
		double ns = step_value(step, "ns"), s = isnan(ns) ? row->elapsed_s : ns / 1e9;

		for (size_t k = 0; k < ARRAY_SIZE(pairs); k++) {
			double is = step_value(step, pairs[k][0]) / s,
			       said = step_value(step, pairs[k][1]);

			n += isfinite(is / said);
			if (isfinite(is / said) && fabs(is / said - 1) > ELAPSED_NEAR)
				import_warn(im, row,
					    "%s: %.6g %s are claimed, but amount and time say %.6g "
					    "(%.4g times)",
					    js_get_str(step, "name", ""), said, pairs[k][1], is,
					    said / is);
		}
	}
	return n;
}

void import_check_elapsed(struct import *im)
{
	size_t n = 0;

	for (size_t i = 0; i < im->rows.n; i++) {
		struct import_row *row = &im->rows.v[i];

		if (!isnan(row->elapsed_s) && !isnan(row->expected_s)) {
			check_row(im, row);
			n++;
		}
		if (str_eq(im->sources.v[row->source].format, "csv"))
			n += check_steps(im, row);
	}
	if (!n && im->rows.n)
		import_find(im, IMPORT_NOTE, im->rows.v[0].source, 0,
			    "--check-elapsed: no row says how long it took and enough figures to "
			    "hold against that");
}
