/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload tree: a source tree is unpacked, walked, read, copied, changed, aged and removed. */
/* fstrial-libs: -lm */
#include <sys/mman.h>

#include "tree_ops.h"

#define TREE_KEPT ".fstrial-tree"

static const struct {
	const char *name;
	bool needs, changes;
} tree_phases[TREE_N_PHASES] = {
	[TREE_UNPACK] = { "unpack", false, true },  [TREE_STAT] = { "stat_walk", true, false },
	[TREE_READ] = { "read_all", true, false },  [TREE_COPY] = { "copy", true, true },
	[TREE_RENAME] = { "rename", true, true },   [TREE_AGE] = { "age", true, true },
	[TREE_DELETE] = { "delete", true, true },
};

#define TREE_AT(field) FST_AT(struct tree_cfg, field)

static const struct fst_param tree_params[] = {
	{ .name = "phases", .type = FST_LIST, TREE_AT(phases), .flags = FST_REQUIRED,
	  .doc = "What is done, one after the other: unpack stat_walk read_all copy rename age delete." },
	{ .name = "set", .type = FST_STR, TREE_AT(set),
	  .doc = "Name of the trees, for steps that share them: one leaves them with keep = true, a later "
		 "one finds them (after drop_caches, say)." },
	{ .name = "keep", .type = FST_BOOL, TREE_AT(keep), .def = "false",
	  .doc = "Leave the trees of `set` to a later step." },
	{ .name = "sync", .type = FST_BOOL, TREE_AT(sync), .def = "false",
	  .doc = "One syncfs at the end of each phase that changes something, in its time." },
	{ .name = "attributes", .type = FST_BOOL, TREE_AT(attributes), .def = "true",
	  .doc = "Set time and permissions of each new file, as tar does." },
	{ .name = "directories", .type = FST_U64, TREE_AT(directories), .def = "2000", .min = "1",
	  .max = "1000000", .unit = "directories", .doc = "Directories of each worker's tree." },
	{ .name = "files", .type = FST_U64, TREE_AT(files), .def = "32000", .min = "1",
	  .max = "100000000", .unit = "files", .doc = "Files of each worker's tree." },
	{ .name = "symlinks", .type = FST_U64, TREE_AT(symlinks), .def = "20", .max = "100000000",
	  .unit = "links", .doc = "Symbolic links of each worker's tree." },
	{ .name = "fanout", .type = FST_U64, TREE_AT(fanout), .def = "8", .min = "2", .max = "100000",
	  .unit = "directories", .doc = "Directories in a directory: the more, the flatter the tree." },
	{ .name = "spread", .type = FST_F64, TREE_AT(spread), .def = "1.2", .min = "0", .max = "4",
	  .doc = "Standard deviation of the logarithm of files a directory; 0: all have as many." },
	{ .name = "size", .type = FST_SIZE, TREE_AT(size), .def = "14KiB", .min = "1B",
	  .doc = "Mean size of a file, of a lognormal distribution." },
	{ .name = "size_max", .type = FST_SIZE, TREE_AT(size_max), .def = "2MiB",
	  .doc = "No file is larger; 0: no limit." },
	{ .name = "size_sigma", .type = FST_F64, TREE_AT(sigma), .def = "1.4", .min = "0.01", .max = "5",
	  .doc = "Standard deviation of the sizes' logarithm." },
	{ .name = "age_rounds", .type = FST_U64, TREE_AT(age_rounds), .def = "3", .min = "1",
	  .max = "1000", .unit = "rounds", .doc = "Rounds in a phase age." },
	{ .name = "age_percent", .type = FST_U64, TREE_AT(age_percent), .def = "10", .min = "1",
	  .max = "100", .unit = "%", .doc = "Share of the files that each round replaces." },
};

#define TREE_METRICS(kind, op, text)                                                             \
	{ .name = #op "_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,       \
	  .doc = text "; by all workers a second, in the phase's common time." },                 \
	{ .name = #op "_time", .unit = "ns", .better = FST_LOWER,                                 \
	  .doc = "Time from the first worker's start of " #op " to the last one's end, of all such "\
		      "phases." },
#define TREE_THROUGHPUT(op)                                                                      \
	{ .name = #op "_throughput", .unit = "bytes/s", .better = FST_HIGHER,                     \
	  .doc = "Bytes of files that " #op " wrote or read in a second." }

static const struct fst_metric tree_metrics[] = {
	TREE_PHASES(TREE_METRICS)
	TREE_THROUGHPUT(unpack),
	TREE_THROUGHPUT(read_all),
	TREE_THROUGHPUT(copy),
	TREE_THROUGHPUT(rename),
	TREE_THROUGHPUT(age),
};

#define TREE_OP(kind, op, text) [TREE_##kind] = { .name = #op, .doc = text "." },

static const struct fst_op_kind tree_ops[] = {
	TREE_PHASES(TREE_OP)
	[TREE_SYNCFS] = { .name = "syncfs", .flags = FST_OP_INNER,
			  .doc = "Flushes the file system at the end of a phase." },
};

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
	return 0;
}

static int tree_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct tree_cfg *cfg = ctx->cfg;

	est->files = (cfg->files + cfg->symlinks + cfg->directories) * ctx->nworkers;
	for (size_t i = 0; i < cfg->phases.n; i++) {
		int p = tree_phase_of(cfg->phases.v[i]);
		uint64_t bytes = cfg->files * cfg->size * ctx->nworkers;

		if (p == TREE_READ || p == TREE_COPY)
			est->bytes_read += bytes;
		if (p == TREE_AGE)
			bytes = bytes / 100 * cfg->age_percent * cfg->age_rounds;
		if (p == TREE_UNPACK || p == TREE_COPY || p == TREE_RENAME || p == TREE_AGE)
			est->bytes_written += bytes;
	}
	return 0;
}

/* What a later step takes over, and must agree with. */
struct tree_kept {
	char magic[16];
	uint64_t workers, directories, files, symlinks, fanout, size, size_max, age_percent;
	double spread, sigma;
	uint64_t seed, rounds, copied; /* not compared: taken over */
};

static struct tree_kept tree_kept_of(const struct tree_state *s)
{
	const struct tree_cfg *cfg = s->ctx->cfg;

	return (struct tree_kept){ .magic = "fstrial-tree-1", .workers = s->ctx->nworkers,
				   .directories = cfg->directories, .files = cfg->files,
				   .symlinks = cfg->symlinks, .fanout = cfg->fanout, .size = cfg->size,
				   .size_max = cfg->size_max, .age_percent = cfg->age_percent,
				   .spread = cfg->spread, .sigma = cfg->sigma, .seed = s->shape.seed,
				   .rounds = s->shape.rounds, .copied = s->copied };
}

static int tree_keep(struct tree_state *s)
{
	const struct tree_kept kept = tree_kept_of(s);
	int fd = openat(s->basefd, TREE_KEPT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	int ret = 0;

	if (fd < 0 || write(fd, &kept, sizeof(kept)) != (ssize_t)sizeof(kept))
		ret = fst_error(s->ctx, errno, "write %s/%s", s->base, TREE_KEPT);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int tree_find(struct tree_state *s, uint64_t *seed)
{
	struct tree_kept kept, mine = tree_kept_of(s);
	int fd = openat(s->basefd, TREE_KEPT, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return fst_error(s->ctx, errno, "%s is there, and holds no tree that an earlier step left",
				 s->base);
	n = read(fd, &kept, sizeof(kept));
	close(fd);
	if (n != (ssize_t)sizeof(kept) || memcmp(&kept, &mine, offsetof(struct tree_kept, seed)) != 0)
		return fst_error(s->ctx, 0, "the trees in %s were made with another numjobs or another shape",
				 s->base);
	*seed = kept.seed;
	s->shape.rounds = kept.rounds;
	s->copied = kept.copied;
	s->found = true;
	return 0;
}

static int tree_base(struct tree_state *s, uint64_t *seed)
{
	const struct tree_cfg *cfg = s->ctx->cfg;
	int ret = 0;

	if (!cfg->set) {
		ret = files_make_own(s->ctx, "tree", s->base);
		s->made = !ret;
	} else if (snprintf(s->base, sizeof(s->base), "%s/%s", s->ctx->dir, cfg->set) >=
		   FILES_PATH - TREE_ROOM) {
		ret = fst_error(s->ctx, ENAMETOOLONG, "directory %s", s->ctx->dir);
	} else {
		s->made = mkdir(s->base, 0755) == 0;
		if (!s->made && errno != EEXIST)
			ret = fst_error(s->ctx, errno, "make directory %s", s->base);
	}
	if (ret)
		return ret;
	s->basefd = open(s->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->basefd < 0)
		return fst_error(s->ctx, errno, "open %s", s->base);
	if (s->made)
		return 0;
	ret = tree_find(s, seed);
	s->made = !ret; /* by that step, which left it to this one */
	return ret;
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
	/* Pages of levels that are not reached are never there. */
	t->buffer = mmap(NULL, (2 + TREE_LEVELS) * (size_t)TREE_BUFFER, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t->buffer == MAP_FAILED) {
		t->buffer = NULL;
		return fst_error(w->ctx, errno, "buffers");
	}
	for (size_t i = 0; i < TREE_BUFFER; i += sizeof(uint64_t)) {
		uint64_t r = fst_random(w);

		memcpy(t->buffer + i, &r, sizeof(r));
	}
	t->stamp = fst_random(w);
	files_own_table();
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
	s->result[phase].window_ns += s->end > s->begin ? s->end - s->begin : 0;
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
	while (!quit && !ret) {
		files_gate_pass(&s->gate, tree_phase_begin, s);
		t->phase = s->phase[s->at];
		t->ops = t->bytes = 0;
		t->now = fst_now(w->ctx);
		ret = tree_do[t->phase](t);
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

	if (t->buffer)
		munmap(t->buffer, (2 + TREE_LEVELS) * (size_t)TREE_BUFFER);
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
