/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the next I/O of a worker goes, for the workloads that read and write data files: through
 * the files from beginning to end, or at random; with one block size or several.
 */
#pragma once

#include <stdlib.h>

#include <fstrial/plugin.h>

/* Of percents above 0 that sum to 100 there are no more. */
enum { PATTERN_MAX_SHARES = 100 };

#define PATTERN_ONE (UINT64_C(1) << 32) /* a draw of 32 bits is below it */

struct pattern_share {
	uint64_t below; /* of PATTERN_ONE: draws from the last one's up to here have this size */
	uint64_t bs;
	uint64_t mask; /* bs - 1 where that is a power of two, else 0 */
};

struct pattern {
	uint64_t bs;	     /* of every I/O, or the smallest */
	uint64_t start;	     /* first byte of a file's part that is worked on */
	uint64_t len;	     /* bytes of it */
	uint64_t blocks;     /* whole blocks of bs in it */
	uint64_t left;	     /* bytes of this loop that are still to do */
	uint64_t loop;	     /* bytes of a loop */
	uint64_t loops;	     /* left, this one included */
	uint64_t turn;	     /* block of this turn through the files */
	uint32_t first, end; /* the worker's files */
	uint32_t file;	     /* next in turn */
	uint32_t n_shares;   /* 0: every I/O has bs */
	bool roundrobin;
	bool endless;
	struct pattern_share share[PATTERN_MAX_SHARES];
};

/* A place that moves through the files. */
struct pattern_cursor {
	uint64_t at;   /* of the file's part */
	uint64_t step; /* size of this turn through the files */
	uint32_t file;
};

/* ---- before the clock runs ---- */

static inline uint64_t pattern_largest(const struct fst_io_options *io)
{
	uint64_t max = io->n_bssplit ? 0 : io->bs;

	for (uint32_t i = 0; i < io->n_bssplit; i++)
		max = io->bssplit[i].bs > max ? io->bssplit[i].bs : max;
	return max;
}

/* For check. */
static inline int pattern_check(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;
	uint64_t max = pattern_largest(io);

	if (fst_on_device(ctx) && !io->size) /* all of it: the core sees that an I/O fits in */
		return io->bs ? 0 : fst_error(ctx, 0, "bs must be at least 1");
	if (!io->size || !io->bs || !io->nrfiles)
		return fst_error(ctx, 0, "size, bs and nrfiles must be at least 1");
	if (max > io->size / io->nrfiles)
		return fst_error(ctx, 0,
				 "bs = %llu bytes does not fit into a file of size / nrfiles = "
				 "%llu bytes",
				 (unsigned long long)max,
				 (unsigned long long)(io->size / io->nrfiles));
	return 0;
}

/* What is written on a device is lost: the guard is told. Of files nobody else knows. */
static inline int pattern_claim(struct fst_ctx *ctx, bool writes)
{
	const char *device = fst_on_device(ctx);

	return device && writes ? fst_claim(ctx, device) : 0;
}

/* Of a worker; 0: all of a device that is not known yet. */
static inline uint64_t pattern_size(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;
	uint64_t begin = io->offset +
			 io->offset_increment * (ctx->nworkers ? ctx->nworkers - 1 : 0);
	const char *have = io->size ? NULL : fst_fact(ctx, "target.size");
	uint64_t bytes = have ? strtoull(have, NULL, 10) : 0;

	return io->size ? io->size : bytes > begin ? bytes - begin : 0;
}

/* For files, which estimate counts: on a device there are none. */
static inline uint64_t pattern_files(const struct fst_ctx *ctx)
{
	return fst_on_device(ctx) ? 0 : ctx->io->nrfiles * ctx->nworkers;
}

/* For estimate: bytes that all workers move; with time_based of one loop, as nobody knows more. */
static inline uint64_t pattern_bytes(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;
	uint64_t bytes = pattern_size(ctx) / io->nrfiles * io->nrfiles * ctx->nworkers;

	return io->time_based || !io->loops ? bytes : bytes * io->loops;
}

static inline void pattern_set_shares(struct pattern *p, const struct fst_io_options *io)
{
	uint64_t percent = 0;

	for (uint32_t i = 0; i < io->n_bssplit && p->n_shares < PATTERN_MAX_SHARES; i++) {
		const struct fst_bs_share *s = &io->bssplit[i];

		percent += s->percent;
		if (!s->percent)
			continue;
		p->share[p->n_shares++] = (struct pattern_share){
			.below = percent * PATTERN_ONE / 100,
			.bs = s->bs,
			.mask = s->bs & (s->bs - 1) ? 0 : s->bs - 1,
		};
	}
	if (p->n_shares)
		p->share[p->n_shares - 1].below = PATTERN_ONE;
}

/* For worker_init. set: the number of this worker's set of files. */
static inline void pattern_init(struct pattern *p, const struct fst_worker *w, uint32_t set)
{
	const struct fst_io_options *io = w->ctx->io;

	p->bs = io->bs;
	p->start = io->offset + w->index * io->offset_increment;
	p->len = io->size / io->nrfiles;
	p->blocks = p->len / p->bs;
	p->first = fst_on_device(w->ctx) ? 0 : (uint32_t)(set * io->nrfiles);
	p->end = (uint32_t)(p->first + io->nrfiles);
	p->file = p->first;
	p->roundrobin = io->file_service_type == FST_ROUNDROBIN_FILES && io->nrfiles > 1;
	p->endless = io->time_based;
	p->loops = io->loops ? io->loops : 1;
	p->loop = p->len * io->nrfiles;
	pattern_set_shares(p, io);
	p->left = p->loop;
}

/* Random blocks are whole ones: what is behind the last of them is never reached. */
static inline void pattern_init_random(struct pattern *p, const struct fst_worker *w, uint32_t set)
{
	pattern_init(p, w, set);
	if (!p->n_shares)
		p->loop = p->blocks * p->bs * (p->end - p->first);
	p->left = p->loop;
}

static inline void pattern_cursor_init(struct pattern_cursor *c, const struct pattern *p)
{
	c->at = 0;
	c->step = p->bs;
	c->file = p->first;
}

/* ---- for each I/O ---- */

/* May the worker go on? Begins the next loop where one is over. */
static inline bool pattern_goes_on(struct pattern *p)
{
	if (__builtin_expect(p->left != 0, 1))
		return true;
	if (!p->endless && --p->loops == 0) {
		p->loops = 1;
		return false;
	}
	p->left = p->loop;
	return true;
}

static inline void pattern_count(struct pattern *p, const struct fst_io *io)
{
	p->left -= io->length < p->left ? io->length : p->left;
}

/* The share that a draw of 32 bits falls into. */
static inline const struct pattern_share *pattern_draw(const struct pattern *p, uint32_t draw)
{
	const struct pattern_share *s = p->share;

	while (draw >= s->below)
		s++;
	return s;
}

/* The next bytes, size of them or up to the end of the file. */
static inline void pattern_sequential(const struct pattern *p, struct pattern_cursor *c,
				      uint64_t size, struct fst_io *io)
{
	uint64_t left = p->len - c->at;
	bool turn_over = true;

	/* In turns all files are at the same place, so that a turn has one size. */
	if (p->roundrobin && c->file != p->first)
		size = c->step;
	c->step = size;
	io->offset = p->start + c->at;
	io->length = size < left ? size : left;
	io->file = c->file;
	if (p->roundrobin && ++c->file != p->end)
		turn_over = false;
	if (!turn_over)
		return;
	c->at += io->length;
	if (p->roundrobin)
		c->file = p->first;
	if (__builtin_expect(c->at == p->len, 0)) {
		c->at = 0;
		if (!p->roundrobin && ++c->file == p->end)
			c->file = p->first;
	}
}

static inline uint64_t pattern_block(struct fst_worker *w, uint64_t n)
{
	uint64_t block = fst_random_block(w, n);

	/* Begun anew: when a loop is over is counted by its bytes. */
	return __builtin_expect(block == FST_ALL_TAKEN, 0) ? fst_random_block(w, n) : block;
}

/*
 * In turns: one block is drawn for all files, and each sees it moved by a distance of its own, so
 * that no file sees a block twice before it has seen all.
 */
static inline uint64_t pattern_turn(struct pattern *p, struct fst_worker *w, uint32_t *file)
{
	uint64_t nth = p->file - p->first;

	if (!nth)
		p->turn = pattern_block(w, p->blocks);
	*file = p->file;
	if (++p->file == p->end)
		p->file = p->first;
	return (p->turn + nth * UINT64_C(0x9e3779b97f4a7c15) % p->blocks) % p->blocks;
}

/* A block of any file; from share, if not NULL, its size and what it is aligned to. */
static inline void pattern_random(struct pattern *p, struct fst_worker *w,
				  const struct pattern_share *share, struct fst_io *io)
{
	uint64_t block, at;

	io->file = p->first;
	if (p->end - p->first == 1) {
		block = pattern_block(w, p->blocks);
	} else if (p->roundrobin) {
		block = pattern_turn(p, w, &io->file);
	} else {
		block = pattern_block(w, p->blocks * (p->end - p->first));
		io->file = p->first + (uint32_t)(block / p->blocks);
		block %= p->blocks;
	}
	at = block * p->bs;
	io->length = p->bs;
	if (share) {
		io->length = share->bs;
		at -= share->mask ? at & share->mask : at % share->bs;
		if (at + share->bs > p->len)
			at = (p->len / share->bs - 1) * share->bs;
	}
	io->offset = p->start + at;
}

/* One byte of each 4 KiB is another, so that no block is what it was. */
static inline void pattern_dirty(struct fst_io *io)
{
	unsigned char *buf = io->buf;

	for (uint64_t at = 0; at < io->length; at += 4096)
		buf[at]++;
}
