/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the reads that follow cold: writes everything back, then drops the caches. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#define DROP_CACHES_FILE "/proc/sys/vm/drop_caches"

/* As the kernel counts them. */
enum drop_caches_what {
	DROP_CACHES_PAGES = 1,
	DROP_CACHES_SLAB = 2,
	DROP_CACHES_ALL = 3,
};

enum drop_caches_method {
	DROP_CACHES_AUTO = 0,
	DROP_CACHES_KERNEL = 1,
	DROP_CACHES_FILES = 2,
};

struct drop_caches_cfg {
	int what;
	int method;
};

static const struct fst_choice drop_caches_whats[] = {
	{ "all", DROP_CACHES_ALL, "File contents, directory entries and inodes." },
	{ "pagecache", DROP_CACHES_PAGES, "File contents only." },
	{ "slab", DROP_CACHES_SLAB, "Directory entries and inodes only." },
};

static const struct fst_choice drop_caches_methods[] = {
	{ "auto", DROP_CACHES_AUTO, "The kernel's where it is allowed, else file by file." },
	{ "kernel", DROP_CACHES_KERNEL, "All caches of the machine, as root." },
	{ "files", DROP_CACHES_FILES, "Only the contents of the files in the trial's directory." },
};

static const struct fst_param drop_caches_params[] = {
	{ .name = "what",
	  .type = FST_ENUM,
	  FST_AT(struct drop_caches_cfg, what),
	  .def = "all",
	  FST_CHOICES(drop_caches_whats),
	  .doc = "Which caches are dropped." },
	{ .name = "method",
	  .type = FST_ENUM,
	  FST_AT(struct drop_caches_cfg, method),
	  .def = "auto",
	  FST_CHOICES(drop_caches_methods),
	  .doc = "How they are dropped." },
};

static int drop_caches_check(struct fst_ctx *ctx)
{
	const struct drop_caches_cfg *cfg = ctx->cfg;

	if (cfg->method == DROP_CACHES_FILES && cfg->what == DROP_CACHES_SLAB)
		return fst_error(ctx, 0,
				 "what = slab: only the kernel can drop directory entries "
				 "and inodes, method = files cannot");
	return 0;
}

/* Data that cannot be written back is an error here, not a surprise in the next step. */
static int drop_caches_sync_dir(struct fst_ctx *ctx)
{
	int fd, r;

	if (!ctx->dir)
		return 0;
	fd = open(ctx->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fst_error(ctx, errno, "open %s", ctx->dir);
	r = syncfs(fd) < 0 ? fst_error(ctx, errno, "syncfs %s", ctx->dir) : 0;
	close(fd);
	return r;
}

/* A positive number when the kernel's file may not be written and nothing was done. */
static int drop_caches_kernel(struct fst_ctx *ctx, const char *path, int what)
{
	char digit = (char)('0' + what);
	int r, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	r = drop_caches_sync_dir(ctx);
	if (r == 0) {
		sync();
		if (write(fd, &digit, 1) != 1)
			r = fst_error(ctx, errno, "write %c to %s", digit, path);
	}
	close(fd);
	return r;
}

/* 1 when the file stays cached. Data that cannot be written back is an error. */
static int drop_caches_one(struct fst_ctx *ctx, const char *path)
{
	int r = 0, fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return 1;
	if (fsync(fd) < 0)
		r = fst_error(ctx, errno, "fsync %s", path);
	else if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		r = 1;
	close(fd);
	return r;
}

/* Symbolic links and other mounts are left out. */
static int drop_caches_files(struct fst_ctx *ctx, const char *dir)
{
	char *const roots[] = { (char *)(uintptr_t)dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	unsigned long count[2] = { 0, 0 };
	char text[32];
	FTSENT *e;
	int r = 0;

	if (!fts)
		return fst_error(ctx, errno, "read directory %s", dir);
	while (r >= 0 && (errno = 0, e = fts_read(fts)) != NULL) {
		if (e->fts_info == FTS_F)
			r = drop_caches_one(ctx, e->fts_path);
		else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
			r = 1;
		else
			continue;
		if (r >= 0)
			count[r]++;
	}
	if (r >= 0)
		r = errno ? fst_error(ctx, errno, "read directory %s", dir) : 0;
	fts_close(fts);
	snprintf(text, sizeof(text), "%lu", count[0]);
	fst_note(ctx, "files", text);
	if (count[1])
		fst_warning(
			ctx,
			"%lu files or directories in %s could not be opened and may stay cached",
			count[1], dir);
	return r;
}

static int drop_caches_apply(struct fst_ctx *ctx)
{
	const struct drop_caches_cfg *cfg = ctx->cfg;
	int r = EACCES;

	if (cfg->method != DROP_CACHES_FILES)
		r = drop_caches_kernel(ctx, DROP_CACHES_FILE, cfg->what);
	if (r <= 0) {
		fst_note(ctx, "method", "kernel");
		return r;
	}
	if (cfg->method == DROP_CACHES_KERNEL || cfg->what == DROP_CACHES_SLAB)
		return fst_error(ctx, r, "write " DROP_CACHES_FILE);
	if (!ctx->dir)
		return fst_error(ctx, r,
				 "write " DROP_CACHES_FILE ", and there is no directory yet whose "
				 "files could be dropped instead");
	fst_note(ctx, "method", "files");
	if (cfg->method == DROP_CACHES_AUTO)
		fst_warning(ctx,
			    "only the contents of the files in %s were dropped from the "
			    "cache: " DROP_CACHES_FILE " cannot be written (%s)",
			    ctx->dir, strerror(r));
	return drop_caches_files(ctx, ctx->dir);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "drop_caches", .version = "1",
	       .summary = "drops the kernel's caches, so that the next reads come from the device",
	       .description = "Writes all dirty data back first (dirty pages would stay), then "
			      "drops page cache, "
			      "directory entries and inodes.\n"
			      "As root it does so for the whole machine: other programs read cold "
			      "too. A plain user, or "
			      "a container that may not, gets the contents of the files in the "
			      "trial's directory "
			      "dropped one by one, with a warning: directory entries and inodes "
			      "stay cached.\n"
			      "Caches of the device, and of the host under a virtual disk or a "
			      "loop image that is not "
			      "opened for direct I/O, are out of reach.",
	       FST_PARAMS(drop_caches_params), .cfg_size = sizeof(struct drop_caches_cfg),
	       .flags = FST_DROPS_CACHES, .check = drop_caches_check, .apply = drop_caches_apply);
