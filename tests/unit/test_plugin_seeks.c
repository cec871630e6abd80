/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload seeks: which blocks, how many updates, and whose files. */
#define FSTRIAL_STATIC io_test_seeks
#include "plugins/workload/seeks.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_seeks_psync
#include "plugins/engine/psync.c"

#include "tests/unit/io_tally.h"

void test_plugin_seeks(void);

#define SEEKS (&fstrial_plugin_io_test_seeks)
#define PSYNC (&fstrial_plugin_io_test_seeks_psync)

/* An update follows its seek, at the same place, with the same length. */
static void count_updates(uint64_t percent, uint64_t low, uint64_t high)
{
	enum { BLOCKS = 20000 };
	struct seeks_config cfg = { .update = percent, .shared = true };
	uint64_t seeks = 0, updates = 0, wrong = 0, even = 0;
	uint8_t *seen = calloc(BLOCKS, 1);
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, SEEKS, &cfg, 2 * BLOCKS);
	h.p.bs = 8192;
	h.p.size = BLOCKS * 8192;
	h.p.nrfiles = 4;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	for (uint64_t i = 0; i < t.n; i++) {
		const struct fst_io *io = &t.io[i];
		uint64_t block = io->file * (BLOCKS / 4) + io->offset / 8192;

		wrong += io->length != 8192 || io->offset % 8192 || block >= BLOCKS;
		if (io->op == FST_IO_READ) {
			seeks++;
			wrong += seen[block]++;
			continue;
		}
		updates++;
		even += block % 2 == 0;
		wrong += io->op != FST_IO_WRITE || t.io[i - 1].op != FST_IO_READ ||
			 io->offset != t.io[i - 1].offset || io->file != t.io[i - 1].file;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(seeks, BLOCKS);
	CU_ASSERT_TRUE(updates >= low && updates <= high);
	if (percent == 10)
		CU_ASSERT_TRUE(even > updates * 45 / 100 && even < updates * 55 / 100);
	/* The rate counts seeks alone. */
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), BLOCKS);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.seek.count"), BLOCKS);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.update.count"), updates);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.seek_rate.value") *
				       (double)io_host_u64(&h, "measured.elapsed_ns") / 1e9,
			       BLOCKS, 1);
	free(seen);
	tally_free(&t, &h);
}

static void test_updates(void)
{
	count_updates(0, 0, 0);
	count_updates(10, 1800, 2200);
	count_updates(100, 20000, 20000);
}

static void test_number_of_seeks(void)
{
	struct seeks_config cfg = { .seeks = 8192, .shared = true };
	struct io_host h;

	io_host_init(&h, SEEKS, PSYNC, &cfg);
	h.ctx.nworkers = 3;
	h.p.size = 100 * 8192;
	h.p.bs = 8192;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.seek.count"), 8192);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 8192 * 8192);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.update_p50.value")));
	h.options = io_options_of(&h.p, &h.opt);
	h.ctx.io = &h.options;
	cfg.seeks = 2;
	CU_ASSERT_EQUAL(SEEKS->check(&h.ctx), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h.err.text, "seeks = 2 is less than one for each of 3 seekers");
	io_host_free(&h);
}

static int data_file(const struct io_host *h, const char *name, struct stat *st)
{
	char path[512];

	return stat(io_host_path(h, name, path, sizeof(path)), st);
}

/* Shared: one set of files for all. Not shared: a set each, found there by other workloads too. */
static void test_files(void)
{
	struct seeks_config cfg = { .update = 50, .shared = true };
	struct io_host h;
	struct stat st;

	io_host_init(&h, SEEKS, PSYNC, &cfg);
	h.ctx.nworkers = 4;
	h.p.size = 1 << 20;
	h.p.nrfiles = 2;
	h.p.offset = 4096;
	h.p.offset_increment = 8192;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.seek.count"), 4 * 256);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"),
			2 * ((512 << 10) + 4096 + 3 * 8192));
	CU_ASSERT_EQUAL(data_file(&h, "data.0.1", &st), 0);
	CU_ASSERT_EQUAL(st.st_size, (512 << 10) + 4096 + 3 * 8192);
	CU_ASSERT_EQUAL(data_file(&h, "data.1.0", &st), -1);
	CU_ASSERT_STRING_NOT_EQUAL(io_host_str(&h, "data.cache"), "written");
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.sync_boundary"),
			       "none: dirty pages may remain");
	cfg.shared = false;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.seek.count"), 4 * 256);
	CU_ASSERT_EQUAL(data_file(&h, "data.3.1", &st), 0);
	io_host_free(&h);
}

static void test_estimate(void)
{
	struct seeks_config cfg = { .update = 10, .shared = true };
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct io_host h;

	io_host_init(&h, SEEKS, PSYNC, &cfg);
	h.ctx.nworkers = 2;
	h.options = io_options_of(&h.p, &h.opt);
	h.ctx.io = &h.options;
	CU_ASSERT_EQUAL(SEEKS->estimate(&h.ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_read, 2 * 65536);
	CU_ASSERT_EQUAL(est.bytes_written, 2 * 65536 / 100 * 10);
	CU_ASSERT_EQUAL(est.files, 1);
	cfg.seeks = 1000;
	cfg.shared = false;
	CU_ASSERT_EQUAL(SEEKS->estimate(&h.ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_read, 1000 * 4096);
	CU_ASSERT_EQUAL(est.files, 2);
	io_host_free(&h);
}

void test_plugin_seeks(void)
{
	CU_pSuite s = CU_add_suite("plugin/seeks", NULL, NULL);

	CU_ADD_TEST(s, test_updates);
	CU_ADD_TEST(s, test_number_of_seeks);
	CU_ADD_TEST(s, test_files);
	CU_ADD_TEST(s, test_estimate);
}
