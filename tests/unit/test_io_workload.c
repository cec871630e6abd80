/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/workload, workers and metrics with a workload that has `run`. */
#include "tests/unit/io_script.h"

void test_io_workload(void);

/* A workload with run: what it does is in its cfg. */
struct job {
	uint64_t n;							  /* operations a worker */
	uint64_t sleep_ns;						  /* of each */
	int fail_init, fail_run, fail_prepare, fail_verify, fail_cleanup; /* errno */
	uint32_t fail_worker;
	bool until_stopped, bad_op, bad_metric, silent;
	int verified, cleaned;
	uint32_t inited, finished;
	uint64_t random[4];
};

static struct job *job_of(const struct fst_ctx *ctx)
{
	return (struct job *)(uintptr_t)ctx->cfg;
}

static int job_fail(struct fst_ctx *ctx, int code, const char *what)
{
	if (!code)
		return 0;
	return job_of(ctx)->silent ? -code : fst_error(ctx, code, "%s went wrong", what);
}

static int job_prepare(struct fst_ctx *ctx)
{
	return job_fail(ctx, job_of(ctx)->fail_prepare, "prepare");
}

static int job_init(struct fst_worker *w)
{
	struct job *j = job_of(w->ctx);

	__atomic_add_fetch(&j->inited, 1, __ATOMIC_RELAXED);
	CU_ASSERT_EQUAL((uintptr_t)w->state % 64, 0);
	if (w->index < 4)
		j->random[w->index] = fst_random(w);
	return w->index == j->fail_worker ? job_fail(w->ctx, j->fail_init, "worker_init") : 0;
}

static int job_run(struct fst_worker *w)
{
	const struct job *j = job_of(w->ctx);

	for (uint64_t i = 0; i < j->n || j->until_stopped; i++) {
		uint64_t start = fst_now(w->ctx);

		if (fst_stopping(w))
			break;
		script_sleep(j->sleep_ns);
		fst_op(w, j->bad_op ? 2 : i % 2, start, 100);
		if (w->index == j->fail_worker && j->fail_run && i == 5)
			return job_fail(w->ctx, j->fail_run, "run");
	}
	fst_worker_metric(w, "sum", w->index + 1);
	fst_worker_metric(w, "mean", w->index + 1);
	fst_worker_metric(w, "largest", w->index + 1);
	if (w->index != 0) /* not all give one */
		fst_worker_metric(w, "smallest", w->index + 1);
	return j->bad_metric ? fst_worker_metric(w, "nonsense", 1) : 0;
}

static void job_fini(struct fst_worker *w)
{
	__atomic_add_fetch(&job_of(w->ctx)->finished, 1, __ATOMIC_RELAXED);
}

static int job_verify(struct fst_ctx *ctx)
{
	job_of(ctx)->verified++;
	fst_set_metric(ctx, "own", 42);
	return job_fail(ctx, job_of(ctx)->fail_verify, "verify");
}

static int job_cleanup(struct fst_ctx *ctx)
{
	job_of(ctx)->cleaned++;
	return job_fail(ctx, job_of(ctx)->fail_cleanup, "cleanup");
}

static const struct fst_op_kind job_ops[] = { { .name = "create", .doc = "d" }, { .name = "create_dir", .doc = "d" } };
static const struct fst_metric job_metrics[] = {
	{ .name = "create_rate",
	  .unit = "ops/s",
	  .better = FST_HIGHER,
	  .flags = FST_PRIMARY,
	  .doc = "d" },
	{ .name = "create_dir_rate", .unit = "ops/s", .better = FST_HIGHER, .doc = "d" },
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER, .doc = "d" },
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER, .doc = "d" },
	{ .name = "create_p50", .unit = "ns", .better = FST_LOWER, .doc = "d" },
	{ .name = "sum", .unit = "count", .agg = FST_SUM, .doc = "d" },
	{ .name = "mean", .unit = "count", .agg = FST_MEAN, .doc = "d" },
	{ .name = "largest", .unit = "count", .agg = FST_MAX, .doc = "d" },
	{ .name = "smallest", .unit = "count", .agg = FST_MIN, .doc = "d" },
	{ .name = "own", .unit = "ratio", .doc = "d" },
	{ .name = "never", .unit = "ratio", .doc = "d" },
};
static const struct fstrial_plugin job_plugin = {
	.magic = FST_MAGIC,
	.abi = FST_ABI,
	.struct_size = sizeof(struct fstrial_plugin),
	.kind = FST_WORKLOAD,
	.name = "job",
	FST_OPS(job_ops),
	FST_METRICS(job_metrics),
	.cfg_size = sizeof(struct job),
	.worker_size = 1,
	.prepare = job_prepare,
	.worker_init = job_init,
	.run = job_run,
	.worker_fini = job_fini,
	.verify = job_verify,
	.cleanup = job_cleanup,
};

static void job_start(struct io_host *h, struct job *j, uint32_t nworkers)
{
	io_host_init(h, &job_plugin, NULL, j);
	h->ctx.nworkers = nworkers;
}

static void test_run_kind(void)
{
	struct job j = { .n = 10, .sleep_ns = 2000000 };
	struct io_host h;
	double window;

	job_start(&h, &j, 3);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	window = io_host_real(&h, "measured.elapsed_ns") / 1e9;
	CU_ASSERT_TRUE(window >= 0.02);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), 30);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 3000);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.workers"), 3);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count"), 15);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create_dir.count"), 15);
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.create.min") >= 2000000);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.create_rate.value"), 15 / window, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.create_dir_rate.value"), 15 / window,
			       1e-6);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.iops.value"), 30 / window, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.throughput.value"), 3000 / window, 1e-3);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.create_p50.value") >= 2000000);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "metrics.create_rate.unit"), "ops/s");
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "metrics.create_rate.better"), "higher");
	CU_ASSERT_TRUE(json_is_true(io_host_at(&h, "metrics.create_rate.primary")));
	CU_ASSERT_TRUE(json_is_false(io_host_at(&h, "metrics.iops.primary")));
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.sync_boundary"), "the workload's own");
	CU_ASSERT_PTR_NULL(io_host_at(&h, "engine"));
	CU_ASSERT_PTR_NULL(io_host_at(&h, "data"));
	CU_ASSERT_EQUAL(live_get(h.wl.live->phase), LIVE_END);
	CU_ASSERT_TRUE(j.verified == 1 && j.cleaned == 1 && j.inited == 3 && j.finished == 3);
	io_host_free(&h);
}

static void test_metrics(void)
{
	struct job j = { .n = 2 };
	struct io_host h;

	job_start(&h, &j, 3);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.sum.value"), 6);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.mean.value"), 2);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.largest.value"), 3);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.smallest.value"), 2);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.own.value"), 42);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.never.value")));
	CU_ASSERT_EQUAL(json_object_size(json_object_get(h.record, "metrics")),
			FST_COUNT(job_metrics));
	j.bad_metric = true;
	CU_ASSERT_EQUAL(io_host_run(&h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h.err.text, "metric nonsense is not declared by plugin job");
	CU_ASSERT_EQUAL(fst_set_metric(&h.ctx, "own", 1), -EPERM); /* no step is running */
	io_host_free(&h);
}

/* The same seed, the same stream for each worker, whatever the number of workers. */
static void test_random(void)
{
	struct job a = { .n = 1 }, b = { .n = 1 };
	struct io_host h;

	job_start(&h, &a, 4);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	io_host_free(&h);
	job_start(&h, &b, 2);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(a.random[0], b.random[0]);
	CU_ASSERT_EQUAL(a.random[1], b.random[1]);
	CU_ASSERT_NOT_EQUAL(a.random[0], a.random[1]);
	h.ctx.seed = 8;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_NOT_EQUAL(a.random[0], b.random[0]);
	io_host_free(&h);
}

static void test_failures(void)
{
	static const struct {
		struct job j;
		int code;
		const char *text;
		int verified, cleaned;
		bool measured;
	} cases[] = {
		{ { .fail_prepare = ENOTDIR }, ENOTDIR, "prepare went wrong", 0, 1, false },
		{ { .fail_prepare = ENOTDIR, .silent = true },
		  ENOTDIR,
		  "job: prepare",
		  0,
		  1,
		  false },
		{ { .fail_init = ENOMEM, .fail_worker = 1 },
		  ENOMEM,
		  "worker_init went wrong",
		  0,
		  1,
		  true },
		{ { .fail_run = ENOSPC,
		    .fail_worker = 2,
		    .until_stopped = true,
		    .sleep_ns = 1000000 },
		  ENOSPC,
		  "run went wrong",
		  0,
		  1,
		  true },
		{ { .fail_run = ENOSPC, .fail_worker = 0, .n = 9, .silent = true },
		  ENOSPC,
		  "run",
		  0,
		  1,
		  true },
		{ { .bad_op = true, .n = 9 }, EINVAL, "fst_op(): operation 2 of 2", 0, 1, true },
		{ { .fail_verify = EILSEQ, .n = 1 }, EILSEQ, "verify went wrong", 1, 1, true },
		{ { .fail_cleanup = EBUSY, .n = 1 }, EBUSY, "cleanup went wrong", 1, 1, true },
		{ { .fail_verify = EILSEQ, .fail_cleanup = EBUSY, .n = 1 },
		  EILSEQ,
		  "verify went wrong",
		  1,
		  1,
		  true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct job j = cases[i].j;
		struct io_host h;

		job_start(&h, &j, 3);
		CU_ASSERT_EQUAL(io_host_run(&h), -cases[i].code);
		CU_ASSERT_STRING_EQUAL(h.err.text, cases[i].text);
		CU_ASSERT_EQUAL(j.verified, cases[i].verified);
		CU_ASSERT_EQUAL(j.cleaned, cases[i].cleaned);
		CU_ASSERT_EQUAL(io_host_at(&h, "measured") != NULL, cases[i].measured);
		CU_ASSERT_PTR_NOT_NULL(io_host_at(&h, "metrics.create_rate"));
		CU_ASSERT_EQUAL(j.finished, j.inited - (j.fail_init != 0));
		io_host_free(&h);
	}
}

/* The others of a worker that failed are stopped; what all did until then is kept. */
static void test_partial(void)
{
	struct job j = {
		.fail_run = ENOSPC, .fail_worker = 1, .until_stopped = true, .sleep_ns = 1000000
	};
	struct io_host h;

	job_start(&h, &j, 4);
	CU_ASSERT_EQUAL(io_host_run(&h), -ENOSPC);
	CU_ASSERT_TRUE(json_is_true(io_host_at(&h, "measured.partial")));
	CU_ASSERT_TRUE(io_host_u64(&h, "measured.ops") >= 6);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.create_rate.value") > 0);
	CU_ASSERT_FALSE(io_host_warned(&h, "too short"));
	io_host_free(&h);
}

/*
 * run is told by its stop flag when the time is over, and what ends within the ramp is not counted.
 */
static void test_run_time(void)
{
	struct job j = { .until_stopped = true, .sleep_ns = 1000000 };
	struct io_host h;
	uint64_t elapsed, ops;

	job_start(&h, &j, 2);
	h.opt.runtime_ns = 200000000;
	h.opt.ramp_time_ns = 100000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	elapsed = io_host_u64(&h, "measured.elapsed_ns");
	ops = io_host_u64(&h, "measured.ops");
	CU_ASSERT_TRUE(elapsed >= 200000000 && elapsed < 2000000000);
	CU_ASSERT_TRUE(ops > 0 &&
		       ops < live_get(h.wl.live->w[0].ops) + live_get(h.wl.live->w[1].ops));
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count") +
				io_host_u64(&h, "latency.create_dir.count"),
			ops);
	CU_ASSERT_TRUE(io_host_u64(&h, "measured.cpu.user_ns") < 1000000000);
	CU_ASSERT_TRUE(io_host_warned(&h, "too short to be trusted"));
	CU_ASSERT_EQUAL(live_get(h.wl.live->run_ends_ns),
			live_get(h.wl.live->run_started_ns) + 300000000);
	io_host_free(&h);
}

static void test_too_short(void)
{
	struct job j = { .n = 1 };
	struct io_host h;

	job_start(&h, &j, 1);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_TRUE(json_is_true(io_host_at(&h, "measured.too_short")));
	CU_ASSERT_TRUE(io_host_warned(
		&h, ", 1 operation: too short to be trusted; set runtime or a larger size"));
	j = (struct job){ .until_stopped = true, .sleep_ns = 10000000 };
	h.opt.runtime_ns = 600000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_FALSE(json_is_true(io_host_at(&h, "measured.too_short")));
	CU_ASSERT_EQUAL(json_array_size(json_object_get(h.record, "warnings")), 0);
	io_host_free(&h);
}

static void test_many_workers(void)
{
	struct job j = { .n = 3 };
	struct io_host h;

	job_start(&h, &j, 500);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), 1500);
	CU_ASSERT_EQUAL(j.finished, 500);
	io_host_free(&h);
}

void test_io_workload(void)
{
	CU_pSuite s = CU_add_suite("io/workload", NULL, NULL);

	CU_ADD_TEST(s, test_run_kind);
	CU_ADD_TEST(s, test_metrics);
	CU_ADD_TEST(s, test_random);
	CU_ADD_TEST(s, test_failures);
	CU_ADD_TEST(s, test_partial);
	CU_ADD_TEST(s, test_run_time);
	CU_ADD_TEST(s, test_too_short);
	CU_ADD_TEST(s, test_many_workers);
}
