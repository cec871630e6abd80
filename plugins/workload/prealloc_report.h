/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the workload prealloc says in the result: figures of all files, notes of each. */
#pragma once

#include "prealloc_state.h"

/* Files that have notes of their own; more would only make the result long. */
enum { PREALLOC_NOTED_FILES = 32 };

static const char *const prealloc_pass_names[PREALLOC_PASSES] = { "first_write", "overwrite" };
static const char *const prealloc_look_names[PREALLOC_LOOKS] = { "before", "first_write",
								 "overwrite" };
static const char *const prealloc_counter_names[PREALLOC_COUNTERS] = {
	[PREALLOC_LOG_WRITES] = "log_writes",	    [PREALLOC_LOG_BYTES] = "log_bytes",
	[PREALLOC_LOG_FORCES] = "log_forces",	    [PREALLOC_TRANSACTIONS] = "transactions",
	[PREALLOC_DEVICE_WRITES] = "device_writes", [PREALLOC_FLUSHES] = "flushes",
};

/* One pass over all files. */
struct prealloc_total {
	uint64_t writes, bytes;
	double ns;	/* of all files together */
	double busy_ns; /* during which a pass was going on */
	double count[PREALLOC_COUNTERS];
	uint64_t counted_writes;
};

static double prealloc_div(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* One file of each worker: the pass takes as long as the slowest of them. */
static void prealloc_total_round(const struct prealloc_state *st, uint32_t round, int pass,
				 struct prealloc_total *t)
{
	const struct prealloc_round *rd = &st->round[round];
	uint64_t slowest = 0, writes = 0;
	bool whole = true;

	for (uint32_t i = round; i < st->n_files; i += st->n_rounds) {
		const struct prealloc_pass *p = &st->file[i].pass[pass];

		t->writes += p->writes;
		t->bytes += p->bytes;
		t->ns += (double)p->ns;
		writes += p->writes;
		slowest = p->ns > slowest ? p->ns : slowest;
		whole = whole && p->whole;
	}
	t->busy_ns += (double)slowest;
	if (!whole)
		return;
	t->counted_writes += writes;
	for (int c = 0; c < PREALLOC_COUNTERS; c++)
		t->count[c] += rd->end[pass].v[c] - rd->begin[pass].v[c];
}

static void prealloc_metric(struct fst_ctx *ctx, const char *prefix, const char *name, double v)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", prefix, name);
	fst_set_metric(ctx, key, v);
}

static void prealloc_report_passes(struct fst_ctx *ctx)
{
	const struct prealloc_state *st = ctx->state;
	struct prealloc_total total[PREALLOC_PASSES];

	memset(total, 0, sizeof(total));
	for (int p = 0; p < PREALLOC_PASSES; p++) {
		struct prealloc_total *t = &total[p];

		for (uint32_t i = 0; i < st->n_rounds; i++)
			prealloc_total_round(st, i, p, t);
		prealloc_metric(ctx, prealloc_pass_names[p], "throughput",
				prealloc_div((double)t->bytes * 1e9, t->busy_ns));
		for (int c = 0; c < PREALLOC_COUNTERS; c++)
			prealloc_metric(ctx, prealloc_pass_names[p], prealloc_counter_names[c],
					prealloc_div(t->count[c], (double)t->counted_writes));
	}
	fst_set_metric(
		ctx, "conversion_cost",
		prealloc_div(total[PREALLOC_FIRST].ns, (double)total[PREALLOC_FIRST].writes) -
			prealloc_div(total[PREALLOC_OVER].ns, (double)total[PREALLOC_OVER].writes));
}

/* How much slower was the first file than those after it? */
static double prealloc_first_file(const struct prealloc_state *st)
{
	const struct prealloc_pass *first = &st->file[0].pass[PREALLOC_FIRST];
	double ns = 0, writes = 0;

	for (uint32_t i = 0; i < st->n_files; i++) {
		const struct prealloc_pass *p = &st->file[i].pass[PREALLOC_FIRST];

		if (i % st->n_rounds == 0)
			continue;
		ns += (double)p->ns;
		writes += (double)p->writes;
	}
	return prealloc_div(prealloc_div((double)first->ns, (double)first->writes),
			    prealloc_div(ns, writes));
}

static void prealloc_report_look(struct fst_ctx *ctx, int when)
{
	const struct prealloc_state *st = ctx->state;
	double n = 0, extents = 0, unwritten = 0;

	for (uint32_t i = 0; i < st->n_files; i++) {
		const struct prealloc_look *l = &st->file[i].look[when];

		n += l->known;
		extents += (double)l->extents;
		unwritten += (double)l->unwritten;
	}
	prealloc_metric(ctx, "extents", prealloc_look_names[when], prealloc_div(extents, n));
	prealloc_metric(ctx, "unwritten", prealloc_look_names[when], prealloc_div(unwritten, n));
}

static void prealloc_report_place(struct fst_ctx *ctx)
{
	const struct prealloc_state *st = ctx->state;
	const struct extents_groups *g = &st->groups;
	double bytes = 0, position = 0, distance = 0, used = 0;
	char text[64];

	for (uint32_t i = 0; i < st->n_files; i++) {
		const struct prealloc_look *l = &st->file[i].look[PREALLOC_AFTER_FIRST];

		bytes += (double)l->bytes;
		position += l->position;
		distance += l->distance;
	}
	for (uint32_t i = 0; i < g->agcount; i++)
		used += st->group_used[i];
	fst_set_metric(ctx, "data_position", prealloc_div(position, bytes));
	fst_set_metric(ctx, "data_groups", g->agcount && bytes > 0 ? used : NAN);
	fst_set_metric(ctx, "log_position", g->log_size ? (double)g->log_at : NAN);
	fst_set_metric(ctx, "data_log_distance", g->log_size ? prealloc_div(distance, bytes) : NAN);
	if (!g->agcount)
		return;
	snprintf(text, sizeof(text), "%u of %llu bytes", g->agcount, (unsigned long long)g->agsize);
	fst_note(ctx, "groups", text);
	if (!g->log_size) {
		fst_note(ctx, "log", "on another device");
		return;
	}
	snprintf(text, sizeof(text), "%llu bytes in group %llu", (unsigned long long)g->log_size,
		 (unsigned long long)(g->log_at / g->agsize));
	fst_note(ctx, "log", text);
}

static void FST_PRINTF(4, 5)
	prealloc_note(struct fst_ctx *ctx, uint32_t file, const char *what, const char *fmt, ...)
{
	char key[64], value[128];
	va_list ap;

	snprintf(key, sizeof(key), "file.%u.%s", file, what);
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	fst_note(ctx, key, value);
}

static void prealloc_note_look(struct fst_ctx *ctx, uint32_t file, int when)
{
	const struct prealloc_state *st = ctx->state;
	const struct prealloc_look *l = &st->file[file].look[when];
	char key[48], groups[128] = "";

	if (!l->known)
		return;
	snprintf(key, sizeof(key), "extents_%s", prealloc_look_names[when]);
	prealloc_note(ctx, file, key, "%llu", (unsigned long long)l->extents);
	snprintf(key, sizeof(key), "unwritten_%s", prealloc_look_names[when]);
	prealloc_note(ctx, file, key, "%llu", (unsigned long long)l->unwritten);
	if (when != PREALLOC_AFTER_FIRST || !l->bytes)
		return;
	prealloc_note(ctx, file, "data_position", "%.0f", l->position / (double)l->bytes);
	if (st->groups.log_size)
		prealloc_note(ctx, file, "data_log_distance", "%.0f",
			      l->distance / (double)l->bytes);
	for (uint32_t i = 0; i < l->n_groups && i < PREALLOC_NAMED_GROUPS; i++)
		snprintf(groups + strlen(groups), sizeof(groups) - strlen(groups), "%s%u",
			 i ? "," : "", l->groups[i]);
	if (l->n_groups)
		prealloc_note(ctx, file, "groups", "%s%s", groups,
			      l->n_groups > PREALLOC_NAMED_GROUPS ? ",..." : "");
}

static void prealloc_note_pass(struct fst_ctx *ctx, uint32_t file, int pass)
{
	const struct prealloc_state *st = ctx->state;
	const struct prealloc_pass *p = &st->file[file].pass[pass];
	const struct prealloc_round *rd = &st->round[file % st->n_rounds];
	char key[64];

	if (!p->ns)
		return;
	snprintf(key, sizeof(key), "%s_throughput", prealloc_pass_names[pass]);
	prealloc_note(ctx, file, key, "%.0f", (double)p->bytes * 1e9 / (double)p->ns);
	snprintf(key, sizeof(key), "%s_ns", prealloc_pass_names[pass]);
	prealloc_note(ctx, file, key, "%.0f", (double)p->ns / (double)p->writes);
	/* With several workers the counters are of all their files together. */
	for (int c = 0; c < PREALLOC_COUNTERS && st->n_files == st->n_rounds; c++) {
		double n = rd->end[pass].v[c] - rd->begin[pass].v[c];

		snprintf(key, sizeof(key), "%s_%s", prealloc_pass_names[pass],
			 prealloc_counter_names[c]);
		if (!isnan(n))
			prealloc_note(ctx, file, key, "%.4g", n / (double)p->writes);
	}
}

static void prealloc_report(struct fst_ctx *ctx)
{
	const struct prealloc_state *st = ctx->state;
	double alloc = 0, n = 0;

	prealloc_report_passes(ctx);
	for (int when = 0; when < PREALLOC_LOOKS; when++)
		prealloc_report_look(ctx, when);
	prealloc_report_place(ctx);
	for (uint32_t i = 0; i < st->n_files; i++) {
		alloc += (double)st->file[i].alloc_ns;
		n += st->file[i].alloc_ns != 0;
	}
	fst_set_metric(ctx, "prealloc_time", prealloc_div(alloc, n));
	fst_set_metric(ctx, "first_file_penalty", prealloc_first_file(st));
	for (uint32_t i = 0; i < st->n_files && i < PREALLOC_NOTED_FILES; i++) {
		if (st->file[i].alloc_ns)
			prealloc_note(ctx, i, "prealloc_ns", "%llu",
				      (unsigned long long)st->file[i].alloc_ns);
		for (int when = 0; when < PREALLOC_LOOKS; when++)
			prealloc_note_look(ctx, i, when);
		for (int p = 0; p < PREALLOC_PASSES; p++)
			prealloc_note_pass(ctx, i, p);
	}
}
