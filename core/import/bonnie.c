/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of bonnie: from texts to steps of a row. */
#include "core/import/bonnie.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/number.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define BONNIE_SLEEP 5.0    /* seconds that 1.0x sleeps before its seeks */
#define BONNIE_SEEKS 8192.0 /* that it makes */
#define BONNIE_SHORT 0.3    /* taken for a phase that was too short for a rate */

static bool present(const char *text)
{
	return text && *text;
}

/* Two or more plus signs; "++++" and the like come from copying by hand. */
static bool censored(const char *text)
{
	size_t n = strspn(text, "+");

	return n >= 2 && !text[n];
}

bool bonnie_is_rate(const char *text)
{
	double v;

	return !*text || censored(text) || import_number(text, &v, NULL) == 0;
}

/* A number, with the k, m or g of version 2's tables where they are allowed. */
static int rate_value(const char *text, bool prefixed, double *v, struct err *e)
{
	static const char letters[] = "kmgt";
	size_t n = strlen(text);
	const char *letter = prefixed && n > 1 ? strchr(letters, text[n - 1] | 0x20) : NULL;
	_cleanup_free_ char *plain = xstrndup(text, letter ? n - 1 : n);

	if (import_number(plain, v, e) < 0)
		return -EINVAL;
	if (*v < 0)
		return err_set(e, EINVAL, "\"%s\" is negative", text);
	/* KiB/s there, with or without a letter for the next ones. */
	if (letter)
		*v = ldexp(*v, 10 * (int)(letter - letters));
	return 0;
}

/* ---- the row as a whole ---- */

struct bonnie_facts {
	double size, chunk;
	struct bonnie_files files;
	bool averaged; /* decimals where bonnie++ prints none */
};

static bool has_decimals(const char *text)
{
	return present(text) && strchr(text, '.');
}

static int row_facts(const struct bonnie_row *b, struct bonnie_facts *f, struct err *e)
{
	*f = (struct bonnie_facts){ NAN, NAN, { NAN, NAN, NAN, NAN, NULL }, false };
	if (present(b->size) && !bonnie_parse_size(b->size, &f->size, &f->chunk))
		return err_set(e, EINVAL, "size of the file: \"%.40s\" is none", b->size);
	if (present(b->files) && !bonnie_parse_files(b->files, &f->files))
		return err_set(e, EINVAL, "number of files: \"%.40s\" is none", b->files);
	/* Classic bonnie prints its CPU with a decimal anyhow. */
	for (int i = 0; i < BONNIE_PHASES && str_eq(b->kind, BONNIE_KIND_10); i++)
		f->averaged = f->averaged || has_decimals(b->cpu[i]) ||
			      (!str_eq(bonnie_phases[i].step, "seeks") && has_decimals(b->rate[i]));
	return 0;
}

/* What a phase did at least, to be done within half a second. */
static double phase_work(const struct bonnie_facts *f, int phase)
{
	if (phase < BONNIE_IO_PHASES - 1)
		return f->size;
	return phase == BONNIE_IO_PHASES - 1 ? NAN : f->files.n;
}

static json_t *phase_params(const struct bonnie_row *b, const struct bonnie_facts *f, int phase)
{
	json_t *p = js_object();

	js_set(p, "format", js_str(b->kind));
	js_set(p, "phase", js_str(bonnie_phases[phase].step));
	if (b->concurrency)
		js_set(p, "concurrency", js_str(b->concurrency));
	if (phase < BONNIE_IO_PHASES) {
		js_set(p, "file_size", js_real(f->size));
		/* 1.0x says it only where it is another one than this. */
		js_set(p, "chunk_size",
		       js_real(isnan(f->chunk) && str_eq(b->kind, BONNIE_KIND_10) ? 8192
										  : f->chunk));
	} else {
		js_set(p, "files", js_real(f->files.n));
		js_set(p, "files_max", js_real(f->files.max));
		js_set(p, "files_min", js_real(f->files.min));
		js_set(p, "dirs", js_real(f->files.dirs));
		if (f->files.links)
			js_set(p, "links", js_str(f->files.links));
	}
	return p;
}

/* ---- one figure ---- */

static int phase_rate(const struct bonnie_row *b, const struct bonnie_facts *f, int phase,
		      struct import_figure *out, struct err *e)
{
	const struct bonnie_phase *p = &bonnie_phases[phase];
	const char *text = b->rate[phase];
	double v;

	*out = (struct import_figure){
		NAN, NAN, p->unit, "higher", true, text, p->source_unit, NULL
	};
	if (phase == b->damaged) {
		out->note = IMPORT_DAMAGE;
		return 0;
	}
	if (censored(text)) {
		out->note = IMPORT_CENSORED;
		out->at_least = phase_work(f, phase) / BONNIE_MIN_S;
		return 0;
	}
	if (rate_value(text, b->rounded, &v, e) < 0)
		return -EINVAL;
	if (v == 0) {
		out->note = f->averaged ? IMPORT_AVERAGED : IMPORT_DAMAGE;
		return 0;
	}
	out->value = v * p->factor;
	out->note = b->rounded ? IMPORT_ROUNDED : NULL;
	return 0;
}

static int phase_cpu(const struct bonnie_row *b, int phase, const char *note,
		     struct import_figure *out, struct err *e)
{
	const char *text = b->cpu[phase];
	double v = NAN;

	*out = (struct import_figure){ NAN, NAN, "ratio", "neutral", false, text, "%", NULL };
	if (censored(text) || note) {
		out->note = note ? note : IMPORT_CENSORED;
		return 0;
	}
	if (import_number(text, &v, e) < 0)
		return -EINVAL;
	out->value = v / 100;
	return 0;
}

static int phase_latency(const char *text, struct import_figure *out, struct err *e)
{
	double s;

	*out = (struct import_figure){ NAN, NAN, "ns", "lower", false, text, NULL, NULL };
	if (censored(text))
		out->note = IMPORT_CENSORED;
	else if (import_duration(text, &s, e) < 0)
		return -EINVAL;
	else
		out->value = rint(s * 1e9);
	return 0;
}

/* ---- a phase ---- */

static void say_figure(struct import *im, struct import_row *row, json_t *step,
		       const struct bonnie_row *b, const struct import_figure *f)
{
	_cleanup_free_ char *text = NULL;
	const char *name = js_get_str(step, "name", "");

	if (str_eq(f->note, IMPORT_AVERAGED))
		text = xasprintf("%s in an averaged row are averaged censored values (\"+++++\"): "
				 "no measurement",
				 f->text);
	else if (str_eq(f->note, IMPORT_DAMAGE) &&
		 !str_eq(name, b->damaged < 0 ? "" : bonnie_phases[b->damaged].step))
		text = xasprintf("a rate of %s is no measurement", f->text);
	if (!text)
		return;
	import_step_warn(step, text);
	import_find(im, IMPORT_WARNING, row->source, row->line, "%s: %s", name, text);
}

static void phase_elapsed(struct import_row *row, const struct bonnie_row *b,
			  const struct bonnie_facts *f, int phase, const struct import_figure *rate)
{
	double work = phase == BONNIE_IO_PHASES - 1 ? BONNIE_SEEKS : phase_work(f, phase);

	if (!str_eq(b->kind, BONNIE_KIND_10) || phase == b->damaged)
		return;
	if (isnan(row->expected_s))
		row->expected_s = BONNIE_SLEEP;
	row->expected_s += str_eq(rate->note, IMPORT_CENSORED) ||
					   str_eq(rate->note, IMPORT_AVERAGED)
				   ? BONNIE_SHORT
				   : work / rate->value;
}

static int phase_add(struct import *im, struct import_row *row, const struct bonnie_row *b,
		     const struct bonnie_facts *f, int phase, struct err *e)
{
	const struct bonnie_phase *p = &bonnie_phases[phase];
	struct import_figure rate, cpu, latency;
	const char *doubt;
	json_t *step;

	if (!present(b->rate[phase])) /* skipped with -s 0, -n 0 or -f, or blanked by hand */
		return 0;
	if (phase_rate(b, f, phase, &rate, e) < 0) {
		err_prefix(e, "rate of %s", p->step);
		return -EINVAL;
	}
	step = import_step(row, p->step, "bonnie++", phase_params(b, f, phase));
	import_metric(row, step, p->metric, &rate);
	say_figure(im, row, step, b, &rate);
	phase_elapsed(row, b, f, phase, &rate);
	doubt = str_eq(rate.note, IMPORT_DAMAGE) || str_eq(rate.note, IMPORT_AVERAGED) ? rate.note
										       : NULL;
	if (present(b->cpu[phase])) {
		if (phase_cpu(b, phase, doubt, &cpu, e) < 0) {
			err_prefix(e, "CPU of %s", p->step);
			return -EINVAL;
		}
		import_metric(row, step, "cpu", &cpu);
	}
	if (present(b->latency[phase])) {
		if (phase_latency(b->latency[phase], &latency, e) < 0) {
			err_prefix(e, "latency of %s", p->step);
			return -EINVAL;
		}
		import_metric(row, step, "latency_max", &latency);
	}
	return 0;
}

static void drop_row(struct import *im, size_t source)
{
	import_free_row(&im->rows.v[im->rows.n - 1]);
	im->rows.n--;
	im->sources.v[source].rows--;
}

struct import_row *bonnie_add(struct import *im, size_t source, unsigned line, const char *label,
			      const struct bonnie_row *b)
{
	struct import_row *row = import_row(im, source, line, label);
	struct bonnie_facts facts;
	struct err e = { 0 };
	int r = row_facts(b, &facts, &e);

	for (int i = 0; r == 0 && i < b->no_phase; i++)
		r = phase_add(im, row, b, &facts, i, &e);
	if (r == 0 && !json_array_size(row->steps))
		r = err_set(&e, EINVAL, "there is no figure in the row");
	if (r < 0) {
		drop_row(im, source);
		import_find(im, IMPORT_REFUSED, source, line, "%s", e.text);
		return NULL;
	}
	row->averaged = facts.averaged;
	import_say_tool(&im->sources.v[source],
			str_eq(b->kind, BONNIE_KIND_CLASSIC) ? "bonnie" : "bonnie++",
			b->version			       ? b->version
			: str_eq(b->kind, BONNIE_KIND_CLASSIC) ? NULL
							       : b->kind);
	return row;
}
