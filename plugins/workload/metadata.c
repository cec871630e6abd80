/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload metadata: creating, finding, changing and removing many files, phase by phase or mixed. */
/* fstrial-libs: -lm */
#include <stdlib.h>

#include "metadata_keep.h"
#include "metadata_report.h"

static int metadata_phase_of(const char *name)
{
	for (int i = 0; i < METADATA_N_PHASES; i++)
		if (strcmp(metadata_phases[i].name, name) == 0)
			return i;
	return -1;
}

/* The phase that makes what this one is about; -1: none, or files, which are made where there are none. */
static int metadata_before(int phase)
{
	switch (phase) {
	case METADATA_RMDIR:
		return METADATA_MKDIR;
	case METADATA_GETXATTR:
		return METADATA_SETXATTR;
	case METADATA_UNLINK_LINK:
		return METADATA_LINK;
	case METADATA_UNLINK_SYMLINK:
		return METADATA_SYMLINK;
	default:
		return -1;
	}
}

/* Names to numbers, and whether each finds what it needs. */
static int metadata_read_phases(struct fst_ctx *ctx, uint8_t *phase, bool *populate)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	const bool set = cfg->set != NULL;
	bool made[METADATA_N_PHASES] = { [METADATA_MKDIR] = set, [METADATA_SETXATTR] = set,
					 [METADATA_LINK] = set,	 [METADATA_SYMLINK] = set };
	bool files = set;

	*populate = false;
	if (!cfg->phases.n || cfg->phases.n > METADATA_MAX_PHASES)
		return fst_error(ctx, 0, "phases: 1 to %d of them", METADATA_MAX_PHASES);
	for (size_t i = 0; i < cfg->phases.n; i++) {
		int p = metadata_phase_of(cfg->phases.v[i]);

		if (p < 0)
			return fst_error(ctx, 0, "phases: \"%s\" is none of them",
					 cfg->phases.v[i]);
		if (metadata_before(p) >= 0 && !made[metadata_before(p)])
			return fst_error(ctx, 0, "phases: %s without %s before it", metadata_phases[p].name,
					 metadata_phases[metadata_before(p)].name);
		if ((metadata_phases[p].flags & METADATA_USES) && !files)
			*populate = files = true;
		files |= p == METADATA_CREATE;
		made[p] = true;
		phase[i] = (uint8_t)p;
	}
	return 0;
}

static int metadata_check_mix(struct fst_ctx *ctx, const uint8_t *phase)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	uint64_t total = 0;
	bool mixed = false;

	for (size_t i = 0; i < cfg->phases.n; i++)
		mixed |= phase[i] == METADATA_MIX;
	for (uint32_t i = 0; i < METADATA_N_MIXABLE; i++)
		total += cfg->weight[i];
	return mixed && !total ? fst_error(ctx, 0, "phase mix: all weights are 0") : 0;
}

static int metadata_check_sizes(struct fst_ctx *ctx)
{
	const struct metadata_cfg *cfg = ctx->cfg;

	if (cfg->sizes == FILES_UNIFORM && cfg->size_max < cfg->size_min)
		return fst_error(ctx, 0, "size_max is less than size_min");
	if (cfg->sizes == FILES_UNIFORM && !cfg->size_max)
		return fst_error(ctx, 0, "size_distribution = uniform needs size_max");
	if (cfg->sizes != FILES_FIXED && cfg->size_max && cfg->size_max < cfg->size_min)
		return fst_error(ctx, 0, "size_max is less than size_min");
	return files_check_mean(ctx, cfg->sizes, cfg->size, cfg->size_min, cfg->size_max);
}

static int metadata_check(struct fst_ctx *ctx)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	uint8_t phase[METADATA_MAX_PHASES] = { 0 };
	bool populate;
	int ret = metadata_read_phases(ctx, phase, &populate);

	if (ret)
		return ret;
	ret = metadata_check_mix(ctx, phase);
	if (ret)
		return ret;
	if (cfg->keep && !cfg->set)
		return fst_error(ctx, 0, "keep = true needs a name for the files: set");
	if (cfg->set && (!*cfg->set || *cfg->set == '.' || strchr(cfg->set, '/')))
		return fst_error(ctx, 0, "set = \"%s\": a plain name, without / and no . in front",
				 cfg->set);
	if (cfg->names == FILES_RANDOM && cfg->name_length < FILES_NAME_MIN + 4)
		return fst_error(ctx, 0, "names = random: name_length must be at least %d",
				 FILES_NAME_MIN + 4);
	if (cfg->phase_ramp && !cfg->phase_time)
		return fst_error(ctx, 0, "phase_ramp without phase_time");
	if (cfg->method == METADATA_MKNOD &&
	    (cfg->size || cfg->sizes != FILES_FIXED || metadata_fsyncs(cfg)))
		return fst_error(ctx, 0,
				 "create_method = mknod makes empty files that are not flushed");
	return metadata_check_sizes(ctx);
}

/*
 * Without phase_time there is an end to it, whatever runtime says: after a microsecond a file, 400 MB/s, and min_time
 * where it goes round.
 */
static int metadata_estimate_rounds(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	uint8_t phase[METADATA_MAX_PHASES] = { 0 };
	bool populate;
	int ret = metadata_read_phases(ctx, phase, &populate);

	est->time_ns = cfg->files * cfg->phases.n * 1000 + est->bytes_written * 5 / 2;
	for (size_t i = 0; !ret && i < cfg->phases.n; i++)
		if (metadata_phases[phase[i]].flags & METADATA_EXTENDS)
			est->time_ns += cfg->min_time;
	return ret;
}

static int metadata_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	const uint64_t mean = cfg->sizes == FILES_UNIFORM ? (cfg->size_min + cfg->size_max) / 2
							  : cfg->size;

	est->files = cfg->files * ctx->nworkers;
	est->bytes_written = est->files * mean;
	est->time_ns = cfg->phases.n * (cfg->phase_time + cfg->phase_ramp);
	return cfg->phase_time ? 0 : metadata_estimate_rounds(ctx, est);
}

static int metadata_prepare(struct fst_ctx *ctx)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	struct metadata_state *s = ctx->state;
	int ret;

	s->ctx = ctx;
	s->basefd = -1;
	s->seed = ctx->seed;
	s->n_phases = (uint32_t)cfg->phases.n;
	s->per_dir = (cfg->files + cfg->dirs - 1) / cfg->dirs;
	files_gate_init(&s->gate, ctx->nworkers);
	ret = metadata_read_phases(ctx, s->phase, &s->populate);
	if (ret)
		return ret;
	s->set = aligned_alloc(64, ctx->nworkers * sizeof(*s->set));
	if (!s->set)
		return fst_error(ctx, ENOMEM, "%u workers", ctx->nworkers);
	memset(s->set, 0, ctx->nworkers * sizeof(*s->set));
	for (uint32_t i = 0; i < ctx->nworkers; i++)
		s->set[i].first = 'f';
	ret = metadata_base(s);
	if (!ret)
		ret = metadata_make_dirs(s);
	if (ret)
		return ret;
	files_namer_init(&s->namer, cfg->names, cfg->name_length, s->seed);
	s->size = (struct files_size){ .kind = cfg->sizes,
				       .size = cfg->size,
				       .min = cfg->size_min,
				       .max = cfg->size_max,
				       .sigma = cfg->size_sigma,
				       .seed = s->seed };
	/* With a set that was just made, what comes first may need files as well. */
	if (cfg->set && !s->found && (metadata_phases[s->phase[0]].flags & METADATA_USES))
		s->populate = true;
	metadata_caches(&s->dentries, &s->inodes);
	return 0;
}

/* Files that the first phase uses and that no phase makes: not measured. */
static int metadata_populate(struct metadata_worker *m)
{
	uint64_t bytes;
	int ret = 0;

	m->owner = m->w->index;
	m->set = &m->s->set[m->owner];
	m->ramp_ns = UINT64_MAX;
	for (uint64_t i = 0; i < m->cfg->files && !ret && !fst_stopping(m->w); i++, m->count++)
		ret = metadata_create(m, i, &bytes);
	m->set->files.hi = m->cfg->files;
	return ret;
}

static int metadata_worker_init(struct fst_worker *w)
{
	struct metadata_worker *m = w->state;
	int ret;

	m->w = w;
	m->s = w->ctx->state;
	m->cfg = w->ctx->cfg;
	ret = files_data_init(w, &m->data, METADATA_BUFFER, 1);
	if (ret)
		return ret;
	files_own_table();
	return m->s->populate ? metadata_populate(m) : 0;
}

static int metadata_run(struct fst_worker *w)
{
	struct metadata_worker *m = w->state;
	struct metadata_state *s = m->s;
	bool quit = false;
	int ret = 0, r2;

	if (w->counts_from_ns && w->index == 0)
		fst_warning(w->ctx, "ramp_time leaves out latencies alone, rates are of whole phases: phase_ramp is "
				    "each phase's");
	if (w->index == 0 && w->ctx->nworkers == 1 && m->cfg->order == METADATA_SHIFTED)
		fst_warning(w->ctx, "order = shifted: one worker has no neighbour, so that its own files are taken");
	while (!quit && !ret) {
		files_gate_pass(&s->gate, metadata_phase_begin, s);
		ret = metadata_phase_work(m);
		r2 = files_gate_pass(&s->gate, metadata_phase_end, m);
		ret = ret ? ret : r2;
		quit = s->quit;
	}
	return ret;
}

static void metadata_worker_fini(struct fst_worker *w)
{
	struct metadata_worker *m = w->state;

	files_data_release(&m->data);
}

static int metadata_cleanup(struct fst_ctx *ctx)
{
	const struct metadata_cfg *cfg = ctx->cfg;
	struct metadata_state *s = ctx->state;
	int ret = metadata_set_metrics(s), r2 = 0;

	if (s->n_phases && s->set)
		metadata_notes(s);
	for (uint64_t j = 0; s->dir && j < s->n_dirs; j++)
		if (s->dir[j] >= 0)
			close(s->dir[j]);
	free(s->dir);
	if (s->made && cfg->keep && !s->failed)
		r2 = metadata_keep(s);
	else if (s->made)
		r2 = files_remove_tree(ctx, s->base);
	if (s->basefd >= 0)
		close(s->basefd);
	free(s->set);
	files_gate_release(&s->gate);
	return ret ? ret : r2;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "metadata", .version = "1.0",
	       .summary = "creates, finds, changes and removes many files, phase by phase or mixed",
	       .description = "Each phase is done by all workers at once, and its rate is taken in "
			      "its own common\n"
			      "time: from the start of the first worker to the end of the last, a "
			      "final syncfs\n"
			      "included where durability asks for one. A phase does every file "
			      "once, in the order\n"
			      "asked for, or with phase_time as many as it comes to. The phase "
			      "`mix` draws\n"
			      "operations by weight on files that come and go (churn).\n"
			      "Names are computed, not kept: any number of files takes no memory "
			      "here. All is done in\n"
			      "a directory of the step's own, which is removed afterwards, "
			      "unmeasured; with keep = true\n"
			      "a later step finds the files under the name of `set`. Files that "
			      "the first phase needs\n"
			      "and no phase makes are made before, unmeasured.\n"
			      "Per file one system call does it where there is one: an empty file "
			      "is made by mknod, a\n"
			      "file with data by open, write, close.\n"
			      "Traps: files, dirs and mix_operations are for each worker. Without "
			      "durability\n"
			      "the rates are those of memory until the journal is full. stat and "
			      "reads find\n"
			      "everything in the caches unless a drop_caches step is put before "
			      "them. runtime stops\n"
			      "the whole step; phase_time is each phase's. Link counts are limited "
			      "(ext4: 65000).",
	       FST_PARAMS(metadata_params), FST_METRICS(metadata_metrics), FST_OPS(metadata_ops),
	       .cfg_size = sizeof(struct metadata_cfg), .state_size = sizeof(struct metadata_state),
	       .worker_size = sizeof(struct metadata_worker), .flags = FST_NEEDS_DIR,
	       .check = metadata_check, .estimate = metadata_estimate, .prepare = metadata_prepare,
	       .worker_init = metadata_worker_init, .run = metadata_run,
	       .worker_fini = metadata_worker_fini, .cleanup = metadata_cleanup);
