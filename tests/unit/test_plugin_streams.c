/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload streams: order and shares of its appends, figures, files. */
#define FSTRIAL_STATIC io_test_streams
#include "plugins/workload/streams.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_streams_psync
#include "plugins/engine/psync.c"

#include <dirent.h>

#include "tests/unit/io_script.h"

void test_plugin_streams(void);

#define STREAMS (&fstrial_plugin_io_test_streams)
#define PSYNC (&fstrial_plugin_io_test_streams_psync)

static const struct fstrial_plugin script_engine = SCRIPT_ENGINE(&script_nofile_ops);

static void FST_PRINTF(2, 0) streams_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	struct io_host *h = ctx->core;
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	js_push(json_object_get(h->record, "warnings"), js_str(text));
}

static void streams_init(struct io_host *h, const struct fstrial_plugin *engine,
			 const struct streams_config *cfg)
{
	io_host_init(h, STREAMS, engine, cfg);
	h->table.warning = streams_warning;
	h->ctx.state = calloc(1, sizeof(struct streams_state));
	h->p.size = 0;
}

static void streams_free(struct io_host *h)
{
	free(h->ctx.state);
	io_host_free(h);
}

static unsigned int streams_entries(const struct io_host *h)
{
	DIR *d = opendir(h->dir);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* One block to each file in turn, the last one shorter. */
static void test_order(void)
{
	struct streams_config cfg = { .files = 3, .file_size = 12, .dirs = 2 };
	struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)) };
	char got[256] = "";
	struct io_host h;

	streams_init(&h, &script_engine, &cfg);
	h.wl.engine_cfg = &s;
	h.p.bs = 5;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	for (uint64_t i = 0; i < s.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u:%llu+%llu ",
			 s.log[i].file, (unsigned long long)s.log[i].offset,
			 (unsigned long long)s.log[i].length);
	CU_ASSERT_STRING_EQUAL(got, "0:0+5 1:0+5 2:0+5 0:5+5 1:5+5 2:5+5 0:10+2 1:10+2 2:10+2 ");
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_complete.value"), 3);
	free(s.log);
	streams_free(&h);
}

/* Every file is one worker's, and shares differ by one at most. */
static void test_shares(void)
{
	static const struct {
		uint64_t files;
		uint32_t workers;
	} cases[] = { { 1, 1 }, { 7, 3 }, { 1000, 2 }, { 1000, 7 }, { 5, 5 } };

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct streams_config cfg = { .files = cases[c].files, .dirs = 1 };
		struct fst_ctx ctx = { .cfg = &cfg, .nworkers = cases[c].workers };
		uint64_t least = cases[c].files / cases[c].workers;

		CU_ASSERT_EQUAL(streams_first(&ctx, 0), 0);
		CU_ASSERT_EQUAL(streams_first(&ctx, cases[c].workers), cases[c].files);
		for (uint32_t i = 0; i < cases[c].workers; i++) {
			uint64_t n = streams_first(&ctx, i + 1) - streams_first(&ctx, i);

			CU_ASSERT_TRUE(n == least || n == least + 1);
		}
	}
}

static void test_figures(void)
{
	const double equal[] = { 3, 3, 3, 3 }, one[] = { 8, 0, 0, 0 }, half[] = { 1, 1, 0, 0 };
	const double none[] = { 0, 0 };
	const uint64_t even[] = { 5, 5, 5, 5 }, single[] = { 0, 9, 0, 0 }, two[] = { 4, 4, 0, 0 };
	double v[] = { 5, 1, 4, 2, 3 };

	CU_ASSERT_EQUAL(streams_jain(equal, 4), 1);
	CU_ASSERT_EQUAL(streams_jain(one, 4), 0.25);
	CU_ASSERT_EQUAL(streams_jain(half, 4), 0.5);
	CU_ASSERT_TRUE(isnan(streams_jain(none, 2)));
	CU_ASSERT_TRUE(isnan(streams_jain(none, 0)));
	CU_ASSERT_DOUBLE_EQUAL(streams_entropy(even, 4), 1, 1e-12);
	CU_ASSERT_EQUAL(streams_entropy(single, 4), 0);
	CU_ASSERT_DOUBLE_EQUAL(streams_entropy(two, 4), 0.5, 1e-12);
	CU_ASSERT_TRUE(isnan(streams_entropy(single, 1)));
	CU_ASSERT_TRUE(isnan(streams_entropy(single, 0)));
	CU_ASSERT_EQUAL(streams_quantile(v, 5, 0.5), 3);
	CU_ASSERT_EQUAL(streams_quantile(v, 5, 0), 1);
	CU_ASSERT_EQUAL(streams_quantile(v, 5, 0.99), 5);
	CU_ASSERT_EQUAL(streams_quantile(v, 5, 1), 5);
	CU_ASSERT_TRUE(isnan(streams_quantile(v, 0, 0.5)));
}

/* Past the end there is space, but no data. */
static void test_count(void)
{
	uint64_t groups[4] = { 0 };
	struct streams_count c = { .groups = { .agcount = 4, .agsize = 1 << 20 },
				   .group_bytes = groups,
				   .size = 10000 };
	const struct extents_run runs[] = {
		{ .logical = 0, .physical = 4096, .length = 8192, .placed = true },
		{ .logical = 8192, .physical = 3 << 20, .length = 4096, .placed = true },
		{ .logical = 12288,
		  .physical = 3 << 20,
		  .length = 65536,
		  .placed = true,
		  .unwritten = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		streams_count_run(&runs[i], &c);
	CU_ASSERT_EQUAL(c.of_file, 3);
	CU_ASSERT_EQUAL(c.bytes, 10000);
	CU_ASSERT_EQUAL(groups[0], 8192);
	CU_ASSERT_EQUAL(groups[3], 4096 + 65536);
}

/* Real files in several directories; nothing is left of them. */
static void test_real_files(void)
{
	struct streams_config cfg = { .files = 20, .file_size = 10000, .dirs = 3 };
	struct io_host h;

	streams_init(&h, PSYNC, &cfg);
	h.ctx.nworkers = 3;
	h.p.end_fsync = true;
	for (cfg.prealloc = STREAMS_NONE; cfg.prealloc <= STREAMS_KEEP_SIZE; cfg.prealloc++) {
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 20 * 10000);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.write.count"), 20 * 3);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.sync.count"), 20);
		CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_complete.value"), 20);
		CU_ASSERT_EQUAL(io_host_real(&h, "metrics.stalls.value"), 0);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.longest_gap.value") > 0);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.fairness.value") > 0);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.fairness.value") <= 1);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.completion_spread.value") >= 1);
		CU_ASSERT_EQUAL(streams_entries(&h), 0);
	}
	streams_free(&h);
}

/* The fio way: size for each worker, nrfiles files of it. */
static void test_core_sizes(void)
{
	struct streams_config cfg = { .dirs = 1 };
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct io_host h;

	streams_init(&h, PSYNC, &cfg);
	h.ctx.nworkers = 2;
	h.p.size = 32768;
	h.p.nrfiles = 4;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 65536);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_complete.value"), 8);
	h.options = io_options_of(&h.p, &h.opt);
	h.ctx.io = &h.options;
	CU_ASSERT_EQUAL(STREAMS->estimate(&h.ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_written, 65536);
	CU_ASSERT_EQUAL(est.files, 8);
	streams_free(&h);
}

/* A completion that takes more than a second is a stall; what was appended until the end counts. */
static void test_stall(void)
{
	struct streams_config cfg = { .files = 2, .file_size = 8192, .dirs = 1 };
	struct script s = { .delay_ns = 1050000000 };
	struct io_host h;

	streams_init(&h, &script_engine, &cfg);
	h.wl.engine_cfg = &s;
	h.opt.runtime_ns = 100000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.stalls.value"), 1);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.longest_gap.value") >= 1e9);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_complete.value"), 0);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.fairness.value"), 0.5);
	streams_free(&h);
}

/* An append fails: the step says which, what was measured stays, and nothing is left. */
static void test_failure(void)
{
	struct streams_config cfg = { .files = 4, .file_size = 8192, .dirs = 2 };
	struct script s = { .fail_at = 7, .fail_with = ENOSPC };
	struct io_host h;

	streams_init(&h, &script_engine, &cfg);
	h.wl.engine_cfg = &s;
	CU_ASSERT_EQUAL(io_host_run(&h), -ENOSPC);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_complete.value"), 2);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.fairness.value") > 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.extents_mean.value")));
	CU_ASSERT_EQUAL(streams_entries(&h), 0);
	streams_free(&h);
}

/* A directory that is there already is not ours, nor what is in it. */
static void test_not_ours(void)
{
	struct streams_config cfg = { .files = 4, .file_size = 4096, .dirs = 3 };
	char path[512];
	struct io_host h;

	streams_init(&h, PSYNC, &cfg);
	CU_ASSERT_EQUAL(mkdir(io_host_path(&h, "streams.1", path, sizeof(path)), 0755), 0);
	CU_ASSERT_EQUAL(io_host_run(&h), -EEXIST);
	CU_ASSERT_TRUE(strstr(h.err.text, path) != NULL);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.files_complete.value")));
	CU_ASSERT_EQUAL(streams_entries(&h), 1);
	CU_ASSERT_EQUAL(rmdir(path), 0);
	streams_free(&h);
}

static void test_check(void)
{
	static const struct {
		struct streams_config cfg;
		uint64_t size, bs, offset;
		const char *text;
	} cases[] = {
		{ { .files = 4, .file_size = 4096, .dirs = 4 }, 0, 4096, 0, "" },
		{ { .files = 4, .dirs = 1 }, 8192, 4096, 0, "" },
		{ { .files = 4, .dirs = 1 },
		  0,
		  4096,
		  0,
		  "file_size, or size, and bs must be at least 1" },
		{ { .files = 1, .file_size = 4096, .dirs = 1 },
		  0,
		  4096,
		  0,
		  "files = 1 is less than numjobs = 2" },
		{ { .files = 4, .file_size = 4096, .dirs = 1 },
		  0,
		  8192,
		  0,
		  "bs = 8192 bytes does not fit into a file of 4096 bytes" },
		{ { .files = 4, .file_size = 4096, .dirs = 5 },
		  0,
		  4096,
		  0,
		  "dirs = 5 is more than files = 4" },
		{ { .files = 4, .file_size = 4096, .dirs = 1 },
		  0,
		  4096,
		  4096,
		  "offset: files grow from their beginning" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_host h;

		streams_init(&h, PSYNC, &cases[i].cfg);
		h.ctx.nworkers = 2;
		h.p.size = cases[i].size;
		h.p.bs = cases[i].bs;
		h.p.offset = cases[i].offset;
		h.options = io_options_of(&h.p, &h.opt);
		h.ctx.io = &h.options;
		CU_ASSERT_EQUAL(STREAMS->check(&h.ctx), *cases[i].text ? -EINVAL : 0);
		CU_ASSERT_STRING_EQUAL(h.err.text, cases[i].text);
		streams_free(&h);
	}
}

void test_plugin_streams(void)
{
	CU_pSuite s = CU_add_suite("streams", NULL, NULL);

	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_shares);
	CU_ADD_TEST(s, test_figures);
	CU_ADD_TEST(s, test_count);
	CU_ADD_TEST(s, test_real_files);
	CU_ADD_TEST(s, test_core_sizes);
	CU_ADD_TEST(s, test_stall);
	CU_ADD_TEST(s, test_failure);
	CU_ADD_TEST(s, test_not_ours);
	CU_ADD_TEST(s, test_check);
}
