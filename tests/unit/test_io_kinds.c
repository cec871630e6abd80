/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of I/Os that a data workload counts under operations of its own. */
#include "tests/unit/io_script.h"

void test_io_kinds(void);

/* A transaction: reads a page, writes it, logs, syncs; each fourth I/O has the core's own kind. */
enum { TX_PAGE, TX_LOG, TX_COMMIT };

static const struct fst_op_kind tx_ops[] = {
	{ .name = "page", .doc = "d", .flags = FST_OP_INNER },
	{ .name = "log", .doc = "d", .flags = FST_OP_INNER },
	{ .name = "commit", .doc = "d" },
};

static const struct fst_metric tx_metrics[] = {
	{ .name = "throughput", .unit = "bytes/s", .doc = "d" },
	{ .name = "iops", .unit = "ops/s", .doc = "d" },
	{ .name = "commit_rate", .unit = "ops/s", .doc = "d" },
	{ .name = "page_throughput", .unit = "bytes/s", .doc = "d" },
	{ .name = "log_mean", .unit = "ns", .doc = "d" },
};

static int tx_prepare(struct fst_ctx *ctx)
{
	return fst_files(ctx, FST_FILE_CREATE);
}

static int tx_next(struct fst_worker *w, struct fst_io *io)
{
	const struct plan *p = w->ctx->cfg;
	struct plan_worker *st = w->state;

	CU_ASSERT_EQUAL(io->kind, 0);
	if (st->done == p->n)
		return FST_NEXT_END;
	io->file = w->index;
	io->offset = 0;
	io->length = 4096;
	io->op = FST_IO_WRITE;
	switch (st->done++ % 4) {
	case 0:
		io->kind = TX_PAGE + 1;
		break;
	case 1:
		io->kind = TX_LOG + 1;
		io->length = 512;
		break;
	case 2: /* a sync may have a kind, too */
		io->kind = TX_LOG + 1;
		io->op = FST_IO_FDATASYNC;
		io->length = 0;
		break;
	default:
		break;
	}
	if (p->length)
		io->kind = (uint16_t)p->length;
	return FST_NEXT_IO;
}

static int tx_done(struct fst_worker *w, struct fst_io *io)
{
	struct plan_worker *st = w->state;

	if (io->op == FST_IO_FDATASYNC && ++st->completions)
		fst_op(w, TX_COMMIT, fst_now(w->ctx) - 5000, 100);
	return FST_DONE;
}

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin tx = {
	.magic = FST_MAGIC,
	.abi = FST_ABI,
	.struct_size = sizeof(struct fstrial_plugin),
	.kind = FST_WORKLOAD,
	.name = "tx",
	.cfg_size = sizeof(struct plan),
	.worker_size = sizeof(struct plan_worker),
	FST_METRICS(tx_metrics),
	FST_OPS(tx_ops),
	.prepare = tx_prepare,
	.next = tx_next,
	.done = tx_done,
};

static void test_counts(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;

		script_test_init(&t, &tx, &engine, depths[i]);
		t.h.ctx.nworkers = 2;
		free(t.s.log);
		t.s.log = NULL;
		t.p.n = 400;
		t.s.delay_ns = depths[i] == 1 ? 2000 : 20000;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.page.count"), 200);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.log.count"), 400);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.commit.count"), 200);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.write.count"), 200);
		CU_ASSERT_PTR_NULL(io_host_at(&t.h, "latency.sync"));
		CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.commit.min") >= 5000);
		/* Of rates and series: what is no part of another operation. */
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 400);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.bytes"), 200 * 4096 + 200 * 100);
		CU_ASSERT_EQUAL(live_get(t.h.wl.live->w[0].ops) + live_get(t.h.wl.live->w[1].ops),
				400);
		CU_ASSERT_EQUAL(live_get(t.h.wl.live->w[0].bytes), 100 * 4096 + 100 * 100);
		CU_ASSERT_TRUE(io_host_real(&t.h, "metrics.commit_rate.value") > 0);
		CU_ASSERT_TRUE(io_host_real(&t.h, "metrics.log_mean.value") > 0);
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&t.h, "metrics.page_throughput.value"),
				       io_host_real(&t.h, "metrics.commit_rate.value") * 4096, 1);
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&t.h, "metrics.iops.value"),
				       io_host_real(&t.h, "metrics.commit_rate.value") * 2, 1e-3);
		/* It wrote, whatever it calls that. */
		CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.sync_boundary"),
				       "none: dirty pages may remain");
		CU_ASSERT_TRUE(io_host_real(&t.h, "engine.depth_mean") > 0);
		CU_ASSERT_TRUE(io_host_real(&t.h, "engine.depth_mean") <= depths[i]);
		script_test_free(&t);
	}
}

static void test_unknown(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;

		script_test_init(&t, &tx, &engine, depths[i]);
		t.p.length = 4; /* here: the kind */
		CU_ASSERT_EQUAL(io_host_run(&t.h), -EINVAL);
		CU_ASSERT_STRING_EQUAL(t.h.err.text, "the workload asked for kind 4 of 3");
		CU_ASSERT_EQUAL(t.s.n, 0);
		script_test_free(&t);
	}
}

/* The ramp does not count, neither I/Os nor operations around them. */
static void test_ramp(void)
{
	struct script_test t;

	script_test_init(&t, &tx, &engine, 1);
	t.p.n = UINT64_MAX;
	t.s.delay_ns = 100000;
	t.h.opt.ramp_time_ns = 100000000;
	t.h.opt.runtime_ns = 100000000;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.page.count") > 0);
	CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.page.count") < t.s.n / 4);
	CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.commit.count") < t.s.n / 4);
	script_test_free(&t);
}

/* A file that prepare made stays as it is. */
static int as_is_prepare(struct fst_ctx *ctx)
{
	struct fst_file f = { .name = "mine", .size = 65536, .mode = FST_FILE_AS_IS };
	const struct plan *p = ctx->cfg;
	char path[512];
	uint32_t number;
	int fd;

	if (p->mode) {
		snprintf(path, sizeof(path), "%s/mine", ctx->dir);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		CU_ASSERT_TRUE(fd >= 0);
		CU_ASSERT_EQUAL(ftruncate(fd, 100), 0);
		close(fd);
	}
	return fst_file_add(ctx, &f, &number);
}

static void test_as_is(void)
{
	struct fstrial_plugin w = PLAN_WORKLOAD(.version = "1");
	struct script_test t;
	struct stat st;
	char path[512];

	w.prepare = as_is_prepare;
	script_test_init(&t, &w, &engine, 1);
	t.p.mode = 1;
	t.p.n = 3;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(stat(io_host_path(&t.h, "mine", path, sizeof(path)), &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 100);
	CU_ASSERT_EQUAL(st.st_blocks, 0);
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "data.laid_out_bytes"), 0);
	CU_ASSERT_EQUAL(unlink(path), 0);
	t.p.mode = 0;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -ENOENT);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "open mine");
	script_test_free(&t);
}

/* Each worker's files reach from their beginning over its offset to the end of what it does. */
static void test_offset(void)
{
	static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
	struct script_test t;
	struct stat st;
	char path[512];

	script_test_init(&t, &plain, &engine, 1);
	t.h.ctx.nworkers = 2;
	t.h.p.offset = 8192;
	t.h.p.offset_increment = 4096;
	t.p.n = 1;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(stat(io_host_path(&t.h, "data.0.0", path, sizeof(path)), &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 65536 + 8192);
	CU_ASSERT_EQUAL(stat(io_host_path(&t.h, "data.1.0", path, sizeof(path)), &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 65536 + 8192 + 4096);
	script_test_free(&t);
}

static int look_at_flags(struct fst_engine *e, struct fst_io *io)
{
	uint64_t *seen = &((struct script *)(uintptr_t)e->cfg)->queue_calls;

	*seen = (uint64_t)fcntl(e->files[io->file].fd, F_GETFL);
	io->result = (int64_t)io->length;
	return 1;
}

static void test_sync(void)
{
	static const struct fst_engine_ops ops = { .struct_size = sizeof(ops),
						   .flags = FST_ENGINE_SYNC,
						   .queue = look_at_flags };
	static const struct fstrial_plugin looks = SCRIPT_ENGINE(&ops);
	static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
	static const int flags[] = { 0, O_SYNC, O_DSYNC };

	for (int i = 0; i < 3; i++) {
		struct script_test t;

		script_test_init(&t, &plain, &looks, 1);
		t.h.p.sync = i;
		t.p.n = 1;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL((int)t.s.queue_calls & O_SYNC, flags[i]);
		script_test_free(&t);
	}
}

void test_io_kinds(void)
{
	CU_pSuite s = CU_add_suite("io kinds", NULL, NULL);

	CU_ADD_TEST(s, test_counts);
	CU_ADD_TEST(s, test_unknown);
	CU_ADD_TEST(s, test_ramp);
	CU_ADD_TEST(s, test_as_is);
	CU_ADD_TEST(s, test_offset);
	CU_ADD_TEST(s, test_sync);
}
