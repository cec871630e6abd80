/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An engine that touches no file and keeps the first I/Os that it was asked for, and how many there
 * were.
 */
#pragma once

#include "tests/unit/io_host.h"

struct tally {
	uint64_t max; /* I/Os kept */
	struct fst_io *io;
	uint64_t n;
};

static inline int tally_queue(struct fst_engine *e, struct fst_io *io)
{
	struct tally *t = (struct tally *)(uintptr_t)e->cfg;

	if (t->n < t->max)
		t->io[t->n] = *io;
	t->n++;
	io->result = (int64_t)io->length;
	return 1;
}

static const struct fst_engine_ops tally_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.flags = FST_ENGINE_SYNC | FST_ENGINE_NO_FILES,
	.queue = tally_queue,
};

static const struct fstrial_plugin tally_engine = {
	.magic = FST_MAGIC,
	.abi = FST_ABI,
	.struct_size = sizeof(struct fstrial_plugin),
	.kind = FST_ENGINE,
	.name = "tally",
	.engine = &tally_ops,
};

/* Keeps max I/Os of a step of one worker; the caller sets parameters, then io_host_run(). */
static inline void tally_init(struct tally *t, struct io_host *h, const struct fstrial_plugin *w,
			      const void *cfg, uint64_t max)
{
	*t = (struct tally){ .max = max, .io = calloc(max, sizeof(struct fst_io)) };
	if (!t->io)
		abort();
	io_host_init(h, w, &tally_engine, cfg);
	h->wl.engine_cfg = t;
}

static inline void tally_free(struct tally *t, struct io_host *h)
{
	free(t->io);
	io_host_free(h);
}

static inline void tally_share(struct io_host *h, uint64_t bs, uint32_t percent)
{
	h->p.shares[h->p.n_shares++] = (struct fst_bs_share){ .bs = bs, .percent = percent };
}

/* Sum over all kept of a number that tells them apart. */
static inline uint64_t tally_hash(const struct tally *t)
{
	uint64_t hash = 1;

	for (uint64_t i = 0; i < t->n && i < t->max; i++) {
		hash = hash * 31 + t->io[i].offset;
		hash = hash * 31 + t->io[i].length;
		hash = hash * 31 + t->io[i].file * 8 + t->io[i].op;
	}
	return hash;
}

/* "r0:0+4096 w1:4096+512 ": operation, file, offset, length of the first I/Os. */
static inline void tally_text(const struct tally *t, char *text, size_t size)
{
	*text = 0;
	for (uint64_t i = 0; i < t->n && i < t->max; i++) {
		size_t len = strlen(text);

		snprintf(text + len, size - len, "%c%u:%llu+%llu ", "rwtsd"[t->io[i].op],
			 t -> io[i].file, (unsigned long long)t->io[i].offset,
			 (unsigned long long)t->io[i].length);
	}
}
