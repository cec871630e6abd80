/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result document as rows of bonnie++ 1.03. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/record/bonnie.h"
#include "core/report/show_formats.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/text.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

static json_t *bonnie_step(const json_t *trial, const char *name)
{
	json_t *step;
	size_t i;

	json_array_foreach(json_object_get(trial, "steps"), i, step)
	{
		if (str_eq(js_get_str(step, "name", ""), name) &&
		    str_eq(js_get_str(step, "kind", ""), "workload"))
			return step;
	}
	return NULL;
}

/*
 * The step's figure in the phase's unit, as each plugin calls it otherwise: a primary one, else the first
 * that there is. Of metadata each kind of operation has one, and a phase does a single kind.
 */
static const json_t *bonnie_metric(const json_t *step, const char *unit)
{
	const json_t *found = NULL;
	const char *name;
	json_t *m;

	json_object_foreach(json_object_get(step, "metrics"), name, m)
	{
		bool there = json_is_number(json_object_get(m, "value")) ||
			     json_object_get(m, "source");

		if (!there || !str_eq(js_get_str(m, "unit", ""), unit))
			continue;
		if (json_is_true(json_object_get(m, "primary")))
			return m;
		found = found ? found : m;
	}
	return found;
}

/* ---- fields ---- */

/* As few digits as read back the same. */
static void bonnie_number(double v, struct strbuf *out)
{
	char text[40];

	if (!isfinite(v))
		return;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v && !strchr(text, 'e'))
			break;
	}
	/* Old readers know no exponents. */
	if (strchr(text, 'e'))
		snprintf(text, sizeof(text), "%.6f", v);
	strbuf_addstr(out, text);
}

/* As the other tool printed it, where it printed it in the unit that is wanted. */
static bool bonnie_printed(const json_t *m, const char *unit, struct strbuf *out)
{
	const json_t *source = json_object_get(m, "source");
	const struct units_named *was = units_named_find(js_get_str(source, "unit", NULL)),
				 *is = units_named_find(unit);
	const char *text = js_get_str(source, "text", NULL), *note = js_get_str(source, "note", "");

	if (!text || !was || !is || was->factor != is->factor || !str_eq(was->unit, is->unit) ||
	    str_eq(note, "damaged") || str_eq(note, "rounded") || text[strspn(text, "0123456789.+-e")])
		return false;
	strbuf_addstr(out, text);
	return true;
}

static void bonnie_rate(const json_t *step, const struct bonnie_phase *p, struct strbuf *out)
{
	const json_t *m = bonnie_metric(step, p->unit);
	const bool good = str_eq(js_get_str(step, "status", ""), "ok");

	if (m && good && !bonnie_printed(m, p->source_unit, out))
		bonnie_number(js_get_real(m, "value", NAN) / p->factor, out);
}

/* Of an imported one the CPU that it says; else time of the measured process to time that went by. */
static void bonnie_cpu(const json_t *step, struct strbuf *out)
{
	const json_t *measured = json_object_get(step, "measured");
	const json_t *m = json_object_get(json_object_get(step, "metrics"), "cpu");
	const json_t *cpu = json_object_get(measured, "cpu");
	double busy = js_get_real(cpu, "user_ns", NAN) + js_get_real(cpu, "system_ns", NAN);
	double percent = 100 * busy / js_get_real(measured, "elapsed_ns", NAN);

	if (!str_eq(js_get_str(step, "status", ""), "ok") || bonnie_printed(m, "%", out))
		return;
	if (m)
		bonnie_number(rint(js_get_real(m, "value", NAN) * 1e10) / 1e8, out);
	else if (isfinite(percent))
		strbuf_addf(out, "%.0f", floor(percent));
}

static void bonnie_pair(const json_t *trial, int phase, struct strbuf *out)
{
	const json_t *step = bonnie_step(trial, bonnie_phases[phase].step);

	strbuf_addch(out, ',');
	if (step)
		bonnie_rate(step, &bonnie_phases[phase], out);
	strbuf_addch(out, ',');
	if (step)
		bonnie_cpu(step, out);
}

/* ---- what was worked on ---- */

/* First of the parameters that a step of these phases has as a number. */
static double bonnie_param(const json_t *trial, int first, int last, const char *const *names)
{
	for (int i = first; i < last; i++) {
		const json_t *params = json_object_get(bonnie_step(trial, bonnie_phases[i].step),
						       "params");

		for (size_t k = 0; names[k]; k++) {
			double v = js_get_real(params, names[k], NAN);

			if (!isnan(v))
				return v;
		}
	}
	return NAN;
}

/* The size in the block phases counts: per char another block size may be used. */
static void bonnie_size(const json_t *trial, struct strbuf *out)
{
	static const char *const sizes[] = { "file_size", "size", NULL }, *const chunks[] = {
		"chunk_size", "bs", NULL
	};
	double size = bonnie_param(trial, 1, BONNIE_IO_PHASES, sizes);

	if (isnan(size))
		size = bonnie_param(trial, 0, 1, sizes);
	bonnie_format_size(size, bonnie_param(trial, 1, BONNIE_IO_PHASES, chunks), out);
}

static void bonnie_files(const json_t *trial, struct strbuf *out)
{
	static const char *const files[] = { "files", NULL },
				 *const max[] = { "files_max", "size_max", NULL },
				 *const min[] = { "files_min", "size_min", NULL },
				 *const dirs[] = { "dirs", NULL };
	const int first = BONNIE_IO_PHASES, last = BONNIE_PHASES;
	const struct bonnie_files f = {
		.n = bonnie_param(trial, first, last, files),
		.max = bonnie_param(trial, first, last, max),
		.min = bonnie_param(trial, first, last, min),
		.dirs = bonnie_param(trial, first, last, dirs),
	};

	bonnie_format_files(&f, out);
}

/* ---- the name ---- */

/* A row has no quotes: what would break it, or a pair out of which it is read back, goes as %2C and so on. */
static void bonnie_escape(const char *s, struct strbuf *out)
{
	uint32_t c;

	for (size_t len; *s; s += len) {
		if (!text_is_harmful(s, &len, &c) && !strchr(",;=% \"", *s)) {
			strbuf_add(out, s, len);
			continue;
		}
		for (size_t i = 0; i < len; i++)
			strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)s[i]);
	}
}

static void bonnie_plain_name(const char *s, struct strbuf *out)
{
	_cleanup_free_ char *clean = text_clean(s);

	for (const char *p = clean; *p; p++)
		strbuf_addch(out, strchr(",\"", *p) ? ' ' : *p);
}

static const json_t *bonnie_values(const json_t *doc, const char *id)
{
	json_t *variant;
	size_t i;

	json_array_foreach(json_object_get(doc, "variants"), i, variant)
	{
		if (str_eq(js_get_str(variant, "id", ""), id))
			return json_object_get(variant, "values");
	}
	return NULL;
}

/* The machine it came from, else the factors as NAME=VALUE, else the job. */
static void bonnie_name(const json_t *doc, const json_t *trial, struct strbuf *out)
{
	json_t *values = (json_t *)bonnie_values(doc, js_get_str(trial, "variant", "")), *v;
	const char *machine = js_get_str(values, "machine", NULL), *key;

	if (machine && json_object_size(values) == 1) {
		bonnie_plain_name(machine, out);
		return;
	}
	json_object_foreach(values, key, v)
	{
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v))
							      : js_dump(v);

		if (out->len)
			strbuf_addch(out, ';');
		bonnie_escape(key, out);
		strbuf_addch(out, '=');
		bonnie_escape(text, out);
	}
	if (!out->len)
		bonnie_plain_name(js_get_str(json_object_get(doc, "job"), "name", "fstrial"), out);
}

/* Has the trial any figure? A row without one is no row. */
static bool bonnie_any(const json_t *trial)
{
	_cleanup_strbuf_ struct strbuf rates = STRBUF_INIT;

	for (int i = 0; i < BONNIE_PHASES; i++)
		bonnie_rate(bonnie_step(trial, bonnie_phases[i].step), &bonnie_phases[i], &rates);
	return rates.len;
}

static bool bonnie_trial(const json_t *doc, const json_t *trial, FILE *out)
{
	_cleanup_strbuf_ struct strbuf row = STRBUF_INIT;

	if (!bonnie_any(trial))
		return false;
	bonnie_name(doc, trial, &row);
	strbuf_addch(&row, ',');
	bonnie_size(trial, &row);
	for (int i = 0; i < BONNIE_IO_PHASES; i++)
		bonnie_pair(trial, i, &row);
	strbuf_addch(&row, ',');
	bonnie_files(trial, &row);
	for (int i = BONNIE_IO_PHASES; i < BONNIE_PHASES; i++)
		bonnie_pair(trial, i, &row);
	fprintf(out, "%s\n", strbuf_str(&row));
	return true;
}

int show_bonnie(const json_t *doc, FILE *out, struct err *e)
{
	json_t *trial;
	size_t i, n = 0;

	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		n += bonnie_trial(doc, trial, out);
	}
	if (!n)
		return err_set(e, ENOENT,
			       "there is no figure of a step that is called as a phase of "
			       "bonnie++: putc, write, "
			       "rewrite, getc, read, "
			       "seeks, seq_create and so on, as in jobs/bonnie.job");
	return 0;
}
