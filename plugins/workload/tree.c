/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload tree: a source tree is unpacked, walked, read, copied, changed, aged and removed. */
/* fstrial-libs: -lm */
#include <inttypes.h>

#include "tree_cfg.h"
#include "tree_keep.h"
#include "tree_ops.h"

/* Less is not to be trusted. */
#define TREE_MIN_NS (TREE_NS / 2)

static int tree_phase_of(const char *name)
{
	for (int i = 0; i < TREE_N_PHASES; i++)
		if (strcmp(tree_phases[i].name, name) == 0)
			return i;
	return -1;
}

/* Names to numbers; is there a tree, and no copy yet, where one is needed? */
static int tree_read_phases(struct fst_ctx *ctx, uint8_t *phase, bool *populate)
{
	const struct tree_cfg *cfg = ctx->cfg;
	bool there = cfg->set != NULL, copied = false;

	*populate = false;
	if (!cfg->phases.n || cfg->phases.n > TREE_MAX_PHASES)
		return fst_error(ctx, 0, "phases: 1 to %d of them", TREE_MAX_PHASES);
	for (size_t i = 0; i < cfg->phases.n; i++) {
		int p = tree_phase_of(cfg->phases.v[i]);

		if (p < 0)
			return fst_error(ctx, 0, "phases: \"%s\" is none of them", cfg->phases.v[i]);
		if (p == TREE_UNPACK && there && i)
			return fst_error(ctx, 0, "phases: unpack where a tree is: delete comes before");
		if (p == TREE_COPY && copied)
			return fst_error(ctx, 0, "phases: copy where a copy is: delete comes before");
		if (tree_phases[p].needs && !there)
			*populate |= i == 0;
		if (tree_phases[p].needs && !there && i)
			return fst_error(ctx, 0, "phases: %s where no tree is: unpack comes before",
					 cfg->phases.v[i]);
		there = p != TREE_DELETE;
		copied = (copied || p == TREE_COPY) && p != TREE_DELETE;
		phase[i] = (uint8_t)p;
	}
	return 0;
}

static int tree_check(struct fst_ctx *ctx)
{
	const struct tree_cfg *cfg = ctx->cfg;
	uint8_t phase[TREE_MAX_PHASES] = { 0 };
	bool populate;
	int ret = tree_read_phases(ctx, phase, &populate);

	if (ret)
		return ret;
	if (cfg->keep && !cfg->set)
		return fst_error(ctx, 0, "keep = true needs a name for the trees: set");
	if (cfg->set && (!*cfg->set || *cfg->set == '.' || strchr(cfg->set, '/')))
		return fst_error(ctx, 0, "set = \"%s\": a plain name, without / and no . in front", cfg->set);
	if (tree_depth(cfg) >= TREE_LEVELS - 1)
		return fst_error(ctx, 0, "%llu directories with a fanout of %llu are more than %d levels",
				 (unsigned long long)cfg->directories, (unsigned long long)cfg->fanout,
				 TREE_LEVELS - 2);
	if (cfg->size_max && cfg->size > cfg->size_max)
		return fst_error(ctx, 0, "size, the mean, is more than size_max");
	return 0;
}

static int tree_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct tree_cfg *cfg = ctx->cfg;

	est->files = (cfg->files + cfg->symlinks + cfg->directories) * ctx->nworkers;
	for (size_t i = 0; i < cfg->phases.n; i++) {
		int p = tree_phase_of(cfg->phases.v[i]);
		uint64_t bytes = cfg->files * cfg->size * ctx->nworkers;

		est->time_ns += p >= 0 && tree_phases[p].extends ? cfg->min_time : 0;
		if (p == TREE_READ || p == TREE_COPY)
			est->bytes_read += bytes;
		if (p == TREE_AGE)
			bytes = bytes / 100 * cfg->age_percent * cfg->age_rounds;
		if (p == TREE_UNPACK || p == TREE_COPY || p == TREE_RENAME || p == TREE_AGE)
			est->bytes_written += bytes;
	}
	/* There is an end to it, whatever runtime says: after a microsecond a file, 400 MB/s, and that. */
	est->time_ns += cfg->files * cfg->phases.n * 1000 + (est->bytes_read + est->bytes_written) * 5 / 2;
	return 0;
}

static int tree_prepare(struct fst_ctx *ctx)
{
	struct tree_state *s = ctx->state;
	const struct tree_cfg *cfg = ctx->cfg;
	uint64_t seed = ctx->seed;
	int ret;

	s->ctx = ctx;
	s->basefd = -1;
	files_gate_init(&s->gate, ctx->nworkers);
	ret = tree_read_phases(ctx, s->phase, &s->populate);
	s->n_phases = (uint32_t)cfg->phases.n;
	if (!ret)
		ret = tree_base(s, &seed);
	if (!ret && s->found && s->phase[0] == TREE_UNPACK)
		ret = fst_error(ctx, EEXIST, "unpack into %s", s->base);
	if (!ret && cfg->set && !s->found && tree_phases[s->phase[0]].needs)
		s->populate = true;
	if (!ret && tree_shape_init(&s->shape, cfg, seed))
		ret = fst_error(ctx, ENOMEM, "%llu directories", (unsigned long long)cfg->directories);
	return ret;
}

static int tree_worker_dir(struct tree_worker *t)
{
	char path[FILES_PATH + 16];

	snprintf(path, sizeof(path), "%s/w%u", t->s->base, t->w->index);
	if (!t->s->found && mkdir(path, 0755))
		return fst_error(t->w->ctx, errno, "make directory %s", path);
	t->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return t->root < 0 ? fst_error(t->w->ctx, errno, "open %s", path) : 0;
}

static int tree_worker_init(struct fst_worker *w)
{
	struct tree_worker *t = w->state;
	int ret;

	t->w = w;
	t->s = w->ctx->state;
	t->root = -1;
	ret = files_data_init(w, &t->data, TREE_BUFFER, 1 + TREE_LEVELS);
	if (ret)
		return ret;
	files_own_table();
	ret = tree_list_init(t);
	if (!ret)
		ret = tree_worker_dir(t);
	return !ret && t->s->populate ? tree_unpack(t) : ret;
}

static int tree_phase_begin(void *arg)
{
	struct tree_state *s = arg;

	s->begin = fst_now(s->ctx);
	s->end = 0;
	return 0;
}

static void tree_conclude(struct tree_state *s, uint32_t phase)
{
	const uint64_t window = s->end > s->begin ? s->end - s->begin : 0;
	const size_t n = strlen(s->brief);

	s->result[phase].window_ns += window;
	if (window < TREE_MIN_NS && s->shape.cfg->min_time && !s->failed)
		snprintf(s->brief + n, sizeof(s->brief) - n, "%s%s %.3f s", n ? ", " : "",
			 tree_phases[phase].name, (double)window / TREE_NS);
}

/* By the last worker, when all have done the phase. */
static int tree_phase_end(void *arg)
{
	struct tree_worker *t = arg;
	struct tree_state *s = t->s;
	const uint32_t phase = s->phase[s->at];
	uint64_t begin = fst_now(s->ctx);
	int ret = 0;

	if (s->shape.cfg->sync && tree_phases[phase].changes && !s->failed) {
		if (syncfs(s->basefd)) {
			s->failed = true;
			ret = fst_error(s->ctx, errno, "syncfs %s after phase %s", s->base,
					tree_phases[phase].name);
		} else {
			s->end = fst_op(t->w, TREE_SYNCFS, begin, 0);
		}
	}
	tree_conclude(s, phase);
	if (phase == TREE_AGE)
		s->shape.rounds += s->shape.cfg->age_rounds;
	s->copied = (s->copied || phase == TREE_COPY) && phase != TREE_DELETE;
	s->at++;
	s->quit = s->failed || fst_stopping(t->w) || s->at == s->n_phases;
	if (s->quit && !s->failed && s->at < s->n_phases)
		fst_warning(s->ctx, "the step's time was over before phase %s",
			    tree_phases[s->phase[s->at]].name);
	return ret;
}

static void tree_merge(struct tree_worker *t)
{
	struct tree_state *s = t->s;
	struct tree_result *r = &s->result[t->phase];

	pthread_mutex_lock(&s->gate.lock);
	r->ops += t->ops;
	r->bytes += t->bytes;
	s->end = t->now > s->end ? t->now : s->end;
	pthread_mutex_unlock(&s->gate.lock);
}

static int tree_run(struct fst_worker *w)
{
	struct tree_worker *t = w->state;
	struct tree_state *s = t->s;
	bool quit = false;
	int ret = 0, r2;

	t->timed = true;
	if (w->counts_from_ns && w->index == 0)
		fst_warning(w->ctx, "ramp_time leaves out latencies alone, rates are of whole phases");
	while (!quit && !ret) {
		files_gate_pass(&s->gate, tree_phase_begin, s);
		t->phase = s->phase[s->at];
		t->ops = t->bytes = 0;
		t->now = fst_now(w->ctx);
		do
			ret = tree_do[t->phase](t);
		while (!ret && tree_phases[t->phase].extends && !tree_stop(t) &&
		       t->now < s->begin + s->shape.cfg->min_time);
		if (ret)
			__atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
		tree_merge(t);
		r2 = files_gate_pass(&s->gate, tree_phase_end, t);
		ret = ret ? ret : r2;
		quit = s->quit;
	}
	return ret;
}

static void tree_worker_fini(struct fst_worker *w)
{
	struct tree_worker *t = w->state;

	tree_list_release(t);
	files_data_release(&t->data);
	if (t->root >= 0)
		close(t->root);
}

static int tree_set_metrics(struct tree_state *s)
{
	int ret = 0;

	for (uint32_t i = 0; i < TREE_N_PHASES && !ret; i++) {
		const struct tree_result *r = &s->result[i];
		const double seconds = (double)r->window_ns / TREE_NS;
		char name[64];

		if (!r->ops || !r->window_ns)
			continue;
		snprintf(name, sizeof(name), "%s_rate", tree_phases[i].name);
		ret = fst_set_metric(s->ctx, name, (double)r->ops / seconds);
		snprintf(name, sizeof(name), "%s_time", tree_phases[i].name);
		if (!ret)
			ret = fst_set_metric(s->ctx, name, (double)r->window_ns);
		snprintf(name, sizeof(name), "%s_throughput", tree_phases[i].name);
		if (!ret && r->bytes)
			ret = fst_set_metric(s->ctx, name, (double)r->bytes / seconds);
	}
	return ret;
}

static int tree_cleanup(struct fst_ctx *ctx)
{
	const struct tree_cfg *cfg = ctx->cfg;
	struct tree_state *s = ctx->state;
	int ret = tree_set_metrics(s), r2 = 0;

	fst_note(ctx, "sync_boundary",
		 cfg->sync ? "one syncfs at the end of each phase that changes something, inside its time"
			   : "none: dirty data and metadata may remain in memory");
	if (*s->brief)
		fst_warning(ctx, "too short to be trusted: %s; more files are needed", s->brief);
	if (s->made && cfg->keep && !s->failed)
		r2 = tree_keep(s);
	else if (s->made)
		r2 = files_remove_tree(ctx, s->base);
	if (s->basefd >= 0)
		close(s->basefd);
	free(s->shape.first);
	files_gate_release(&s->gate);
	return ret ? ret : r2;
}

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "tree",
	.version = "1.0",
	.summary = "unpacks, walks, reads, copies, changes, ages and removes a source tree",
	.description =
		"Each worker has a tree of its own. Its shape is computed from a few numbers; the\n"
		"defaults are those of a kernel's sources: 2000 directories, 32000 files of 14 KiB on\n"
		"average and half of them below 6 KiB, a few directories with very many of them.\n"
		"unpack makes it as tar does, directory by directory, without a decompressor that would be\n"
		"most of the time. rename writes every file anew and renames it into place. age replaces\n"
		"a share of all files, here and there, in each round. delete removes everything, the\n"
		"copy too.\n"
		"A phase's rate is taken in the workers' common time, with sync = true the syncfs at its\n"
		"end included. What the first phase needs is made before, unmeasured.\n"
		"A phase is never too fast to measure: those that can go round again (min_time), of others there\n"
		"is a warning. runtime bounds the whole step.\n"
		"Traps: without sync the rates are mostly memory's. stat_walk and read_all after unpack\n"
		"find everything in the caches; for a cold read keep the trees under a name (set, keep) and\n"
		"put drop_caches between two steps.",
	FST_PARAMS(tree_params),
	FST_METRICS(tree_metrics),
	FST_OPS(tree_ops),
	.cfg_size = sizeof(struct tree_cfg),
	.state_size = sizeof(struct tree_state),
	.worker_size = sizeof(struct tree_worker),
	.flags = FST_NEEDS_DIR,
	.check = tree_check,
	.estimate = tree_estimate,
	.prepare = tree_prepare,
	.worker_init = tree_worker_init,
	.run = tree_run,
	.worker_fini = tree_worker_fini,
	.cleanup = tree_cleanup);
