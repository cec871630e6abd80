/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the workload streams says of its files in the result. */
#pragma once

#include "streams_figures.h"
#include "streams_make.h"

struct streams_count {
	struct extents_groups groups;
	uint64_t *group_bytes; /* by group */
	double *extents;       /* by file */
	uint64_t all_extents;
	uint64_t of_file; /* extents of the file being looked at */
	uint64_t bytes;	  /* of data in extents */
	uint64_t size;	  /* a file's */
};

static void streams_count_run(const struct extents_run *run, void *arg)
{
	struct streams_count *c = arg;
	uint64_t group = c->groups.agcount ? run->physical / c->groups.agsize : UINT64_MAX;
	uint64_t end = run->logical + run->length;

	c->of_file++;
	c->bytes += run->length;
	/* What lies past the end is counted as space, not as data. */
	if (end > c->size)
		c->bytes -= end - (run->logical > c->size ? run->logical : c->size);
	if (run->placed && group < c->groups.agcount)
		c->group_bytes[group] += run->length;
}

static int streams_count_file(struct fst_ctx *ctx, struct streams_count *c, uint32_t file)
{
	char path[PATH_MAX];
	struct stat s;
	int fd, r;

	own_file_path(path, ctx, streams_name, file);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fst_error(ctx, errno, "open %s", path);
	c->of_file = 0;
	r = fstat(fd, &s) < 0 ? fst_error(ctx, errno, "stat %s", path) : 0;
	c->size = r == 0 ? (uint64_t)s.st_size : 0;
	if (r == 0)
		r = extents_each(fd, 0, INT64_MAX, streams_count_run, c);
	close(fd);
	if (r < 0 && r != -EOPNOTSUPP && r != -ENOTTY)
		return fst_error(ctx, -r, "extents of %s", path);
	c->extents[file] = (double)c->of_file;
	c->all_extents += c->of_file;
	return r;
}

static void streams_report_closed(struct fst_ctx *ctx, struct streams_count *c, size_t n)
{
	fst_set_metric(ctx, "extents_closed", (double)c->all_extents / (double)n);
}

static void streams_report_open(struct fst_ctx *ctx, struct streams_count *c, size_t n)
{
	double used = 0;

	fst_set_metric(ctx, "extents_mean", (double)c->all_extents / (double)n);
	fst_set_metric(ctx, "extents_p50", streams_quantile(c->extents, n, 0.5));
	fst_set_metric(ctx, "extents_p99", streams_quantile(c->extents, n, 0.99));
	fst_set_metric(ctx, "extents_max", streams_quantile(c->extents, n, 1));
	if (c->all_extents)
		fst_set_metric(ctx, "extent_size", (double)c->bytes / (double)c->all_extents);
	if (c->bytes)
		fst_set_metric(ctx, "extents_per_gib",
			       (double)c->all_extents * (double)(1ull << 30) / (double)c->bytes);
	if (!c->groups.agcount)
		return;
	for (uint32_t i = 0; i < c->groups.agcount; i++)
		used += c->group_bytes[i] != 0;
	fst_set_metric(ctx, "groups_used", used);
	fst_set_metric(ctx, "group_entropy", streams_entropy(c->group_bytes, c->groups.agcount));
}

static void streams_read_groups(struct fst_ctx *ctx, struct extents_groups *g)
{
	int dir = open(ctx->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*g = (struct extents_groups){ .agcount = 0 };
	if (dir < 0)
		return;
	extents_groups_read(dir, g);
	close(dir);
}

static int streams_report_extents(struct fst_ctx *ctx,
				  void (*report)(struct fst_ctx *ctx, struct streams_count *c,
						 size_t n))
{
	const size_t n = streams_files(ctx);
	struct streams_count c = { .all_extents = 0 };
	int r = 0;

	streams_read_groups(ctx, &c.groups);
	c.group_bytes = calloc(c.groups.agcount + 1u, sizeof(*c.group_bytes));
	c.extents = calloc(n, sizeof(*c.extents));
	if (!c.group_bytes || !c.extents)
		r = fst_error(ctx, ENOMEM, "extents of %zu files", n);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = streams_count_file(ctx, &c, i);
	if (r == 0) {
		report(ctx, &c, n);
	} else if (r == -EOPNOTSUPP || r == -ENOTTY) {
		if (report == streams_report_open) /* once is enough */
			fst_warning(ctx,
				    "no extents in the result: the file system of %s does not map "
				    "them (%s)",
				    ctx->dir, strerror(-r));
		r = 0;
	}
	free(c.group_bytes);
	free(c.extents);
	return r;
}

/* ---- space past the end ---------------------------------------------------------------------- */

/* Share of the files' space that lies past their ends. */
static int streams_past_end(struct fst_ctx *ctx, double *share)
{
	double space = 0, past = 0;
	char path[PATH_MAX];
	struct stat s;

	for (uint32_t i = 0; i < streams_files(ctx); i++) {
		uint64_t data, bytes;

		own_file_path(path, ctx, streams_name, i);
		if (stat(path, &s) < 0)
			return fst_error(ctx, errno, "stat %s", path);
		/* The last block of a file belongs to it whole. */
		data = ((uint64_t)s.st_size + (uint64_t)s.st_blksize - 1) / (uint64_t)s.st_blksize *
		       (uint64_t)s.st_blksize;
		bytes = (uint64_t)s.st_blocks * 512;
		space += (double)bytes;
		past += bytes > data ? (double)(bytes - data) : 0;
	}
	*share = space > 0 ? past / space : NAN;
	return 0;
}

/*
 * What the application's close does: the first close of an open for writing makes XFS give space past
 * the end back, also when the file is open elsewhere.
 */
static int streams_close_all(struct fst_ctx *ctx)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < streams_files(ctx); i++) {
		int fd;

		own_file_path(path, ctx, streams_name, i);
		fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || close(fd) < 0)
			return fst_error(ctx, errno, "close %s", path);
	}
	return 0;
}

/* ---- who got how much ------------------------------------------------------------------------ */

static int streams_report_fairness(struct fst_ctx *ctx)
{
	const struct streams_state *st = ctx->state;
	const size_t n = st->file ? streams_files(ctx) : 0;
	const uint64_t size = streams_file_size(ctx);
	double *rate = calloc(n + 1, sizeof(*rate)), *end = calloc(n + 1, sizeof(*end));
	size_t whole = 0, begun = 0;

	if (!rate || !end) {
		free(rate);
		free(end);
		return fst_error(ctx, ENOMEM, "rates of %zu files", n);
	}
	for (size_t i = 0; i < n; i++) {
		const struct streams_file *f = &st->file[i];

		rate[i] = f->end_ns ? (double)f->bytes / (double)f->end_ns : 0;
		begun += f->bytes != 0;
		if (f->bytes == size)
			end[whole++] = (double)f->end_ns;
	}
	fst_set_metric(ctx, "fairness", streams_jain(rate, n));
	fst_set_metric(ctx, "files_complete", begun ? (double)whole : NAN);
	fst_set_metric(ctx, "completion_p50", streams_quantile(end, whole, 0.5));
	fst_set_metric(ctx, "completion_first", streams_quantile(end, whole, 0));
	fst_set_metric(ctx, "completion_last", streams_quantile(end, whole, 1));
	if (whole && end[0] > 0)
		fst_set_metric(ctx, "completion_spread", end[whole - 1] / end[0]);
	free(rate);
	free(end);
	return 0;
}

/* The layout of files that are as they should be. */
static int streams_verify(struct fst_ctx *ctx)
{
	double before, after;
	int r = streams_past_end(ctx, &before);

	if (r == 0)
		r = streams_report_extents(ctx, streams_report_open);
	if (r == 0)
		r = streams_close_all(ctx);
	if (r == 0)
		r = streams_past_end(ctx, &after);
	if (r < 0)
		return r;
	fst_set_metric(ctx, "past_end_open", before);
	fst_set_metric(ctx, "past_end_closed", after);
	return streams_report_extents(ctx, streams_report_closed);
}

/* Also after a failure: what was measured until then is said. */
static int streams_cleanup(struct fst_ctx *ctx)
{
	struct streams_state *st = ctx->state;
	int r = streams_report_fairness(ctx), removed = streams_remove(ctx);

	free(st->file);
	*st = (struct streams_state){ .file = NULL };
	return r < 0 ? r : removed;
}
