/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that take up space, for fill and age: sizes and order come from a seed alone. */
#pragma once

#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "freespace.h"

#define FILL_DIRS 16
#define FILL_BUFFER ((size_t)1 << 20)
#define FILL_PREFIX "fstrial-filled-"

enum fill_distribution {
	FILL_LOG = 0,
	FILL_UNIFORM = 1,
};

enum fill_method {
	FILL_FALLOCATE = 0,
	FILL_WRITE = 1,
};

/* Parameters that both have. */
struct fill_cfg {
	uint64_t percent;
	uint64_t size;
	uint64_t min_filesize;
	uint64_t max_filesize;
	int distribution;
	int method;
	uint64_t seed;
};

static const struct fst_choice fill_distributions[] = {
	{ "log", FILL_LOG,
	  "As many between 4 and 8 KiB as between 1 and 2 MiB, as in real trees." },
	{ "uniform", FILL_UNIFORM, "Every size is as likely: most of them are large." },
};

static const struct fst_choice fill_methods[] = {
	{ "fallocate", FILL_FALLOCATE, "Only allocated: fast, and free space is the same." },
	{ "write", FILL_WRITE, "Written with random data." },
};

#define FILL_PARAM(cfg, at, n, t) .name = #n, .type = (t), FST_AT(cfg, at n)
/* at: where in cfg the structure is, "fill." or nothing. */
#define FILL_FILE_PARAMS(cfg, at)                                                                \
	{ FILL_PARAM(cfg, at, min_filesize, FST_SIZE), .def = "4KiB", .min = "1B",               \
	  .doc = "Smallest file." },                                                             \
		{ FILL_PARAM(cfg, at, max_filesize, FST_SIZE), .def = "4MiB", .min = "1B",       \
		  .doc = "Largest file; the same as min_filesize makes all alike." },            \
		{ FILL_PARAM(cfg, at, distribution, FST_ENUM), .def = "log",                     \
		  FST_CHOICES(fill_distributions),                                               \
		  .doc = "How the sizes lie between smallest and largest." },                    \
		{ FILL_PARAM(cfg, at, method, FST_ENUM), .def = "fallocate",                     \
		  FST_CHOICES(fill_methods), .doc = "How the files get their space." },          \
	{                                                                                        \
		FILL_PARAM(cfg, at, seed, FST_U64),                                              \
			.def = "1",                                                              \
			.doc = "Seed of sizes and order; the same seed makes the same files in " \
			       "every trial."                                                    \
	}

struct fill_file {
	uint64_t bytes; /* that it takes up; 0: it is gone */
	bool cut;	/* it has a hole */
};

struct fill_tree {
	struct fst_ctx *ctx;
	const struct fill_cfg *cfg;
	int fd; /* of its directory */
	uint64_t random;
	uint64_t block;
	uint64_t held; /* bytes, of all files */
	uint64_t made, removed, punched;
	int method;
	bool full; /* there was no space, or no inode, for one more */
	struct fill_file *v;
	size_t n, cap;
	unsigned char *buffer;
};

/* splitmix64 */
static uint64_t fill_random(struct fill_tree *t)
{
	uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t fill_round_up(uint64_t v, uint64_t block)
{
	return (v + block - 1) / block * block;
}

static uint64_t fill_pick_size(struct fill_tree *t)
{
	uint64_t low = t->cfg->min_filesize, high = t->cfg->max_filesize, octaves = 1;

	if (t->cfg->distribution == FILL_LOG) {
		while (low << octaves <= high && octaves < 63)
			octaves++;
		low <<= fill_random(t) % octaves;
		high = low * 2 - 1 < high ? low * 2 - 1 : high;
	}
	return low + fill_random(t) % (high - low + 1);
}

static int fill_check(struct fst_ctx *ctx, const struct fill_cfg *cfg)
{
	if (cfg->min_filesize > cfg->max_filesize)
		return fst_error(ctx, 0, "min_filesize is above max_filesize");
	return 0;
}

/* ---- space ------------------------------------------------------------------------------------ */

static int fill_space(struct fill_tree *t, struct statvfs *vfs)
{
	return fstatvfs(t->fd, vfs) < 0 ? fst_error(t->ctx, errno, "statvfs %s", t->ctx->dir) : 0;
}

/* How many bytes more make the file system this full; what is used now is the seed's, as all before it. */
static int fill_missing(struct fill_tree *t, uint64_t percent, uint64_t *bytes)
{
	uint64_t all, used;
	struct statvfs vfs;
	int r = fill_space(t, &vfs);

	if (r < 0)
		return r;
	t->block = vfs.f_bsize ? vfs.f_bsize : 4096;
	all = (uint64_t)vfs.f_blocks * vfs.f_frsize;
	used = all - (uint64_t)vfs.f_bfree * vfs.f_frsize;
	*bytes = all / 100 * percent > used ? all / 100 * percent - used : 0;
	return 0;
}

/* ---- files ------------------------------------------------------------------------------------ */

static void fill_name(char *buf, size_t size, size_t i)
{
	snprintf(buf, size, "d%02zu/f%07zu", i % FILL_DIRS, i);
}

static int fill_write(struct fill_tree *t, int fd, uint64_t size)
{
	uint64_t *words = (uint64_t *)(void *)t->buffer;
	ssize_t n;
	size_t i;

	for (; size; size -= (uint64_t)n) {
		for (i = 0; i < FILL_BUFFER / sizeof(*words); i++)
			words[i] = fill_random(t);
		n = write(fd, t->buffer, size < FILL_BUFFER ? (size_t)size : FILL_BUFFER);
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* -ENOSPC is for the caller to make sense of. */
static int fill_get_space(struct fill_tree *t, int fd, uint64_t size)
{
	if (t->method == FILL_FALLOCATE) {
		if (fallocate(fd, 0, 0, (off_t)size) == 0)
			return 0;
		if (errno != EOPNOTSUPP)
			return -errno;
		fst_warning(t->ctx, "the file system has no fallocate: the files are written");
		t->method = FILL_WRITE;
	}
	return fill_write(t, fd, size);
}

static int fill_grow(struct fill_tree *t)
{
	struct fill_file *v;

	if (t->n < t->cap)
		return 0;
	t->cap = t->cap ? 2 * t->cap : 1024;
	v = realloc(t->v, t->cap * sizeof(*v));
	if (!v) {
		fst_error(t->ctx, ENOMEM, "a list of %zu files", t->cap);
		return -ENOMEM;
	}
	t->v = v;
	return 0;
}

/* One file more. A full file system is no error: t->full. */
static int fill_add(struct fill_tree *t, uint64_t size)
{
	char name[32];
	int fd, r = fill_grow(t);

	if (r < 0)
		return r;
	fill_name(name, sizeof(name), t->n);
	fd = openat(t->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : fill_get_space(t, fd, size);
	if (fd >= 0 && close(fd) < 0 && r == 0)
		r = -errno;
	if (r == -ENOSPC || r == -EDQUOT) {
		unlinkat(t->fd, name, 0);
		t->full = true;
		return 0;
	}
	if (r < 0)
		return fst_error(t->ctx, -r, "make %s of %" PRIu64 " bytes", name, size);
	t->v[t->n] = (struct fill_file){ .bytes = fill_round_up(size, t->block) };
	t->held += t->v[t->n++].bytes;
	t->made++;
	return 0;
}

/* Files until t->held is at least want, or nothing more fits. The last is cut to what is wanted. */
static int fill_up(struct fill_tree *t, uint64_t want)
{
	uint64_t size, left;
	int r = 0;

	t->full = false;
	while (r == 0 && !t->full && t->held + t->block <= want) {
		left = want - t->held;
		size = fill_pick_size(t);
		r = fill_add(t, size < left ? size : left / t->block * t->block);
	}
	return r;
}

/* ---- the tree --------------------------------------------------------------------------------- */

static void fill_close(struct fill_tree *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->v);
	free(t->buffer);
}

/* The place is said before it is made; the name is nobody else's. */
static int fill_make_place(struct fill_tree *t, char *path, size_t size)
{
	struct timespec ts;
	struct stat st;
	char dev[32];
	int r;

	clock_gettime(CLOCK_REALTIME, &ts);
	snprintf(path, size, "%s/" FILL_PREFIX "%d-%lx%08lx", t->ctx->dir, (int)getpid(),
		 (long)ts.tv_sec, ts.tv_nsec);
	if (stat(t->ctx->dir, &st) < 0)
		return fst_error(t->ctx, errno, "%s", t->ctx->dir);
	snprintf(dev, sizeof(dev), "%llu", (unsigned long long)st.st_dev);
	r = fst_save(t->ctx, "dev", dev);
	if (r == 0)
		r = fst_save(t->ctx, "files", path);
	if (r == 0 && mkdir(path, 0700) < 0)
		r = fst_error(t->ctx, errno, "mkdir %s", path);
	return r;
}

static int fill_open(struct fst_ctx *ctx, const struct fill_cfg *cfg, struct fill_tree *t)
{
	char path[4096], name[16];
	int i, r;

	*t = (struct fill_tree){ .ctx = ctx, .cfg = cfg, .fd = -1, .method = cfg->method };
	t->random = cfg->seed;
	t->buffer = malloc(FILL_BUFFER);
	r = t->buffer ? fill_make_place(t, path, sizeof(path)) : -ENOMEM;
	if (r < 0)
		return r;
	t->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->fd < 0)
		return fst_error(ctx, errno, "open %s", path);
	for (i = 0; i < FILL_DIRS; i++) {
		snprintf(name, sizeof(name), "d%02d", i);
		if (mkdirat(t->fd, name, 0700) < 0)
			return fst_error(ctx, errno, "mkdir %s/%s", path, name);
	}
	return 0;
}

/* What the workloads find is on disk, and where it lies is decided. */
static int fill_settle(struct fill_tree *t)
{
	return syncfs(t->fd) < 0 ? fst_error(t->ctx, errno, "syncfs") : 0;
}

static void fill_note(struct fst_ctx *ctx, const char *key, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	fst_note(ctx, key, text);
}

/* Not reached is a warning that says what ran out. */
static int fill_report(struct fill_tree *t, uint64_t want)
{
	struct statvfs vfs;
	int r = fill_space(t, &vfs);

	if (r < 0)
		return r;
	fill_note(t->ctx, "files", t->made - t->removed);
	fill_note(t->ctx, "file_bytes", t->held);
	if (t->full && t->held + t->block <= want)
		fst_warning(t->ctx,
			    "the file system is out of %s: %" PRIu64 " of %" PRIu64
			    " bytes were filled",
			    vfs.f_ffree ? "space" : "inodes", t->held, want);
	return 0;
}

/* ---- the way back ----------------------------------------------------------------------------- */

static int fill_remove(struct fst_ctx *ctx, const char *path)
{
	char *const roots[] = { (char *)(uintptr_t)path, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *e;
	int r = 0;

	if (!fts)
		return fst_error(ctx, errno, "read directory %s", path);
	while (r == 0 && (e = fts_read(fts)) != NULL) {
		if (e->fts_info == FTS_D)
			continue;
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			r = fst_error(ctx, e->fts_errno, "read %s", e->fts_path);
		else if ((e->fts_info == FTS_DP ? rmdir(e->fts_accpath) : unlink(e->fts_accpath)) <
				 0 &&
			 errno != ENOENT)
			r = fst_error(ctx, errno, "remove %s; by hand: rm -r %s", e->fts_path,
				      path);
	}
	fts_close(fts);
	return r;
}

/* Another file system on that place, or none, has none of our files. */
static int fill_revert(struct fst_ctx *ctx)
{
	const char *path = fst_saved(ctx, "files"), *dev = fst_saved(ctx, "dev"), *base;
	struct stat st;

	base = path ? strrchr(path, '/') : NULL;
	if (!base || strncmp(base + 1, FILL_PREFIX, strlen(FILL_PREFIX)) != 0 ||
	    lstat(path, &st) < 0)
		return 0;
	if (!dev || !S_ISDIR(st.st_mode) || strtoull(dev, NULL, 10) != st.st_dev)
		return 0;
	return fill_remove(ctx, path);
}
