/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: what a phase came to, and what is said of all of them. */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "metadata_phase.h"

/* Less is not to be trusted. */
#define METADATA_MIN_NS (METADATA_NS / 2)
/* More than one of so many operations of a mix that could not be what was drawn are said. */
#define METADATA_BENT 100
/* A rate that changes more from second to second than this share of its mean is said to swing. */
#define METADATA_SWING 0.25

static double metadata_rate(uint64_t n, uint64_t window_ns)
{
	return window_ns ? (double)n * METADATA_NS / (double)window_ns : NAN;
}

/* Whole seconds only, the last one is not. */
static void metadata_warn_swing(struct metadata_state *s, const char *name)
{
	const struct metadata_span *span = &s->span;
	double sum = 0, squares = 0, mean, low = INFINITY, high = 0;
	uint32_t n = 0;

	while (n < METADATA_SECONDS && s->ramp_ns + (n + 1) * (uint64_t)METADATA_NS <= span->end) {
		double v = (double)span->second[n++];

		sum += v;
		squares += v * v;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	if (n < 5)
		return;
	mean = sum / n;
	if (sqrt(fmax(0, squares / n - mean * mean)) > METADATA_SWING * mean)
		fst_warning(s->ctx,
			    "%s: the rate swings: %.0f to %.0f operations a second, %.0f on average",
			    name, low, high, mean);
}

static void metadata_warn(struct metadata_state *s, const char *name, uint64_t window_ns)
{
	const struct metadata_cfg *cfg = s->ctx->cfg;
	const size_t n = strlen(s->brief);

	if (s->span.early)
		fst_warning(s->ctx, "%s: all was gone after %.3f s of phase_time", name,
			    (double)window_ns / METADATA_NS);
	else if (window_ns < METADATA_MIN_NS && !s->failed && cfg->min_time)
		snprintf(s->brief + n, sizeof(s->brief) - n, "%s%s %.3f s", n ? ", " : "", name,
			 (double)window_ns / METADATA_NS);
	metadata_warn_swing(s, name);
}

static void metadata_note_phase(struct metadata_state *s, const char *name, uint64_t ops,
				uint64_t window_ns, double fairness)
{
	char key[64], text[256];

	snprintf(key, sizeof(key), "phase_%u", s->at + 1);
	snprintf(text, sizeof(text),
		 "%s: %" PRIu64 " operations measured of %" PRIu64 ", %.6f s, slowest by fastest worker %.3f",
		 name, ops, s->span.all, (double)window_ns / METADATA_NS, fairness);
	fst_note(s->ctx, key, text);
}

static bool metadata_has_phase(const struct metadata_state *s, uint32_t phase)
{
	for (uint32_t i = 0; i < s->n_phases; i++)
		if (s->phase[i] == phase)
			return true;
	return false;
}

/* A kind's rate is that of its own phases; in the mix it has one only where it has no phase. */
static void metadata_add(struct metadata_state *s, uint32_t phase, uint64_t window_ns)
{
	for (uint32_t i = 0; i < METADATA_N_PHASES; i++) {
		struct metadata_result *r = &s->result[i];

		if (!s->span.ops[i] || (i != phase && metadata_has_phase(s, i)))
			continue;
		r->done = true;
		r->ops += s->span.ops[i];
		r->window_ns += window_ns;
		r->entries += s->span.entries;
		if (i == phase)
			r->cpu_ns += s->span.cpu_ns;
	}
}

/* A mix whose weights cannot be kept is another one than was asked for. */
static void metadata_warn_bent(struct metadata_state *s)
{
	const struct metadata_span *span = &s->span;

	if (span->bent > span->all / METADATA_BENT)
		fst_warning(s->ctx,
			    "mix: %" PRIu64 " of %" PRIu64 " operations were not what the weights say: a create where no "
			    "file was left, or an unlink where there were twice `files`",
			    span->bent, span->all);
}

static void metadata_conclude(struct metadata_state *s, uint32_t phase)
{
	const struct metadata_span *span = &s->span;
	const char *name = metadata_phases[phase].name;
	uint64_t window = span->end > span->begin ? span->end - span->begin : 0;
	double fairness = span->fastest > 0 ? span->slowest / span->fastest : NAN;

	if (span->skip) {
		fst_warning(s->ctx,
			    "%s: left out: this file system has no extended attributes of users", name);
		s->xattr_lacks = true;
		return;
	}
	if (!span->ops[phase] && !s->failed)
		fst_warning(s->ctx, "%s: nothing was measured: %s", name,
			    span->all ? "it was over within the ramp" : "there was nothing to do");
	if (!span->ops[phase])
		return;
	metadata_add(s, phase, window);
	metadata_warn_bent(s);
	if (!(s->fairness > 0 && s->fairness <= fairness))
		s->fairness = fairness;
	metadata_note_phase(s, name, span->ops[phase], window, fairness);
	metadata_warn(s, name, window);
}

/* By the last worker: with syncfs, the phase ends when all is on the device. */
static int metadata_phase_end(void *arg)
{
	struct metadata_worker *m = arg;
	struct metadata_state *s = m->s;
	const uint32_t phase = s->phase[s->at];
	uint64_t begin = fst_now(s->ctx);
	int ret = 0;

	if (m->cfg->durability == METADATA_SYNC_FS && !s->failed && !s->span.skip && s->span.all &&
	    (metadata_phases[phase].flags & METADATA_CHANGES)) {
		if (syncfs(s->basefd)) {
			s->failed = true;
			ret = fst_error(s->ctx, errno, "syncfs %s after phase %s", s->base,
					metadata_phases[phase].name);
		} else {
			s->span.end = fst_op(m->w, METADATA_SYNCFS, begin, 0);
		}
	}
	metadata_conclude(s, phase);
	s->at++;
	s->quit = s->failed || fst_stopping(m->w) || s->at == s->n_phases;
	if (s->quit && !s->failed && s->at < s->n_phases)
		fst_warning(s->ctx, "the step's time was over before phase %s",
			    metadata_phases[s->phase[s->at]].name);
	return ret;
}

/* ---- of the whole step ----------------------------------------------------------------------- */

static int metadata_set_metrics(struct metadata_state *s)
{
	int ret = 0;

	for (uint32_t i = 0; i < METADATA_N_PHASES && !ret; i++) {
		const struct metadata_result *r = &s->result[i];
		char name[64];

		if (!r->done)
			continue;
		snprintf(name, sizeof(name), "%s_rate", metadata_phases[i].name);
		ret = fst_set_metric(s->ctx, name, metadata_rate(r->ops, r->window_ns));
		snprintf(name, sizeof(name), "%s_cpu", metadata_phases[i].name);
		if (!ret && r->cpu_ns)
			ret = fst_set_metric(s->ctx, name, (double)r->cpu_ns / (double)r->ops);
		if (!ret && i == METADATA_READDIR)
			ret = fst_set_metric(s->ctx, "readdir_entries_rate",
					     metadata_rate(r->entries, r->window_ns));
	}
	if (!ret && s->fairness > 0)
		ret = fst_set_metric(s->ctx, "fairness", s->fairness);
	return ret;
}

/* The first number of a file below /proc/sys/fs. */
static uint64_t metadata_kernel_count(const char *path)
{
	unsigned long long v = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu", &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

static void metadata_caches(uint64_t *dentries, uint64_t *inodes)
{
	*dentries = metadata_kernel_count("/proc/sys/fs/dentry-state");
	*inodes = metadata_kernel_count("/proc/sys/fs/inode-nr");
}

static const char *metadata_boundary(const struct metadata_cfg *cfg)
{
	switch (cfg->durability) {
	case METADATA_SYNC_FILE:
		return "fsync of each file before its close, inside its operation";
	case METADATA_SYNC_DIR:
		return "fsync of each file before its close, and of the directory after each change of a "
		       "name, inside the operation";
	case METADATA_SYNC_FS:
		return "one syncfs at the end of each phase that changes something, inside its time";
	default:
		return "none: dirty data and metadata may remain in memory";
	}
}

static void metadata_notes(struct metadata_state *s)
{
	uint64_t dentries, inodes;
	char text[128];

	if (*s->brief)
		fst_warning(s->ctx, "too short to be trusted: %s; set phase_time, or more files", s->brief);

	metadata_caches(&dentries, &inodes);
	snprintf(text, sizeof(text), "%+" PRId64 " dentries, %+" PRId64 " inodes, of the whole machine",
		 (int64_t)(dentries - s->dentries), (int64_t)(inodes - s->inodes));
	fst_note(s->ctx, "cache_growth", text);
	fst_note(s->ctx, "sync_boundary", metadata_boundary(s->ctx->cfg));
}
