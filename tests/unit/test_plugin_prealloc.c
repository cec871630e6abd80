/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload prealloc: order and separation of its passes, counters, extents, files. */
#define FSTRIAL_STATIC io_test_prealloc
#include "plugins/workload/prealloc.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_pre_psync
#include "plugins/engine/psync.c"

#include <dirent.h>

#include "tests/unit/io_script.h"

void test_plugin_prealloc(void);

#define PREALLOC (&fstrial_plugin_io_test_prealloc)
#define PSYNC (&fstrial_plugin_io_test_pre_psync)

static const struct fstrial_plugin script_engine = SCRIPT_ENGINE(&script_nofile_ops);

/* A file system without FIEMAP is warned of. */
static void FST_PRINTF(2, 0) pre_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	struct io_host *h = ctx->core;
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	js_push(json_object_get(h->record, "warnings"), js_str(text));
}

static void pre_init(struct io_host *h, const struct fstrial_plugin *engine,
		     const struct prealloc_config *cfg)
{
	io_host_init(h, PREALLOC, engine, cfg);
	h->table.warning = pre_warning;
	h->ctx.state = calloc(1, sizeof(struct prealloc_state));
}

static void pre_free(struct io_host *h)
{
	free(h->ctx.state);
	io_host_free(h);
}

/* Entries of the directory of the step. */
static unsigned int pre_entries(const struct io_host *h)
{
	DIR *d = opendir(h->dir);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Each I/O of one worker: file, f(irst write), o(verwrite) or s(ync), offset and length. */
static void test_order(void)
{
	static const struct {
		uint64_t size, bs, nrfiles, offset;
		int pass_sync;
		bool direct;
		const char *want;
	} cases[] = {
		{ 10, 5, 1, 0, PREALLOC_SYNC_NEVER, false, "0f0+5 0f5+5 0o0+5 0o5+5 " },
		{ 7, 5, 1, 100, PREALLOC_SYNC_NEVER, false, "0f100+5 0f105+2 0o100+5 0o105+2 " },
		{ 10, 5, 2, 0, PREALLOC_SYNC_NEVER, false, "0f0+5 0o0+5 1f0+5 1o0+5 " },
		{ 10, 5, 2, 0, PREALLOC_SYNC_ALWAYS, true,
		  "0f0+5 0s0+0 0o0+5 0s0+0 1f0+5 1s0+0 1o0+5 1s0+0 " },
		{ 5, 5, 1, 0, PREALLOC_SYNC_AUTO, false, "0f0+5 0s0+0 0o0+5 0s0+0 " },
		{ 5, 5, 1, 0, PREALLOC_SYNC_AUTO, true, "0f0+5 0o0+5 " },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct prealloc_config cfg = { .mode = PREALLOC_NONE,
					       .pass_sync = cases[c].pass_sync };
		struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)) };
		char got[512] = "";
		struct io_host h;

		pre_init(&h, &script_engine, &cfg);
		h.wl.engine_cfg = &s;
		h.p.size = cases[c].size;
		h.p.bs = cases[c].bs;
		h.p.nrfiles = cases[c].nrfiles;
		h.p.offset = cases[c].offset;
		h.p.direct = cases[c].direct;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		for (uint64_t i = 0; i < s.n; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u%c%llu+%llu ",
				 s.log[i].file, "sfo"[s.log[i].kind],
				 (unsigned long long)s.log[i].offset,
				 (unsigned long long)s.log[i].length);
		CU_ASSERT_STRING_EQUAL(got, cases[c].want);
		free(s.log);
		pre_free(&h);
	}
}

/* Each block once in each pass, in the same order, which is not the sequential one. */
static void test_random_order(void)
{
	static const uint64_t blocks[] = { 1, 2, 3, 64, 100, 257 };
	struct prealloc_config cfg = { .order = PREALLOC_RANDOM, .pass_sync = PREALLOC_SYNC_NEVER };

	for (size_t c = 0; c < ARRAY_SIZE(blocks); c++) {
		struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)) };
		const uint64_t n = blocks[c];
		unsigned char seen[257] = { 0 };
		uint64_t in_place = 0;
		struct io_host h;

		pre_init(&h, &script_engine, &cfg);
		h.wl.engine_cfg = &s;
		h.p.bs = 8;
		h.p.size = n * 8;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(s.n, 2 * n);
		for (uint64_t i = 0; i < n && s.n == 2 * n; i++) {
			CU_ASSERT_EQUAL(s.log[i].offset, s.log[n + i].offset);
			CU_ASSERT_EQUAL(s.log[i].kind, 1);
			CU_ASSERT_EQUAL(s.log[n + i].kind, 2);
			CU_ASSERT_FATAL(s.log[i].offset / 8 < n);
			seen[s.log[i].offset / 8]++;
			in_place += s.log[i].offset == i * 8;
		}
		for (uint64_t i = 0; i < n; i++)
			CU_ASSERT_EQUAL(seen[i], 1);
		CU_ASSERT_TRUE(n < 64 || in_place < n / 4);
		free(s.log);
		pre_free(&h);
	}
}

/* However many are in flight and in whatever order they complete: no pass begins within another. */
static void test_passes_apart(void)
{
	struct prealloc_config cfg = { .pass_sync = PREALLOC_SYNC_ALWAYS };

	for (int odd = 0; odd < 2; odd++) {
		struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)),
				    .newest_first = true,
				    .inline_odd = odd,
				    .reap_max = 3 };
		struct io_host h;
		uint64_t at = 0;

		pre_init(&h, &script_engine, &cfg);
		h.wl.engine_cfg = &s;
		h.p.iodepth = 8;
		h.p.nrfiles = 2;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(s.n, 2 * 2 * (8 + 1));
		for (uint32_t pass = 0; pass < 4 && s.n == 36; pass++) {
			for (int i = 0; i < 8; i++, at++) {
				CU_ASSERT_EQUAL(s.log[at].file, pass / 2);
				CU_ASSERT_EQUAL(s.log[at].kind, pass % 2 + 1);
			}
			CU_ASSERT_EQUAL(s.log[at++].op, FST_IO_FSYNC);
		}
		free(s.log);
		pre_free(&h);
	}
}

/* Real files, several workers at once: all passes counted, and nothing is left. */
static void test_real_files(void)
{
	static const int modes[] = { PREALLOC_NONE, PREALLOC_FALLOCATE, PREALLOC_KEEP_SIZE,
				     PREALLOC_WRITE };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct prealloc_config cfg = { .mode = modes[i],
					       .size = modes[i] == PREALLOC_NONE ? 0 : 131072 };
		struct io_host h;

		pre_init(&h, PSYNC, &cfg);
		h.ctx.nworkers = 3;
		h.p.nrfiles = 2;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.first_write.count"), 3 * 16);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.overwrite.count"), 3 * 16);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.sync.count"), 3 * 2 * 2);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 2 * 3 * 65536);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.first_write_throughput.value") > 0);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.overwrite_throughput.value") > 0);
		CU_ASSERT_TRUE(json_is_number(io_host_at(&h, "metrics.conversion_cost.value")));
		CU_ASSERT_TRUE(json_is_number(io_host_at(&h, "metrics.first_file_penalty.value")));
		CU_ASSERT_EQUAL(json_is_number(io_host_at(&h, "metrics.prealloc_time.value")),
				modes[i] != PREALLOC_NONE);
		CU_ASSERT_EQUAL(pre_entries(&h), 0);
		pre_free(&h);
	}
}

/* One worker's write fails: nobody waits for it for ever, and what was measured is said. */
static void test_failure(void)
{
	struct prealloc_config cfg = { .mode = PREALLOC_FALLOCATE };
	struct script s = { .fail_at = 7, .fail_with = ENOSPC };
	struct io_host h;

	pre_init(&h, &script_engine, &cfg);
	h.wl.engine_cfg = &s;
	h.ctx.nworkers = 4;
	CU_ASSERT_EQUAL(io_host_run(&h), -ENOSPC);
	CU_ASSERT_TRUE(json_is_true(io_host_at(&h, "measured.partial")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.overwrite_throughput.value")));
	CU_ASSERT_EQUAL(pre_entries(&h), 0);
	pre_free(&h);
}

/* The time is up in the middle of a pass. */
static void test_runtime(void)
{
	struct prealloc_config cfg = { .mode = PREALLOC_NONE };
	struct script s = { .delay_ns = 1000000 };
	struct io_host h;

	pre_init(&h, &script_engine, &cfg);
	h.wl.engine_cfg = &s;
	h.ctx.nworkers = 3;
	h.opt.runtime_ns = 5000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_TRUE(s.n < 3 * 16);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.first_write_throughput.value") > 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.overwrite_throughput.value")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.conversion_cost.value")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.first_write_device_writes.value")));
	pre_free(&h);
}

/* What was there before is nobody's to remove. */
static void test_not_ours(void)
{
	struct prealloc_config cfg = { .mode = PREALLOC_NONE };
	struct io_host h;
	char path[512];
	struct stat st;
	int fd;

	pre_init(&h, PSYNC, &cfg);
	h.p.nrfiles = 3;
	fd = open(io_host_path(&h, "prealloc.0.1", path, sizeof(path)), O_CREAT | O_WRONLY, 0600);
	CU_ASSERT_TRUE(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, "mine", 4), 4);
	close(fd);
	CU_ASSERT_EQUAL(io_host_run(&h), -EEXIST);
	CU_ASSERT_TRUE(strstr(h.err.text, path) != NULL);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 4);
	CU_ASSERT_EQUAL(pre_entries(&h), 1);
	pre_free(&h);
}

static void test_check(void)
{
	static const struct {
		struct prealloc_config cfg;
		uint64_t size, bs, loops;
		const char *text;
	} cases[] = {
		{ { .mode = PREALLOC_FALLOCATE }, 8192, 4096, 1, "" },
		{ { .mode = PREALLOC_FALLOCATE, .size = 8192 }, 8192, 4096, 1, "" },
		{ { .mode = PREALLOC_FALLOCATE, .size = 8191 },
		  8192,
		  4096,
		  1,
		  "prealloc_size = 8191 bytes is less than what is written: up to 8192 bytes in "
		  "each file" },
		{ { .mode = PREALLOC_NONE, .size = 8192 },
		  8192,
		  4096,
		  1,
		  "prealloc_size is given, but prealloc = none" },
		{ { .mode = PREALLOC_NONE },
		  8192,
		  16384,
		  1,
		  "bs = 16384 bytes does not fit into what is written of a file, size / nrfiles = "
		  "8192 bytes" },
		{ { .mode = PREALLOC_NONE },
		  8192,
		  4096,
		  2,
		  "loops = 2: there is one first write only" },
		{ { .mode = PREALLOC_NONE, .extsize = 1ull << 32 },
		  8192,
		  4096,
		  1,
		  "extsize must be below 4GiB" },
		{ { .mode = PREALLOC_NONE },
		  0,
		  4096,
		  1,
		  "size, bs and nrfiles must be at least 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_host h;

		pre_init(&h, PSYNC, &cases[i].cfg);
		h.p.size = cases[i].size;
		h.p.bs = cases[i].bs;
		h.p.loops = cases[i].loops;
		h.options = io_options_of(&h.p, &h.opt);
		h.ctx.io = &h.options;
		CU_ASSERT_EQUAL(PREALLOC->check(&h.ctx), *cases[i].text ? -EINVAL : 0);
		CU_ASSERT_STRING_EQUAL(h.err.text, cases[i].text);
		pre_free(&h);
	}
}

static void test_counters(void)
{
	static const char xfs[] = "extent_alloc 1 16 0 0\nabt 0 0 0 0\nxs_log 9 9 9 9 9\n"
				  "trans 7 30 2\nig 0 0 0\nlog 64 128 1 66 5\npush_ail 1 2\n";
	struct prealloc_counters c;

	prealloc_counters_none(&c);
	prealloc_parse_xfs(xfs, &c);
	CU_ASSERT_EQUAL(c.v[PREALLOC_LOG_WRITES], 64);
	CU_ASSERT_EQUAL(c.v[PREALLOC_LOG_BYTES], 128 * 512);
	CU_ASSERT_EQUAL(c.v[PREALLOC_LOG_FORCES], 66);
	CU_ASSERT_EQUAL(c.v[PREALLOC_TRANSACTIONS], 37);
	CU_ASSERT_TRUE(isnan(c.v[PREALLOC_DEVICE_WRITES]));
	prealloc_parse_device("  10 2 300 4   50 6 700 8 0 9 10 0 0 0 0  11 12\n", &c);
	prealloc_parse_disk("  10 2 300 4   50 6 700 8 0 9 10 0 0 0 0  11 12\n", &c);
	CU_ASSERT_EQUAL(c.v[PREALLOC_DEVICE_WRITES], 50);
	CU_ASSERT_EQUAL(c.v[PREALLOC_FLUSHES], 11);
}

/* Older kernels say less; other text says nothing. */
static void test_counters_absent(void)
{
	static const char *const texts[] = { "",
					     "log\n",
					     "log 1 2 3\ntrans 5\n",
					     "log x y z q\n",
					     "logs 1 2 3 4\n",
					     "trans -1 2 3\n",
					     "log 99999999999999999999999 1 1 1\n" };
	struct prealloc_counters c;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		prealloc_counters_none(&c);
		prealloc_parse_xfs(texts[i], &c);
		for (int k = 0; k < PREALLOC_COUNTERS; k++)
			CU_ASSERT_TRUE(isnan(c.v[k]));
	}
	prealloc_parse_disk("1 2 3 4 5 6 7 8 9 10 11\n", &c);
	prealloc_parse_device("1 2 3 4\n", &c);
	CU_ASSERT_TRUE(isnan(c.v[PREALLOC_FLUSHES]));
	CU_ASSERT_TRUE(isnan(c.v[PREALLOC_DEVICE_WRITES]));
}

static void seen_run(const struct extents_run *run, void *arg)
{
	char *got = arg;

	snprintf(got + strlen(got), 256 - strlen(got), "%llu@%llu+%llu%s%s ",
		 (unsigned long long)run->logical, (unsigned long long)run->physical,
		 (unsigned long long)run->length, run->unwritten ? "u" : "",
		 run->placed ? "" : "?");
}

static void test_decode(void)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + 4 * sizeof(struct fiemap_extent)];
	} u = { .map = { .fm_mapped_extents = 3 } };
	char got[256] = "";

	u.map.fm_extents[0] = (struct fiemap_extent){ .fe_logical = 0,
						      .fe_physical = 8192,
						      .fe_length = 4096 };
	u.map.fm_extents[1] = (struct fiemap_extent){ .fe_logical = 4096,
						      .fe_physical = 65536,
						      .fe_length = 8192,
						      .fe_flags = FIEMAP_EXTENT_UNWRITTEN };
	u.map.fm_extents[2] = (struct fiemap_extent){ .fe_logical = 16384,
						      .fe_length = 4096,
						      .fe_flags = FIEMAP_EXTENT_UNKNOWN |
								  FIEMAP_EXTENT_DELALLOC };
	CU_ASSERT_EQUAL(extents_decode(&u.map, seen_run, got), 20480);
	CU_ASSERT_STRING_EQUAL(got, "0@8192+4096 4096@65536+8192u 16384@0+4096? ");
	u.map.fm_extents[2].fe_flags |= FIEMAP_EXTENT_LAST;
	CU_ASSERT_EQUAL(extents_decode(&u.map, seen_run, got), 0);
	u.map.fm_mapped_extents = 0;
	got[0] = '\0';
	CU_ASSERT_EQUAL(extents_decode(&u.map, seen_run, got), 0);
	CU_ASSERT_STRING_EQUAL(got, "");
}

/* The two layouts of a disk of 1 TB: 4 groups, and 3726 of 256 MiB; the log is in the middle of both. */
static void test_groups(void)
{
	struct extents_xfs_geometry x = {
		.blocksize = 4096,
		.agblocks = 61047665,
		.agcount = 4,
		.logblocks = 119233,
		.logstart = ((uint64_t)2 << 26) + 5,
	};
	struct extents_groups g;

	extents_groups_of(&x, &g);
	CU_ASSERT_EQUAL(g.agcount, 4);
	CU_ASSERT_EQUAL(g.agsize, 61047665ull * 4096);
	CU_ASSERT_EQUAL(g.log_at, 2 * 61047665ull * 4096 + 5 * 4096);
	CU_ASSERT_EQUAL(g.log_size, 119233ull * 4096);
	x.agblocks = 65536;
	x.agcount = 3726;
	x.logstart = (uint64_t)1863 << 16 | 6;
	extents_groups_of(&x, &g);
	CU_ASSERT_EQUAL(g.log_at, 1863ull * 65536 * 4096 + 6 * 4096);
	x.logstart = 0;
	extents_groups_of(&x, &g);
	CU_ASSERT_EQUAL(g.log_size, 0);
	x.agblocks = 0;
	extents_groups_of(&x, &g);
	CU_ASSERT_EQUAL(g.agcount, 0);
}

/* Only what is written in the region counts for positions; every extent counts. */
static void test_look(void)
{
	struct prealloc_state st = {
		.groups = { .agcount = 4, .agsize = 1 << 20, .log_at = 2 << 20, .log_size = 4096 }
	};
	unsigned char used[4] = { 0 };
	struct prealloc_look look = { .known = true };
	struct prealloc_looker l = { .st = &st, .look = &look, .from = 4096, .to = 16384 };
	const struct extents_run runs[] = {
		{ .logical = 0, .physical = 40960, .length = 8192, .placed = true },
		{ .logical = 8192, .physical = 3 << 20, .length = 4096, .placed = true },
		{ .logical = 12288,
		  .physical = 0,
		  .length = 4096,
		  .placed = true,
		  .unwritten = true },
		{ .logical = 16384, .physical = 1 << 20, .length = 4096, .placed = true },
	};

	st.group_used = used;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		prealloc_look_run(&runs[i], &l);
	CU_ASSERT_EQUAL(look.extents, 4);
	CU_ASSERT_EQUAL(look.unwritten, 1);
	CU_ASSERT_EQUAL(look.bytes, 8192);
	CU_ASSERT_EQUAL(look.position / 4096, 45056 + 2048 + (3 << 20) + 2048);
	CU_ASSERT_EQUAL(look.distance / 4096,
			((2 << 20) + 2048) - (45056 + 2048) + (3 << 20) - (2 << 20));
	CU_ASSERT_EQUAL(look.n_groups, 2);
	CU_ASSERT_EQUAL(look.groups[0], 0);
	CU_ASSERT_EQUAL(look.groups[1], 3);
	CU_ASSERT_EQUAL(used[0] + used[3], 2);
	CU_ASSERT_EQUAL(used[1] + used[2], 0);
}

void test_plugin_prealloc(void)
{
	CU_pSuite s = CU_add_suite("prealloc", NULL, NULL);

	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_random_order);
	CU_ADD_TEST(s, test_passes_apart);
	CU_ADD_TEST(s, test_real_files);
	CU_ADD_TEST(s, test_failure);
	CU_ADD_TEST(s, test_runtime);
	CU_ADD_TEST(s, test_not_ours);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_counters);
	CU_ADD_TEST(s, test_counters_absent);
	CU_ADD_TEST(s, test_decode);
	CU_ADD_TEST(s, test_groups);
	CU_ADD_TEST(s, test_look);
}
