/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: one phase, as each worker does it, and the mix. */
#pragma once

#include <sys/resource.h>

#include "metadata_ops.h"

static uint64_t metadata_cpu_ns(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_THREAD, &r))
		return 0;
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * METADATA_NS +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

static bool metadata_stop(const struct metadata_worker *m)
{
	return fst_stopping(m->w) || __atomic_load_n(&m->s->failed, __ATOMIC_RELAXED);
}

/* One operation that began at m->now is over. */
static inline void metadata_done(struct metadata_worker *m, uint32_t kind, uint64_t bytes)
{
	const uint64_t begin = m->now;

	m->count++;
	if (begin < m->ramp_ns) {
		m->now = fst_now(m->w->ctx);
		return;
	}
	m->now = fst_op(m->w, kind, begin, bytes);
	m->ops[kind]++;
	while (m->now >= m->second_end) {
		m->second_end += METADATA_NS;
		m->seconds++;
	}
	if (m->seconds < METADATA_SECONDS)
		m->second[m->seconds]++;
}

static uint64_t metadata_own_dirs(const struct metadata_worker *m)
{
	const uint64_t n = m->w->ctx->nworkers, dirs = m->cfg->dirs;

	return m->cfg->shared ? (dirs + n - 1 - m->owner) / n : dirs;
}

/* What a phase makes more of, uses or uses up. */
static struct metadata_range *metadata_range_of(struct metadata_set *set, uint32_t kind)
{
	switch (kind) {
	case METADATA_LINK:
	case METADATA_UNLINK_LINK:
		return &set->links;
	case METADATA_SYMLINK:
	case METADATA_UNLINK_SYMLINK:
		return &set->symlinks;
	case METADATA_MKDIR:
	case METADATA_RMDIR:
		return &set->subdirs;
	default:
		return &set->files;
	}
}

/* What there is to do for a phase: numbers *base to *base + count - 1. */
static uint64_t metadata_todo(const struct metadata_worker *m, uint32_t kind, uint64_t *base)
{
	const struct metadata_range *range = metadata_range_of(m->set, kind);
	const struct metadata_range *files = &m->set->files;
	const bool grows = metadata_phases[kind].flags & METADATA_GROWS;

	*base = grows ? range->hi : range->lo;
	if (kind == METADATA_READDIR) {
		*base = 0;
		return metadata_own_dirs(m);
	}
	if ((kind == METADATA_LINK || kind == METADATA_SYMLINK) && files->lo == files->hi)
		return 0;
	if (!grows)
		return range->hi - range->lo;
	return m->cfg->phase_time ? UINT64_MAX / 2 : m->cfg->files;
}

/* Everything was done once. True: over again. */
static bool metadata_again(struct metadata_worker *m, uint32_t kind, uint64_t n)
{
	const uint32_t flags = metadata_phases[kind].flags;

	if (kind == METADATA_RENAME)
		m->set->first = (uint64_t)metadata_other_first(m);
	if (!n || (flags & METADATA_CONSUMES)) {
		m->early = m->cfg->phase_time != 0;
		return false;
	}
	if (m->cfg->phase_time)
		return true;
	return (flags & METADATA_EXTENDS) && m->now < m->s->begin_ns + m->cfg->min_time;
}

/*
 * What a phase changed of the set, when done of n numbers from base on were gone through. What time did not
 * suffice to remove is left to cleanup, and forgotten.
 */
static void metadata_settle(struct metadata_worker *m, uint32_t kind, uint64_t base, uint64_t done)
{
	struct metadata_range *range = metadata_range_of(m->set, kind);
	const uint32_t flags = metadata_phases[kind].flags;

	if (flags & METADATA_GROWS)
		range->hi = base + done;
	else if (flags & METADATA_CONSUMES)
		range->lo = range->hi;
}

/* The rest of a round of renames, unmeasured, so that all files are called alike again. */
static int metadata_finish_round(struct metadata_worker *m, const struct files_order *order,
				 uint64_t base, uint64_t k, uint64_t n)
{
	uint64_t bytes;
	int ret = 0;

	if (!k)
		return 0;
	for (; k < n && !ret && !metadata_stop(m); k++)
		ret = metadata_rename(m, base + (order ? files_order_at(order, k) : k), &bytes);
	m->set->first = (uint64_t)metadata_other_first(m);
	return ret;
}

static int metadata_loop(struct metadata_worker *m, uint32_t kind)
{
	const metadata_op op = metadata_do[kind];
	struct files_order order;
	uint64_t base, k = 0, bytes;
	const uint64_t n = metadata_todo(m, kind, &base);
	/* A phase that goes on making new ones has no end, and so no order. */
	const bool shuffled = m->cfg->order == METADATA_SHUFFLED && n && n < UINT64_MAX / 4;
	int ret = 0;

	if (shuffled)
		files_order_init(&order, n, files_mix(m->s->seed ^ (kind * 1024 + m->owner)));
	while (!ret && !metadata_stop(m) && m->now < m->s->deadline_ns) {
		if (k == n) {
			if (!metadata_again(m, kind, n))
				break;
			k = 0;
		}
		bytes = 0;
		ret = op(m, base + (shuffled ? files_order_at(&order, k) : k), &bytes);
		if (ret)
			break;
		metadata_done(m, kind, bytes);
		k++;
	}
	if (!ret && kind == METADATA_RENAME && m->cfg->phase_time)
		ret = metadata_finish_round(m, shuffled ? &order : NULL, base, k, n);
	metadata_settle(m, kind, base, k);
	return ret;
}

/* ---- the mix --------------------------------------------------------------------------------- */

static uint32_t metadata_draw(struct metadata_worker *m, uint64_t total)
{
	uint64_t r = fst_random(m->w) % total;

	for (uint32_t i = 0; i < METADATA_N_MIXABLE; i++) {
		if (r < m->cfg->weight[i])
			return metadata_mixable[i];
		r -= m->cfg->weight[i];
	}
	return METADATA_STAT;
}

/*
 * The files are a window that moves: the youngest is created, the oldest removed or renamed to the
 * youngest, any of them is used. So none is listed, and each is known to be there.
 */
static int metadata_mix_one(struct metadata_worker *m, uint32_t kind, uint64_t *bytes)
{
	struct metadata_set *set = m->set;
	int ret;

	switch (kind) {
	case METADATA_CREATE:
		ret = metadata_create(m, set->files.hi, bytes);
		set->files.hi += !ret;
		return ret;
	case METADATA_UNLINK:
		ret = metadata_unlink(m, set->files.lo, bytes);
		set->files.lo += !ret;
		return ret;
	case METADATA_RENAME:
		ret = metadata_rename_to(m, set->files.lo, (char)set->first, set->files.hi);
		set->files.lo += !ret;
		set->files.hi += !ret;
		return ret;
	case METADATA_READDIR:
		return metadata_readdir(m, fst_random(m->w) % metadata_own_dirs(m), bytes);
	default:
		return metadata_do[kind](
			m, set->files.lo + fst_random(m->w) % (set->files.hi - set->files.lo),
			bytes);
	}
}

/* Never none, and never more than twice as many as asked for, whatever the weights. */
static uint32_t metadata_bound(const struct metadata_worker *m, uint32_t kind)
{
	const uint64_t n = m->set->files.hi - m->set->files.lo;

	if (n <= 1 && kind != METADATA_READDIR)
		return METADATA_CREATE;
	if (n >= 2 * m->cfg->files && kind == METADATA_CREATE)
		return METADATA_UNLINK;
	if (kind == METADATA_READDIR && !metadata_own_dirs(m))
		return METADATA_STAT;
	return kind;
}

static int metadata_mix(struct metadata_worker *m)
{
	const uint64_t end = m->cfg->phase_time ? UINT64_MAX : m->cfg->mix_operations;
	uint64_t total = 0, bytes;
	int ret = 0;

	for (uint32_t i = 0; i < METADATA_N_MIXABLE; i++)
		total += m->cfg->weight[i];
	while (m->count < end && !metadata_stop(m) && m->now < m->s->deadline_ns) {
		const uint32_t drawn = metadata_draw(m, total), kind = metadata_bound(m, drawn);

		m->bent += kind != drawn;
		bytes = 0;
		ret = metadata_mix_one(m, kind, &bytes);
		if (ret)
			return ret == -EOPNOTSUPP
				       ? metadata_fail(m, metadata_phases[kind].name, m->name)
				       : ret;
		metadata_done(m, kind, bytes);
	}
	return 0;
}

/* ---- phases and what they came to ------------------------------------------------------------ */

/* By the last worker that arrives, before all are let go. */
static int metadata_phase_begin(void *arg)
{
	struct metadata_state *s = arg;
	const struct metadata_cfg *cfg = s->ctx->cfg;

	memset(&s->span, 0, sizeof(s->span));
	s->begin_ns = fst_now(s->ctx);
	s->ramp_ns = s->begin_ns + cfg->phase_ramp;
	s->deadline_ns = cfg->phase_time ? s->ramp_ns + cfg->phase_time : UINT64_MAX;
	return 0;
}

/* A worker's part in the phase, added to that of the others. */
static void metadata_merge(struct metadata_worker *m, uint64_t begin, uint64_t cpu_ns)
{
	struct metadata_state *s = m->s;
	struct metadata_span *span = &s->span;
	const uint32_t phase = s->phase[s->at];
	double rate;

	for (uint32_t i = 0; i < METADATA_N_KINDS && phase == METADATA_MIX; i++)
		m->ops[METADATA_MIX] += m->ops[i];
	pthread_mutex_lock(&s->gate.lock);
	for (uint32_t i = 0; i < METADATA_N_PHASES; i++)
		span->ops[i] += m->ops[i];
	for (uint32_t i = 0; i < METADATA_SECONDS; i++)
		span->second[i] += m->second[i];
	span->begin = !span->begin || begin < span->begin ? begin : span->begin;
	span->end = m->now > span->end ? m->now : span->end;
	span->all += m->count;
	span->bent += m->bent;
	span->cpu_ns += cpu_ns;
	span->entries += m->entries;
	span->early |= m->early;
	rate = m->now > begin ? (double)m->ops[phase] / (double)(m->now - begin) : 0;
	span->slowest = !span->fastest || rate < span->slowest ? rate : span->slowest;
	span->fastest = rate > span->fastest ? rate : span->fastest;
	pthread_mutex_unlock(&s->gate.lock);
}

static int metadata_phase_work(struct metadata_worker *m)
{
	struct metadata_state *s = m->s;
	const uint32_t phase = s->phase[s->at];
	uint64_t begin, cpu;
	int ret;

	m->owner = m->w->index;
	if (m->cfg->order == METADATA_SHIFTED && phase != METADATA_CREATE)
		m->owner = (m->owner + 1) % m->w->ctx->nworkers;
	m->set = &s->set[m->owner];
	m->count = m->bent = m->entries = m->seconds = 0;
	m->early = false;
	memset(m->ops, 0, sizeof(m->ops));
	memset(m->second, 0, sizeof(m->second));
	m->ramp_ns = m->cfg->phase_ramp ? s->ramp_ns : 0;
	cpu = metadata_cpu_ns();
	m->now = fst_now(m->w->ctx);
	begin = m->now > s->ramp_ns ? m->now : s->ramp_ns;
	m->second_end = s->ramp_ns + METADATA_NS;
	ret = phase == METADATA_MIX ? metadata_mix(m) : metadata_loop(m, phase);
	if (ret == -EOPNOTSUPP && (phase == METADATA_SETXATTR || phase == METADATA_GETXATTR)) {
		__atomic_store_n(&s->span.skip, true, __ATOMIC_RELAXED);
		ret = 0;
	}
	if (ret)
		__atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
	metadata_merge(m, begin, metadata_cpu_ns() - cpu);
	return ret;
}
