/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial plan */
#include "core/cli/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cli/command.h"
#include "core/cli/load.h"
#include "core/util/text.h"
#include "core/run/plan.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define PLAN_FORMAT "fstrial-plan/1"
#define PLAN_LABEL 14	 /* columns */
#define PLAN_VARIANTS 20 /* listed as text */

struct plan_args {
	struct load_args load;
	bool json;
};

static const struct arg plan_args_table[] = {
	{ "json", NULL, "Print the plan, with all variants, as JSON.", ARG_FLAG,
	  offsetof(struct plan_args, json), NULL },
	LOAD_ARGS_JOB(plan_args),
};

static void _printf_(2, 3) plan_line(const char *label, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	_cleanup_free_ char *clean = NULL;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	clean = text_clean(strbuf_str(&text));
	text_wrap(&out, clean, PLAN_LABEL, PLAN_LABEL, COMMAND_WIDTH);
	printf("%-*s%s", PLAN_LABEL, label, strbuf_str(&out));
}

static const char *plan_bytes(uint64_t bytes, char *buf, size_t size)
{
	return units_format_metric((double)bytes, "bytes", buf, size);
}

/* "agcount (4) x bs (2), 1 left out" */
static void plan_matrix(const struct job *job)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t f = 0; f < job->n_factors; f++)
		strbuf_addf(&text, "%s%s (%u)", f ? " x " : ": ", job->factors[f].name,
			    job->factors[f].n);
	if (job->n_cells > job->n_variants)
		strbuf_addf(&text, ", %u left out", job->n_cells - job->n_variants);
	plan_line("variants", "%u%s", job->n_variants, strbuf_str(&text));
}

/* "mkfs", "read (when)"; of a group "(writer", "reader)", between them a plus. */
static void plan_step_name(const struct job *job, size_t i, struct strbuf *sb)
{
	const struct job_step *s = &job->steps[i];
	const struct job_parallel *g = s->parallel;
	bool first = g && i == g->first, last = g && i == g->first + g->n - 1;

	strbuf_addf(sb, "%s%s%s%s%s%s", !sb->len ? "" : g && !first ? " + " : ", ", first ? "(" : "",
		    s->name, s->when ? " (when)" : "", last ? ")" : "",
		    last && g->when ? " (when)" : "");
}

static void plan_steps(const struct job *job, const struct plan *p)
{
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, trial = STRBUF_INIT;

	for (size_t i = 0; i < job->n_steps; i++) {
		plan_step_name(job, i, i < job->n_once ? &once : &trial);
	}
	plan_line("steps", "%" PRIu64, p->steps);
	if (once.len)
		plan_line("  once", "%s", strbuf_str(&once));
	plan_line("  each trial", "%s", strbuf_str(&trial));
}

static void plan_target(const struct job *job)
{
	const struct job_target *t = &job->target;
	char size[40], count[32] = "a sparse image";

	switch (t->kind) {
	case TARGET_SCRATCH:
		if (t->scratch_count > 1)
			snprintf(count, sizeof(count), "%u sparse images", t->scratch_count);
		plan_line("target", "scratch: %s of %s in %s, made and removed by the run", count,
			  units_format_size(t->scratch_size, size, sizeof(size)), t->scratch_dir);
		break;
	case TARGET_DEVICE:
		for (char **name = t->devices; *name; name++)
			plan_line(name == t->devices ? "target" : "", "device %s", *name);
		break;
	case TARGET_DIRECTORY:
		plan_line("target", "directory: a folder of its own below %s, removed by the run",
			  t->directory);
		break;
	}
}

/* "everything on /dev/sdb1 (931.5 GiB): an xfs file system (label home)" */
static void plan_destroys(const struct plan *p)
{
	const char *label = "destroyed";
	const json_t *d;
	size_t i;

	if (!p->destroys)
		plan_line(label, "nothing");
	json_array_foreach(p->devices, i, d)
	{
		const char *holds = js_get_str(d, "holds", "what it holds cannot be read");
		const char *use = js_get_str(d, "use", NULL);
		uint64_t bytes = js_get_u64(d, "size_bytes", 0);
		char size[48] = "?";

		if (!p->destroys)
			break;
		if (bytes)
			units_format_size(bytes, size, sizeof(size));
		plan_line(label, "everything on %s (%s): %s%s%s", js_get_str(d, "device", ""), size, holds,
			  use ? "; it is " : "", use ? use : "");
		label = "";
	}
	json_array_foreach(p->devices, i, d)
	{
		if (js_get_str(d, "refused", NULL))
			plan_line("refused", "%s", js_get_str(d, "refused", ""));
	}
}

/* "queue/scheduler: none -> bfq, kyber" */
static char *plan_change_text(const json_t *c)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	const char *file = js_get_str(c, "file", NULL), *now = js_get_str(c, "now", NULL);
	uint64_t more = js_get_u64(c, "more", 0);
	const json_t *values = json_object_get(c, "values");

	if (file)
		strbuf_addf(&sb, "%s: %s ->", file, now ? now : "?");
	for (size_t i = 0; i < json_array_size(values); i++)
		strbuf_addf(&sb, "%s %s", i ? "," : "", json_string_value(json_array_get(values, i)));
	if (!file)
		strbuf_addstr(&sb, js_get_str(c, "text", ""));
	if (more)
		strbuf_addf(&sb, " (and %" PRIu64 " more)", more);
	if (json_is_true(json_object_get(c, "put_back")))
		strbuf_addstr(&sb, "; put back");
	return strbuf_steal(&sb);
}

static void plan_changes(const struct plan *p)
{
	const json_t *c;
	size_t i;

	if (json_array_size(p->changes))
		plan_line("changed", "by setup steps, undone in reverse where it says \"put back\"");
	json_array_foreach(p->changes, i, c)
	{
		_cleanup_free_ char *text = plan_change_text(c);
		const char *step = js_get_str(c, "step", "");
		bool once = json_is_true(json_object_get(c, "once"));

		plan_line("", "%s%s: %s", once ? "once " : "", step, text);
	}
}

/* "3 h 20 min", "5 min 10 s", "12 s" */
static const char *plan_time(uint64_t ns, char *buf, size_t size)
{
	uint64_t s = (ns + 999999999) / 1000000000;

	if (s >= 3600)
		snprintf(buf, size, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		snprintf(buf, size, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(buf, size, "%" PRIu64 " s", s);
	return buf;
}

static void plan_amounts(const struct plan *p)
{
	char text[64];

	plan_line("written", "%s", plan_bytes(p->bytes_written, text, sizeof(text)));
	plan_line("read", "%s", plan_bytes(p->bytes_read, text, sizeof(text)));
	plan_line("files", "%" PRIu64, p->files);
	plan_line("data set", "%s at most in one trial",
		  plan_bytes(p->peak_bytes, text, sizeof(text)));
	plan_line("time", "about %s or more", plan_time(p->time_ns, text, sizeof(text)));
}

static void plan_variants(const struct job *job)
{
	uint32_t n = MIN(job->n_variants, (uint32_t)PLAN_VARIANTS);

	if (!job->n_factors)
		return;
	printf("\nvariants:\n");
	for (uint32_t i = 0; i < n; i++) {
		_cleanup_free_ char *id = job_variant_id(job, i), *raw = job_variant_text(job, i);
		_cleanup_free_ char *text = text_clean(raw);
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
		size_t column = 4 + text_width(id);

		text_wrap(&out, text, column, column, COMMAND_WIDTH);
		printf("  %s  %s", id, strbuf_str(&out));
	}
	if (job->n_variants > n)
		printf("  ... and %u more\n", job->n_variants - n);
}

static void plan_print_text(const struct job *job, const struct plan *p)
{
	plan_line("job", "%s%s%s", job->name, job->description && *job->description ? ": " : "",
		  job->description ? job->description : "");
	plan_target(job);
	plan_destroys(p);
	plan_matrix(job);
	plan_line("repeats", "%u, %s", p->repeats,
		  job->order == ORDER_SHUFFLED ? "each in a shuffled order of its own"
					       : "in the order listed");
	plan_line("trials", "%" PRIu64, p->trials);
	plan_steps(job, p);
	plan_changes(p);
	plan_amounts(p);
	for (size_t i = 0; p->warnings && p->warnings[i]; i++)
		plan_line("warning", "%s", p->warnings[i]);
	plan_variants(job);
}

/* Variants go out one by one: there may be a hundred thousand. */
static void plan_print_json(const struct job *job, const struct plan *p)
{
	_cleanup_json_ json_t *plan = plan_json(job, p);
	_cleanup_free_ char *text = js_dump(plan);

	printf("{\n\"format\": \"" PLAN_FORMAT "\",\n\"plan\": %s,\n\"variants\": [", text);
	for (uint32_t i = 0; i < job->n_variants; i++) {
		_cleanup_json_ json_t *v = js_object();
		_cleanup_free_ char *id = job_variant_id(job, i);
		_cleanup_free_ char *line = NULL;

		js_set(v, "id", js_str(id));
		js_set(v, "values", job_variant_json(job, i));
		line = js_dump(v);
		printf("%s\n%s", i ? "," : "", line);
	}
	printf("\n]\n}\n");
}

int plan_show(const struct job *job, bool json)
{
	struct err e = { 0 };
	struct plan p = { 0 };
	int r = plan_make(job, &p, &e);

	if (r < 0)
		log_error("%s", e.text);
	else if (json)
		plan_print_json(job, &p);
	else
		plan_print_text(job, &p);
	plan_release(&p);
	return r < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static int plan_run(int argc, char **argv)
{
	struct plan_args a = { 0 };
	struct arg_list operands;
	struct registry reg;
	struct job job;
	int code = command_args(&command_plan, argc, argv, &a, &operands);

	if (code < 0) {
		code = load_registry(&a.load, &reg);
		if (code == 0) {
			code = load_job(operands.v[0], &a.load, &reg, &job);
			if (code == 0)
				code = plan_show(&job, a.json);
			job_release(&job);
		}
		registry_release(&reg);
	}
	args_free_list(&operands);
	load_free(&a.load);
	return code;
}

const struct command command_plan = {
	.name = "plan",
	.usage = "JOB [options]",
	.summary = "say what a job will do, and how long it takes",
	.help = "Checks the job and prints its variants and trials, how much will be written and "
		"read, how long "
		"it takes at least, which devices lose what is on them, what is there now, and what "
		"each setup step changes and puts back. Touches nothing and needs no root; as root it "
		"also says what the guard would refuse.\n\n"
		"The time is a lower bound: what is bounded by runtime, and a guess for the "
		"rest.\n\n"
		"Exit codes: 0 printed; 2 the job is not good; 5 a step wants a device that is "
		"none of the target's.",
	.args = ARG_TABLE(plan_args_table),
	.min_operands = 1,
	.max_operands = 1,
	.run = plan_run,
};
