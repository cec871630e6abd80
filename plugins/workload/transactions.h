/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transactions on a pool of files: each is a short list of actions on files taken at random. mailpool and
 * fileserver are this with other defaults. A worker has files of its own, so that none disappears under
 * another's hands; in the same directories if that is asked for.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files_gate.h"
#include "files_names.h"
#include "files_remove.h"

enum {
	TRANSACTIONS_BUFFER = 256 * 1024,
	TRANSACTIONS_NAME = 20,
	TRANSACTIONS_MAX_FILES = 10000000,
};

enum transactions_op {
	TRANSACTIONS_WHOLE,
	TRANSACTIONS_CREATE,
	TRANSACTIONS_DELETE,
	TRANSACTIONS_APPEND,
	TRANSACTIONS_READ,
	TRANSACTIONS_READ_APPEND,
	TRANSACTIONS_STAT,
	TRANSACTIONS_FSYNC,
	TRANSACTIONS_N_OPS,
	/* Actions that become one of those above by chance. */
	TRANSACTIONS_CREATE_OR_DELETE = TRANSACTIONS_N_OPS,
	TRANSACTIONS_READ_OR_APPEND,
};

static const struct fst_op_kind transactions_ops[TRANSACTIONS_N_OPS] = {
	[TRANSACTIONS_WHOLE] = { .name = "transaction", .doc = "One transaction with all its actions." },
	[TRANSACTIONS_CREATE] = { .name = "create", .flags = FST_OP_INNER,
				  .doc = "Opens a new file, writes it, flushes it if asked, closes it." },
	[TRANSACTIONS_DELETE] = { .name = "delete", .flags = FST_OP_INNER, .doc = "Removes a file." },
	[TRANSACTIONS_APPEND] = { .name = "append", .flags = FST_OP_INNER,
				  .doc = "Opens a file, adds to its end, flushes it if asked, closes it." },
	[TRANSACTIONS_READ] = { .name = "read", .flags = FST_OP_INNER,
				.doc = "Opens a file, reads it whole, closes it." },
	[TRANSACTIONS_READ_APPEND] = { .name = "read_append", .flags = FST_OP_INNER,
				       .doc = "Opens a file, reads it whole, adds to its end, flushes it if "
					      "asked, closes it." },
	[TRANSACTIONS_STAT] = { .name = "stat", .flags = FST_OP_INNER,
				.doc = "Asks for the attributes of a file." },
	[TRANSACTIONS_FSYNC] = { .name = "fsync", .flags = FST_OP_INNER, .doc = "Flushes one file." },
};

enum transactions_flow { TRANSACTIONS_VARMAIL, TRANSACTIONS_POSTMARK, TRANSACTIONS_FILESERVER };

static const struct {
	uint8_t n;
	uint8_t action[5];
} transactions_flows[] = {
	[TRANSACTIONS_VARMAIL] = { 4, { TRANSACTIONS_DELETE, TRANSACTIONS_CREATE,
					TRANSACTIONS_READ_APPEND, TRANSACTIONS_READ } },
	[TRANSACTIONS_POSTMARK] = { 2, { TRANSACTIONS_CREATE_OR_DELETE, TRANSACTIONS_READ_OR_APPEND } },
	[TRANSACTIONS_FILESERVER] = { 5, { TRANSACTIONS_CREATE, TRANSACTIONS_APPEND, TRANSACTIONS_READ,
					   TRANSACTIONS_DELETE, TRANSACTIONS_STAT } },
};

struct transactions_cfg {
	int flow;
	uint64_t transactions, files, dirs;
	bool shared, fsync;
	int sizes;
	uint64_t size, size_min, size_max, append_size;
	double sigma;
	uint64_t create_percent, read_percent;
};

struct transactions_state {
	struct fst_ctx *ctx;
	struct files_size size;
	struct files_namer namer;
	int *dir;
	uint64_t n_dirs;
	bool made;
	char base[FILES_PATH];
};

struct transactions_worker {
	struct fst_worker *w;
	struct transactions_state *s;
	const struct transactions_cfg *cfg;
	bool timed;
	uint32_t *pool; /* numbers of the files that are there, in no order */
	uint64_t n, next;
	uint64_t done, bytes;
	char *buffer; /* random bytes to write, and as many to read into */
	uint64_t stamp;
	uint64_t dirno;
	char name[TRANSACTIONS_NAME + 1];
};

/* ---- parameters ------------------------------------------------------------------------------ */

static const struct fst_choice transactions_sizes[] = {
	{ "fixed", FILES_FIXED, "all files have `size` bytes" },
	{ "uniform", FILES_UNIFORM, "any size from size_min to size_max" },
	{ "lognormal", FILES_LOGNORMAL, "mean `size`, size_sigma, kept within size_min and size_max" },
	{ "exponential", FILES_EXPONENTIAL, "mean `size`, kept within size_min and size_max" },
};

#define TRANSACTIONS_AT(field) FST_AT(struct transactions_cfg, field)

/* All but the flow; what differs between the plugins are the defaults. */
#define TRANSACTIONS_PARAMS(files_, dirs_, shared_, fsync_, size_, sizes_)                        \
	{ .name = "transactions", .type = FST_U64, TRANSACTIONS_AT(transactions), .def = "20000", \
	  .unit = "transactions",                                                                 \
	  .doc = "Transactions of each worker; 0: until the runtime is over." },                  \
	{ .name = "files", .alias = "nrfiles", .type = FST_U64, TRANSACTIONS_AT(files),           \
	  .def = files_, .min = "1", .max = "10000000", .unit = "files",                          \
	  .doc = "Files of each worker before the first transaction; made unmeasured." },         \
	{ .name = "dirs", .type = FST_U64, TRANSACTIONS_AT(dirs), .def = dirs_, .min = "1",       \
	  .max = "100000", .unit = "directories",                                                 \
	  .doc = "Directories that the files lie in: of each worker, or with shared_dirs of all." }, \
	{ .name = "shared_dirs", .type = FST_BOOL, TRANSACTIONS_AT(shared), .def = shared_,       \
	  .doc = "All workers use the same directories." },                                       \
	{ .name = "fsync", .type = FST_BOOL, TRANSACTIONS_AT(fsync), .def = fsync_,               \
	  .doc = "Flush what was written before the file is closed." },                           \
	{ .name = "size", .type = FST_SIZE, TRANSACTIONS_AT(size), .def = size_,                  \
	  .doc = "Bytes of a new file, or their mean." },                                         \
	{ .name = "size_distribution", .type = FST_ENUM, TRANSACTIONS_AT(sizes), .def = sizes_,   \
	  FST_CHOICES(transactions_sizes), .doc = "How the sizes differ." },                      \
	{ .name = "size_min", .type = FST_SIZE, TRANSACTIONS_AT(size_min), .def = "0",            \
	  .doc = "No new file is smaller, unless sizes are fixed." },                             \
	{ .name = "size_max", .type = FST_SIZE, TRANSACTIONS_AT(size_max), .def = "16MiB",        \
	  .doc = "No new file is larger, unless sizes are fixed; 0: no limit." },                 \
	{ .name = "size_sigma", .type = FST_F64, TRANSACTIONS_AT(sigma), .def = "1", .min = "0.01", \
	  .max = "5",                                                                             \
	  .doc = "Standard deviation of the sizes' logarithm, of a lognormal distribution." },    \
	{ .name = "append_size", .type = FST_SIZE, TRANSACTIONS_AT(append_size), .def = "16KiB",  \
	  .min = "1B", .doc = "Bytes that an append adds at most: any number from 1 up to it." }

static const struct fst_metric transactions_metrics[] = {
	{ .name = "transaction_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Transactions of all workers a second." },
	{ .name = "transaction_p99", .unit = "ns", .better = FST_LOWER,
	  .doc = "Time of a transaction that 99 of 100 do not exceed." },
	{ .name = "fsync_mean", .unit = "ns", .better = FST_LOWER, .doc = "Mean time of an fsync." },
	{ .name = "fsync_p99", .unit = "ns", .better = FST_LOWER,
	  .doc = "Time of an fsync that 99 of 100 do not exceed." },
	{ .name = "create_rate", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Files made a second, by all workers." },
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER,
	  .doc = "Bytes of files written and read in a second, by all workers." },
	{ .name = "files_at_end", .unit = "count", .agg = FST_SUM,
	  .doc = "Files that are there at the end, of all workers." },
};

/* ---- one action ------------------------------------------------------------------------------ */

static int transactions_fail(struct transactions_worker *t, const char *what)
{
	int err = errno;
	char why[128];

	files_why(t->s->base, err, why, sizeof(why));
	return fst_error(t->w->ctx, err, "%s %s/d%llu/%s, after %llu of this worker's transactions%s", what,
			 t->s->base, (unsigned long long)t->dirno, t->name, (unsigned long long)t->done, why);
}

static int transactions_dir(struct transactions_worker *t, uint64_t number)
{
	const struct transactions_cfg *cfg = t->cfg;
	uint64_t d = files_mix(number) % (cfg->dirs ? cfg->dirs : 1);

	t->dirno = cfg->shared ? d : t->w->index * cfg->dirs + d;
	files_name(&t->s->namer, t->name, 'm', number * t->w->ctx->nworkers + t->w->index);
	return t->s->dir[t->dirno];
}

static int transactions_write(struct transactions_worker *t, int fd, uint64_t size)
{
	t->bytes += size;
	while (size) {
		size_t len = size < TRANSACTIONS_BUFFER ? (size_t)size : TRANSACTIONS_BUFFER;
		ssize_t n;

		for (size_t at = 0; at < len; at += 4096)
			memcpy(t->buffer + at, &t->stamp, sizeof(t->stamp)), t->stamp++;
		n = write(fd, t->buffer, len);
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			return transactions_fail(t, "write");
		}
		size -= (uint64_t)n;
	}
	if (t->cfg->fsync) {
		uint64_t begin = fst_now(t->w->ctx);

		if (fsync(fd))
			return transactions_fail(t, "fsync");
		if (t->timed)
			fst_op(t->w, TRANSACTIONS_FSYNC, begin, 0);
	}
	return 0;
}

static int transactions_read(struct transactions_worker *t, int fd)
{
	ssize_t n;

	do {
		n = read(fd, t->buffer + TRANSACTIONS_BUFFER, TRANSACTIONS_BUFFER);
		if (n < 0)
			return transactions_fail(t, "read");
		t->bytes += (uint64_t)n;
	} while (n == TRANSACTIONS_BUFFER);
	return 0;
}

static int transactions_close(struct transactions_worker *t, int fd, int ret)
{
	if (close(fd) && !ret)
		ret = transactions_fail(t, "close");
	return ret;
}

static int transactions_create(struct transactions_worker *t)
{
	uint64_t number = t->next++;
	int dir = transactions_dir(t, number);
	int fd = openat(dir, t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), ret;

	if (fd < 0)
		return transactions_fail(t, "create");
	t->pool[t->n++] = (uint32_t)number;
	ret = transactions_write(t, fd, files_size_at(&t->s->size, number * t->w->ctx->nworkers + t->w->index));
	return transactions_close(t, fd, ret);
}

static int transactions_delete(struct transactions_worker *t)
{
	uint64_t at = fst_random(t->w) % t->n;
	int dir = transactions_dir(t, t->pool[at]);

	t->pool[at] = t->pool[--t->n];
	return unlinkat(dir, t->name, 0) ? transactions_fail(t, "delete") : 0;
}

/* Opens one that is there, and reads it, adds to it, or both. */
static int transactions_use(struct transactions_worker *t, bool reads, bool appends)
{
	int dir = transactions_dir(t, t->pool[fst_random(t->w) % t->n]), ret = 0;
	int flags = (reads ? appends ? O_RDWR : O_RDONLY : O_WRONLY) | (appends ? O_APPEND : 0);
	int fd = openat(dir, t->name, flags | O_CLOEXEC);

	if (fd < 0)
		return transactions_fail(t, "open");
	if (reads)
		ret = transactions_read(t, fd);
	if (!ret && appends)
		ret = transactions_write(t, fd, 1 + fst_random(t->w) % t->cfg->append_size);
	return transactions_close(t, fd, ret);
}

static int transactions_stat(struct transactions_worker *t)
{
	int dir = transactions_dir(t, t->pool[fst_random(t->w) % t->n]);
	struct stat st;

	return fstatat(dir, t->name, &st, AT_SYMLINK_NOFOLLOW) ? transactions_fail(t, "stat") : 0;
}

/* By chance where the flow says so; never none left, and never more than twice as many as at first. */
static uint32_t transactions_choose(struct transactions_worker *t, uint32_t action)
{
	if (action == TRANSACTIONS_CREATE_OR_DELETE)
		action = fst_random(t->w) % 100 < t->cfg->create_percent ? TRANSACTIONS_CREATE
									 : TRANSACTIONS_DELETE;
	if (action == TRANSACTIONS_READ_OR_APPEND)
		action = fst_random(t->w) % 100 < t->cfg->read_percent ? TRANSACTIONS_READ
								       : TRANSACTIONS_APPEND;
	if (action == TRANSACTIONS_CREATE && t->n >= 2 * t->cfg->files)
		return TRANSACTIONS_DELETE;
	return action != TRANSACTIONS_CREATE && t->n < 2 && action == TRANSACTIONS_DELETE ? TRANSACTIONS_CREATE
											  : action;
}

static int transactions_act(struct transactions_worker *t, uint32_t action)
{
	switch (action) {
	case TRANSACTIONS_CREATE:
		return transactions_create(t);
	case TRANSACTIONS_DELETE:
		return transactions_delete(t);
	case TRANSACTIONS_APPEND:
		return transactions_use(t, false, true);
	case TRANSACTIONS_READ:
		return transactions_use(t, true, false);
	case TRANSACTIONS_READ_APPEND:
		return transactions_use(t, true, true);
	default:
		return transactions_stat(t);
	}
}

static int transactions_run(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;
	const uint64_t end = t->cfg->transactions ? t->cfg->transactions : UINT64_MAX;
	const int flow = t->cfg->flow;
	uint64_t begin = fst_now(w->ctx), now = begin;

	t->timed = true;
	for (; t->done < end && !fst_stopping(w); t->done++) {
		begin = now;
		t->bytes = 0;
		for (uint32_t i = 0; i < transactions_flows[flow].n; i++) {
			uint32_t action = transactions_choose(t, transactions_flows[flow].action[i]);
			int ret = transactions_act(t, action);

			if (ret)
				return ret;
			now = fst_op(w, action, now, 0);
		}
		now = fst_op(w, TRANSACTIONS_WHOLE, begin, t->bytes);
	}
	return 0;
}

/* ---- around it ------------------------------------------------------------------------------- */

static int transactions_check(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;

	if (!cfg->transactions && !fst_is_set(ctx, "runtime"))
		return fst_error(ctx, 0, "transactions = 0 has no end without a runtime");
	if (cfg->sizes != FILES_FIXED && cfg->size_max && cfg->size_max < cfg->size_min)
		return fst_error(ctx, 0, "size_max is less than size_min");
	if (cfg->sizes == FILES_UNIFORM && !cfg->size_max)
		return fst_error(ctx, 0, "size_distribution = uniform needs size_max");
	if ((cfg->sizes == FILES_LOGNORMAL || cfg->sizes == FILES_EXPONENTIAL) && !cfg->size)
		return fst_error(ctx, 0, "size_distribution: size, the mean, is to be at least 1");
	return 0;
}

static int transactions_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	const uint64_t mean = cfg->sizes == FILES_UNIFORM ? (cfg->size_min + cfg->size_max) / 2 : cfg->size;

	est->files = cfg->files * ctx->nworkers;
	est->bytes_written = (est->files + cfg->transactions * ctx->nworkers) * mean;
	est->bytes_read = cfg->transactions * ctx->nworkers * mean;
	return 0;
}

static int transactions_open_dirs(struct transactions_state *s)
{
	char path[FILES_PATH];
	int ret = files_allow_open(s->ctx, s->n_dirs);

	for (uint64_t i = 0; i < s->n_dirs; i++)
		s->dir[i] = -1;
	for (uint64_t i = 0; i < s->n_dirs && !ret; i++) {
		if (snprintf(path, sizeof(path), "%s/d%llu", s->base, (unsigned long long)i) >=
		    (int)sizeof(path))
			return fst_error(s->ctx, ENAMETOOLONG, "directory %s", s->base);
		if (mkdir(path, 0755))
			return fst_error(s->ctx, errno, "make directory %s", path);
		s->dir[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (s->dir[i] < 0)
			ret = fst_error(s->ctx, errno, "open %s", path);
	}
	return ret;
}

static int transactions_prepare(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	struct transactions_state *s = ctx->state;
	int ret;

	s->ctx = ctx;
	s->n_dirs = cfg->shared ? cfg->dirs : cfg->dirs * ctx->nworkers;
	files_namer_init(&s->namer, FILES_RANDOM, TRANSACTIONS_NAME, ctx->seed);
	s->size = (struct files_size){ .kind = cfg->sizes, .size = cfg->size, .min = cfg->size_min,
				       .max = cfg->size_max, .sigma = cfg->sigma, .seed = ctx->seed };
	s->dir = malloc(s->n_dirs * sizeof(*s->dir));
	if (!s->dir)
		return fst_error(ctx, ENOMEM, "%llu directories", (unsigned long long)s->n_dirs);
	ret = files_make_own(ctx, "transactions", s->base);
	s->made = !ret;
	return ret ? ret : transactions_open_dirs(s);
}

static int transactions_worker_init(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;
	int ret = 0;

	t->w = w;
	t->s = w->ctx->state;
	t->cfg = w->ctx->cfg;
	t->pool = malloc((2 * t->cfg->files + 1) * sizeof(*t->pool));
	t->buffer = mmap(NULL, 2 * TRANSACTIONS_BUFFER, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t->buffer == MAP_FAILED)
		t->buffer = NULL;
	if (!t->buffer || !t->pool)
		return fst_error(w->ctx, ENOMEM, "a pool of %llu files", (unsigned long long)t->cfg->files);
	for (size_t i = 0; i < TRANSACTIONS_BUFFER; i += sizeof(uint64_t)) {
		uint64_t r = fst_random(w);

		memcpy(t->buffer + i, &r, sizeof(r));
	}
	t->stamp = fst_random(w);
	files_own_table();
	while (t->n < t->cfg->files && !ret && !fst_stopping(w))
		ret = transactions_create(t);
	return ret;
}

static void transactions_worker_fini(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;

	fst_worker_metric(w, "files_at_end", (double)t->n);
	free(t->pool);
	if (t->buffer)
		munmap(t->buffer, 2 * TRANSACTIONS_BUFFER);
}

static int transactions_cleanup(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	struct transactions_state *s = ctx->state;

	fst_note(ctx, "sync_boundary",
		 cfg->fsync ? "fsync of each created or appended file before its close, inside its transaction"
			    : "none: dirty data and metadata may remain in memory");
	for (uint64_t i = 0; s->made && i < s->n_dirs; i++)
		if (s->dir[i] >= 0)
			close(s->dir[i]);
	free(s->dir);
	return s->made ? files_remove_tree(ctx, s->base) : 0;
}

/* What both plugins have. */
#define TRANSACTIONS_CALLBACKS                                                                    \
	FST_METRICS(transactions_metrics), FST_OPS(transactions_ops),                             \
	.cfg_size = sizeof(struct transactions_cfg),                                              \
	.state_size = sizeof(struct transactions_state),                                          \
	.worker_size = sizeof(struct transactions_worker), .flags = FST_NEEDS_DIR,                \
	.check = transactions_check, .estimate = transactions_estimate,                           \
	.prepare = transactions_prepare, .worker_init = transactions_worker_init,                 \
	.run = transactions_run, .worker_fini = transactions_worker_fini,                         \
	.cleanup = transactions_cleanup
