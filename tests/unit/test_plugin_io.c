/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload io: which I/Os it asks for, and real files through psync. */
#define FSTRIAL_STATIC io_test_io
#include "plugins/workload/io.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_io_psync
#include "plugins/engine/psync.c"

#include "tests/unit/io_tally.h"

void test_plugin_io(void);

#define IO (&fstrial_plugin_io_test_io)
#define PSYNC (&fstrial_plugin_io_test_io_psync)

enum { MANY = 100000 };

/* What comes in which order, where it does not depend on chance. */
static void test_order(void)
{
	static const struct {
		int rw;
		uint64_t size, nrfiles, loops, offset;
		int service;
		uint32_t mix;
		const char *want;
	} cases[] = {
		{ IO_READ, 8, 1, 1, 0, 0, 50, "r0:0+4 r0:4+4 " },
		{ IO_WRITE, 10, 1, 1, 0, 0, 50, "w0:0+4 w0:4+4 w0:8+2 " },
		{ IO_TRIM, 8, 1, 2, 0, 0, 50, "t0:0+4 t0:4+4 t0:0+4 t0:4+4 " },
		{ IO_READ, 8, 1, 2, 12, 0, 50, "r0:12+4 r0:16+4 r0:12+4 r0:16+4 " },
		{ IO_READ, 16, 2, 1, 0, FST_SEQUENTIAL_FILES, 50, "r0:0+4 r0:4+4 r1:0+4 r1:4+4 " },
		{ IO_READ, 16, 2, 1, 4, FST_ROUNDROBIN_FILES, 50, "r0:4+4 r1:4+4 r0:8+4 r1:8+4 " },
		{ IO_RW, 8, 1, 1, 0, 0, 100, "r0:0+4 r0:4+4 " },
		{ IO_RW, 8, 1, 1, 0, 0, 0, "w0:0+4 w0:4+4 " },
		{ IO_RANDREAD, 7, 1, 3, 8, 0, 50, "r0:8+4 r0:8+4 r0:8+4 " },
		{ IO_RANDRW, 4, 1, 1, 0, 0, 0, "w0:0+4 " },
		{ IO_RANDTRIM, 4, 1, 1, 0, 0, 0, "t0:0+4 " },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct io_config cfg = { .rw = cases[c].rw };
		char got[512];
		struct io_host h;
		struct tally t;

		tally_init(&t, &h, IO, &cfg, 100);
		h.p.bs = 4;
		h.p.size = cases[c].size;
		h.p.nrfiles = cases[c].nrfiles;
		h.p.loops = cases[c].loops;
		h.p.offset = cases[c].offset;
		h.p.file_service_type = cases[c].service;
		h.p.rwmixread = cases[c].mix;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		tally_text(&t, got, sizeof(got));
		CU_ASSERT_STRING_EQUAL(got, cases[c].want);
		tally_free(&t, &h);
	}
}

/* Random I/O without repeats: in each loop every whole block of every file once. */
static void each_block_once(int rw, uint16_t op, uint64_t nrfiles, int service)
{
	enum { BLOCKS = 1001, LOOPS = 3 };
	struct io_config cfg = { .rw = rw };
	uint64_t n = BLOCKS * nrfiles, in_order = 0, wrong = 0;
	struct io_host h;
	struct tally t;
	uint8_t *seen;

	tally_init(&t, &h, IO, &cfg, n * LOOPS + 1);
	h.p.bs = 512;
	h.p.size = (BLOCKS * 512 + 100) * nrfiles; /* the rest is never reached */
	h.p.nrfiles = nrfiles;
	h.p.loops = LOOPS;
	h.p.offset = 1 << 20;
	h.p.file_service_type = service;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(t.n, n * LOOPS);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), n * LOOPS * 512);
	for (uint64_t loop = 0; loop < LOOPS; loop++) {
		seen = calloc(n, 1);
		for (uint64_t i = loop * n; i < (loop + 1) * n && i < t.n; i++) {
			const struct fst_io *io = &t.io[i];
			uint64_t at = io->offset - (1 << 20), block = at / 512;

			if (io->op != op || io->length != 512 || at % 512 || block >= BLOCKS ||
			    io->file >= nrfiles) {
				wrong++;
				continue;
			}
			wrong += seen[io->file * BLOCKS + block]++;
			wrong += service == FST_ROUNDROBIN_FILES && io->file != i % nrfiles;
			in_order += i && io->file == t.io[i - 1].file &&
				    io->offset == t.io[i - 1].offset + 512;
		}
		CU_ASSERT_PTR_NULL(memchr(seen, 0, n));
		free(seen);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(in_order < n * LOOPS / 20);
	tally_free(&t, &h);
}

static void test_each_block_once(void)
{
	each_block_once(IO_RANDREAD, FST_IO_READ, 1, FST_SEQUENTIAL_FILES);
	each_block_once(IO_RANDWRITE, FST_IO_WRITE, 1, FST_ROUNDROBIN_FILES);
	each_block_once(IO_RANDREAD, FST_IO_READ, 7, FST_SEQUENTIAL_FILES);
	each_block_once(IO_RANDTRIM, FST_IO_TRIM, 7, FST_ROUNDROBIN_FILES);
}

static void test_norandommap(void)
{
	struct io_config cfg = { .rw = IO_RANDREAD };
	uint8_t seen[1000] = { 0 };
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, IO, &cfg, 1000);
	h.p.size = 1000 * 4096;
	h.p.norandommap = true;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(t.n, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		if (t.io[i].offset / 4096 < 1000)
			seen[t.io[i].offset / 4096] = 1;
	CU_ASSERT_PTR_NOT_NULL(memchr(seen, 0, sizeof(seen)));
	tally_free(&t, &h);
}

/* The access pattern that Iometer made known. */
static const struct fst_bs_share iometer[] = {
	{ 512, 10, 0 }, { 1024, 5, 0 },	 { 2048, 5, 0 },  { 4096, 60, 0 },
	{ 8192, 2, 0 }, { 16384, 4, 0 }, { 32768, 4, 0 }, { 65536, 10, 0 },
};

static bool near(uint64_t got, double want)
{
	return (double)got > want - 0.01 * MANY && (double)got < want + 0.01 * MANY;
}

/* 100,000 I/Os, 80 % reads: shares to a percent, each aligned to its size and in the file. */
static void test_shares(void)
{
	struct io_config cfg = { .rw = IO_RANDRW };
	uint64_t count[ARRAY_SIZE(iometer)] = { 0 }, reads = 0, bytes = 0, wrong = 0, high = 0;
	uint64_t size = (64 << 20) + 3 * 512;
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, IO, &cfg, MANY);
	for (size_t i = 0; i < ARRAY_SIZE(iometer); i++)
		tally_share(&h, iometer[i].bs, iometer[i].percent);
	h.p.size = size;
	h.p.loops = 20;
	h.p.rwmixread = 80;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_FATAL(t.n >= MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		const struct fst_io *io = &t.io[i];

		for (size_t k = 0; k < ARRAY_SIZE(iometer); k++)
			count[k] += io->length == iometer[k].bs;
		reads += io->op == FST_IO_READ;
		wrong += io->op > FST_IO_WRITE || !io->length || io->offset % io->length ||
			 io->offset + io->length > size;
		high += io->offset > size / 2;
	}
	for (size_t k = 0; k < ARRAY_SIZE(iometer); k++)
		CU_ASSERT_TRUE(near(count[k], iometer[k].percent * MANY / 100.0));
	CU_ASSERT_TRUE(near(reads, 0.8 * MANY));
	CU_ASSERT_TRUE(near(high, 0.5 * MANY));
	CU_ASSERT_EQUAL(wrong, 0);
	/* Twenty times the size, and what the last I/O of each loop is longer. */
	bytes = io_host_u64(&h, "measured.bytes");
	CU_ASSERT_TRUE(bytes >= 20 * size && bytes < 20 * (size + 65536));
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), t.n);
	tally_free(&t, &h);
}

/* Sizes that are no powers of two, a share of nothing, and a file that no size divides. */
static void test_odd_shares(void)
{
	struct io_config cfg = { .rw = IO_RANDREAD };
	uint64_t wrong = 0, last = 0;
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, IO, &cfg, 10000);
	tally_share(&h, 3000, 50);
	tally_share(&h, 500, 0);
	tally_share(&h, 7000, 50);
	h.p.size = 20000;
	h.p.loops = 1000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	for (uint64_t i = 0; i < t.n && i < t.max; i++) {
		wrong += (t.io[i].length != 3000 && t.io[i].length != 7000) ||
			 t.io[i].offset % t.io[i].length || t.io[i].offset + t.io[i].length > 20000;
		last += t.io[i].length == 7000 && t.io[i].offset == 7000;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(last > 100);
	tally_free(&t, &h);
}

/* Sequential with several sizes and a mix: each operation goes on where its last one ended. */
static void test_sequential_mix(void)
{
	struct io_config cfg = { .rw = IO_RW };
	uint64_t at[2] = { 0, 0 }, n[2] = { 0, 0 }, wrong = 0, size = 1000 * 4096;
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, IO, &cfg, MANY);
	tally_share(&h, 4096, 50);
	tally_share(&h, 12288, 50);
	h.p.size = size;
	h.p.rwmixread = 30;
	h.p.loops = 150;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	for (uint64_t i = 0; i < t.n && i < t.max; i++) {
		uint32_t op = t.io[i].op == FST_IO_WRITE;

		wrong += t.io[i].offset != at[op] || at[op] + t.io[i].length > size;
		at[op] = (at[op] + t.io[i].length) % size;
		n[op]++;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(n[0] > 0.29 * (double)t.n && n[0] < 0.31 * (double)t.n);
	CU_ASSERT_EQUAL(n[0] + n[1], t.n);
	tally_free(&t, &h);
}

static uint64_t hash_of(uint64_t seed, int rw)
{
	struct io_config cfg = { .rw = rw };
	struct io_host h;
	struct tally t;
	uint64_t hash;

	tally_init(&t, &h, IO, &cfg, 10000);
	tally_share(&h, 4096, 70);
	tally_share(&h, 8192, 30);
	h.ctx.seed = seed;
	h.p.size = 16 << 20;
	h.p.rwmixread = 50;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	hash = tally_hash(&t);
	tally_free(&t, &h);
	return hash;
}

static void test_seed(void)
{
	static const int rws[] = { IO_RANDREAD, IO_RANDRW, IO_RW };

	for (size_t i = 0; i < ARRAY_SIZE(rws); i++) {
		CU_ASSERT_EQUAL(hash_of(1, rws[i]), hash_of(1, rws[i]));
		CU_ASSERT_NOT_EQUAL(hash_of(1, rws[i]), hash_of(2, rws[i]));
	}
}

static void test_check(void)
{
	static const struct {
		uint64_t size, bs, share;
		const char *text;
	} cases[] = {
		{ 8192, 4096, 0, "" },
		{ 8192, 4096, 8192, "" },
		{ 8192, 4096, 8193,
		  "bs = 8193 bytes does not fit into a file of size / nrfiles = 8192 bytes" },
		{ 8192, 9000, 0,
		  "bs = 9000 bytes does not fit into a file of size / nrfiles = 8192 bytes" },
		{ 0, 4096, 0, "size, bs and nrfiles must be at least 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_config cfg = { .rw = IO_RANDRW };
		struct io_host h;
		int r;

		io_host_init(&h, IO, PSYNC, &cfg);
		h.p.size = cases[i].size;
		h.p.bs = cases[i].bs;
		if (cases[i].share) {
			tally_share(&h, 512, 50);
			tally_share(&h, cases[i].share, 50);
		}
		h.options = io_options_of(&h.p, &h.opt);
		h.ctx.io = &h.options;
		r = IO->check(&h.ctx);
		CU_ASSERT_EQUAL(r < 0, *cases[i].text != 0);
		CU_ASSERT_STRING_EQUAL(h.err.text, cases[i].text);
		io_host_free(&h);
	}
}

static void test_estimate(void)
{
	static const struct {
		int rw;
		uint64_t runtime, read, written;
	} cases[] = {
		{ IO_RANDREAD, 0, 2 * 65536 * 3, 0 },
		{ IO_RANDREAD, 1, 65536 * 3, 0 },
		{ IO_WRITE, 0, 0, 2 * 65536 * 3 },
		{ IO_RANDRW, 0, 2 * 65536 * 3 / 100 * 80,
		  2 * 65536 * 3 - 2 * 65536 * 3 / 100 * 80 },
		{ IO_TRIM, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_config cfg = { .rw = cases[i].rw };
		struct fst_estimate est = { .struct_size = sizeof(est) };
		struct io_host h;

		io_host_init(&h, IO, PSYNC, &cfg);
		h.ctx.nworkers = 3;
		h.p.loops = 2;
		h.p.nrfiles = 4;
		h.p.rwmixread = 80;
		h.opt.runtime_ns = cases[i].runtime;
		h.options = io_options_of(&h.p, &h.opt);
		h.ctx.io = &h.options;
		CU_ASSERT_EQUAL(IO->estimate(&h.ctx, &est), 0);
		CU_ASSERT_EQUAL(est.bytes_read, cases[i].read);
		CU_ASSERT_EQUAL(est.bytes_written, cases[i].written);
		CU_ASSERT_EQUAL(est.files, 12);
		io_host_free(&h);
	}
}

static ino_t data_file(const struct io_host *h, const char *name, struct stat *st)
{
	char path[512];

	if (stat(io_host_path(h, name, path, sizeof(path)), st) < 0)
		memset(st, 0, sizeof(*st));
	return st->st_ino;
}

/* Two workers with two files each: what is counted is what was moved. */
static void test_mix_of_files(void)
{
	struct io_config cfg = { .rw = IO_RANDRW };
	uint64_t reads, writes;
	struct io_host h;
	struct stat st;
	ino_t ino;

	io_host_init(&h, IO, PSYNC, &cfg);
	h.ctx.nworkers = 2;
	h.p.size = 1 << 20;
	h.p.nrfiles = 2;
	h.p.rwmixread = 50;
	h.p.offset = 8192;
	h.p.offset_increment = 4096;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	reads = io_host_u64(&h, "latency.read.count");
	writes = io_host_u64(&h, "latency.write.count");
	CU_ASSERT_EQUAL(reads + writes, 512);
	CU_ASSERT_TRUE(reads > 150 && writes > 150);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 512 * 4096);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"),
			4 * (512 << 10) + 4 * 8192 + 2 * 4096);
	ino = data_file(&h, "data.1.1", &st);
	CU_ASSERT_EQUAL(st.st_size, (512 << 10) + 8192 + 4096);
	/* In place, and nothing to lay out. */
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	CU_ASSERT_EQUAL(data_file(&h, "data.1.1", &st), ino);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.iops.value") > 0);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.write_throughput.value") > 0);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.read_p50.value") > 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.trim_p50.value")));
	io_host_free(&h);
}

/* Writes make new files, or go in place. Trims take blocks away. */
static void test_write_then_trim(void)
{
	struct io_config cfg = { .rw = IO_RANDWRITE };
	struct io_host h;
	struct stat st;
	ino_t ino;
	int r;

	io_host_init(&h, IO, PSYNC, &cfg);
	h.p.size = 1 << 20;
	h.p.end_fsync = true;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.write.count"), 256);
	ino = data_file(&h, "data.0.0", &st);
	CU_ASSERT_EQUAL(st.st_size, 1 << 20);
	h.p.overwrite = true;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(data_file(&h, "data.0.0", &st), ino);
	cfg.rw = IO_TRIM;
	h.p.end_fsync = false;
	r = io_host_run(&h);
	CU_ASSERT_TRUE(r == 0 || r == -EOPNOTSUPP);
	if (r == 0) {
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.trim.count"), 256);
		CU_ASSERT_EQUAL(data_file(&h, "data.0.0", &st), ino);
		CU_ASSERT_EQUAL(st.st_size, 1 << 20);
		CU_ASSERT_EQUAL(st.st_blocks, 0);
	}
	io_host_free(&h);
}

void test_plugin_io(void)
{
	CU_pSuite s = CU_add_suite("plugin/io", NULL, NULL);

	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_each_block_once);
	CU_ADD_TEST(s, test_norandommap);
	CU_ADD_TEST(s, test_shares);
	CU_ADD_TEST(s, test_odd_shares);
	CU_ADD_TEST(s, test_sequential_mix);
	CU_ADD_TEST(s, test_seed);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_estimate);
	CU_ADD_TEST(s, test_mix_of_files);
	CU_ADD_TEST(s, test_write_then_trim);
}
