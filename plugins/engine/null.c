/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine null: moves no data, so that what is measured is fstrial itself. */
#include <fstrial/plugin.h>

/* A queue through the I/Os themselves: engine[0] is the next one. First in, first out. */
struct null_state {
	struct fst_io *first;
	struct fst_io *last;
	uint32_t n;
};

static int null_queue(struct fst_engine *e, struct fst_io *io)
{
	struct null_state *st = e->state;

	io->result = (int64_t)io->length;
	if (e->depth == 1)
		return 1;
	if (st->n++)
		st->last->engine[0] = (uintptr_t)io;
	else
		st->first = io;
	st->last = io;
	return 0;
}

static int null_submit(struct fst_engine *e)
{
	const struct null_state *st = e->state;

	return (int)st->n;
}

static int null_reap(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max)
{
	struct null_state *st = e->state;
	uint32_t n;

	(void)min; /* all that was queued is complete */
	for (n = 0; n < max && st->n; n++, st->n--) {
		done[n] = st->first;
		st->first = (struct fst_io *)(uintptr_t)st->first->engine[0];
	}
	return (int)n;
}

static const struct fst_engine_ops null_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.flags = FST_ENGINE_NO_FILES,
	.queue = null_queue,
	.submit = null_submit,
	.reap = null_reap,
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "null",
	.version = "1.0",
	.summary = "moves no data: measures fstrial itself",
	.description =
		"Every I/O succeeds at once without a system call; no file is made, filled or\n"
		"opened. The rate is the most that fstrial itself can do, and the latency what\n"
		"its own bookkeeping takes. At iodepth 1 an I/O completes when it is queued,\n"
		"above that when it is reaped.",
	.state_size = sizeof(struct null_state),
	.engine = &null_ops);
