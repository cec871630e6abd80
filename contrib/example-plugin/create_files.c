/* SPDX-License-Identifier: MIT */
/*
 * Example of a workload: each worker creates files in a directory of its own. Copy this file,
 * rename what begins with create_files, and change what is done.  The name of a plugin (.name
 * below) is the name of its file. All that a plugin may use is described in fstrial/plugin.h.
 */
#include <fstrial/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE_FILES_BUFFER 65536u
#define CREATE_FILES_PATH 4096u

/* What a job can say. The host fills this in before it calls anything below. */
struct create_files_cfg {
	uint64_t files;
	uint64_t size;
	bool fsync;
};

static const struct fst_param create_files_params[] = {
	{ .name = "files",
	  .type = FST_U64,
	  FST_AT(struct create_files_cfg, files),
	  .def = "1000",
	  .min = "1",
	  .max = "100000000",
	  .unit = "files",
	  .doc = "Files that each worker creates." },
	{ .name = "size",
	  .type = FST_SIZE,
	  FST_AT(struct create_files_cfg, size),
	  .def = "4KiB",
	  .doc = "Bytes written to each file; 0 leaves it empty." },
	{ .name = "fsync",
	  .type = FST_BOOL,
	  FST_AT(struct create_files_cfg, fsync),
	  .def = "false",
	  .doc = "Flush each file to the device before the next one." },
};

/* What is measured. A metric that is not declared here is an error. */
static const struct fst_metric create_files_metrics[] = {
	{ .name = "create_rate",
	  .unit = "ops/s",
	  .better = FST_HIGHER,
	  .agg = FST_SUM, /* the workers' rates add up */
	  .flags = FST_PRIMARY,
	  .doc = "Files created and written in a second, by all workers." },
};

/* What fst_op() times: latencies of these are kept without any further work. */
enum create_files_op {
	CREATE_FILES_CREATE,
};

static const struct fst_op_kind create_files_ops[] = {
	[CREATE_FILES_CREATE] = { .name = "create", .doc = "Opens, writes and closes one new file." },
};

/* Memory of one worker. No other thread sees it, and it is zero at the start. */
struct create_files_worker {
	char path[CREATE_FILES_PATH];
	uint64_t data[CREATE_FILES_BUFFER / sizeof(uint64_t)];
};

static int create_files_dir(const struct fst_ctx *ctx, uint32_t worker, char *path)
{
	int n = snprintf(path, CREATE_FILES_PATH, "%s/create_files.%u", ctx->dir, worker);

	return n < 0 || n >= (int)CREATE_FILES_PATH - 32 ? -ENAMETOOLONG : n;
}

/* The parameters together, before anything is started. Touches nothing. */
static int create_files_check(struct fst_ctx *ctx)
{
	const struct create_files_cfg *cfg = ctx->cfg;

	if (cfg->size && cfg->files > UINT64_MAX / cfg->size)
		return fst_error(ctx, 0, "files times size is too large");
	return 0;
}

/* For `fstrial plan`. */
static int create_files_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct create_files_cfg *cfg = ctx->cfg;

	est->files = cfg->files * ctx->nworkers;
	est->bytes_written = est->files * cfg->size;
	return 0;
}

/* Before the clock starts. */
static int create_files_prepare(struct fst_ctx *ctx)
{
	char path[CREATE_FILES_PATH];

	for (uint32_t i = 0; i < ctx->nworkers; i++) {
		int ret = create_files_dir(ctx, i, path);

		if (ret < 0)
			return fst_error(ctx, -ret, "directory %s", ctx->dir);
		if (mkdir(path, 0755))
			return fst_error(ctx, errno, "make directory %s", path);
	}
	return 0;
}

/* Before the clock starts, in the worker's thread. Random data cannot be compressed. */
static int create_files_worker_init(struct fst_worker *w)
{
	struct create_files_worker *state = w->state;

	for (size_t i = 0; i < sizeof(state->data) / sizeof(state->data[0]); i++)
		state->data[i] = fst_random(w);
	return 0;
}

static int create_files_write(struct fst_worker *w, int fd)
{
	const struct create_files_cfg *cfg = w->ctx->cfg;
	struct create_files_worker *state = w->state;

	for (uint64_t left = cfg->size; left;) {
		ssize_t n = write(fd, state->data,
				  left < sizeof(state->data) ? left : sizeof(state->data));

		if (n < 0)
			return fst_error(w->ctx, errno, "write %s", state->path);
		left -= (uint64_t)n;
	}
	if (cfg->fsync && fsync(fd))
		return fst_error(w->ctx, errno, "fsync %s", state->path);
	return 0;
}

static int create_files_one(struct fst_worker *w)
{
	struct create_files_worker *state = w->state;
	int fd, ret;

	fd = open(state->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return fst_error(w->ctx, errno, "create %s", state->path);
	ret = create_files_write(w, fd);
	if (close(fd) && !ret)
		ret = fst_error(w->ctx, errno, "close %s", state->path);
	return ret;
}

/* The measured part. All workers start together; each returns when it is done or asked to stop. */
static int create_files_run(struct fst_worker *w)
{
	const struct create_files_cfg *cfg = w->ctx->cfg;
	struct create_files_worker *state = w->state;
	const uint64_t begin = fst_now(w->ctx);
	int ret = create_files_dir(w->ctx, w->index, state->path);
	uint64_t i, elapsed;
	char *end;

	if (ret < 0)
		return fst_error(w->ctx, -ret, "directory %s", w->ctx->dir);
	end = state->path + ret;
	for (i = 0; i < cfg->files && !fst_stopping(w); i++) {
		uint64_t start;

		snprintf(end, 32, "/%llu", (unsigned long long)i);
		start = fst_now(w->ctx);
		ret = create_files_one(w);
		if (ret)
			return ret;
		fst_op(w, CREATE_FILES_CREATE, start, cfg->size);
	}
	elapsed = fst_now(w->ctx) - begin;
	return fst_worker_metric(w, "create_rate", elapsed ? (double)i * 1e9 / (double)elapsed : 0);
}

/* Also after a failure: what is not there is no error. Files are numbered without a gap. */
static int create_files_cleanup(struct fst_ctx *ctx)
{
	char path[CREATE_FILES_PATH];

	for (uint32_t i = 0; i < ctx->nworkers; i++) {
		int len = create_files_dir(ctx, i, path);
		uint64_t n = 0;

		if (len < 0)
			return fst_error(ctx, -len, "directory %s", ctx->dir);
		do
			snprintf(path + len, 32, "/%llu", (unsigned long long)n++);
		while (unlink(path) == 0);
		if (errno != ENOENT && errno != ENOTDIR)
			return fst_error(ctx, errno, "remove %s", path);
		path[len] = '\0';
		if (rmdir(path) && errno != ENOENT)
			return fst_error(ctx, errno, "remove directory %s", path);
	}
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "create_files", .version = "1",
	       .summary = "Creates many small files",
	       .description =
		       "Each worker creates files one after the other in a directory of its own.\n"
		       "Without fsync this measures memory as much as the device: use more files\n"
		       "than fit into it, or fsync = true, to see the device.",
	       FST_PARAMS(create_files_params), FST_METRICS(create_files_metrics),
	       FST_OPS(create_files_ops), .cfg_size = sizeof(struct create_files_cfg),
	       .worker_size = sizeof(struct create_files_worker), .flags = FST_NEEDS_DIR,
	       .check = create_files_check, .estimate = create_files_estimate,
	       .prepare = create_files_prepare, .worker_init = create_files_worker_init,
	       .run = create_files_run, .cleanup = create_files_cleanup);
