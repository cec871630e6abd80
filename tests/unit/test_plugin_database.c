/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload database as a whole: runs, what they leave, and what they notice. */
#define FSTRIAL_STATIC io_test_database
#include "tests/unit/database_fixture.h"

void test_plugin_database(void);

static void test_check(void)
{
	static const struct {
		uint32_t workers;
		const char *params, *text;
	} cases[] = {
		{ 2, "transactions=1", NULL },
		{ 9, "transactions=1;model=innodb", NULL },
		{ 1, "transactions=1", "numjobs = 1: worker 0 makes checkpoints, so that there" },
		{ 2, "", "give a runtime, or the transactions that each client does" },
		{ 2, "transactions=1;page_size=12KiB", "page_size = 12288 is not a power of two" },
		{ 2, "transactions=1;table_size=128k",
		  "table_size / page_size = 16 pages: too few" },
		{ 2, "transactions=1;file_size=1052672",
		  "file_size is not a multiple of page_size" },
		{ 2, "transactions=1;reads=0;updates=0", "reads and updates are both 0" },
		{ 2, "transactions=1;record_min=900", "record_min is larger than record_max" },
		{ 2, "transactions=1;wal_segment=1048577", "must be multiples of 8KiB" },
		{ 65, "transactions=1;model=innodb;wal_segment=1MiB;wal_segments=2;updates=100",
		  "more than a quarter of wal_segment * wal_segments = 2097152" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_host *h = fake_host_new(&FST_SYMBOL);

		fake_host_params(h, cases[i].params);
		h->ctx.nworkers = cases[i].workers;
		CU_ASSERT_EQUAL(h->plugin->check(&h->ctx), cases[i].text ? -EINVAL : 0);
		CU_ASSERT(cases[i].text ? h->error && strstr(h->error, cases[i].text) != NULL
					: !h->error);
		fake_host_free(h);
	}
}

static void test_estimate(void)
{
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct fake_host *h = fake_host_new(&FST_SYMBOL);

	fake_host_params(h, "table_size=3GiB;wal_segments=4");
	h->ctx.nworkers = 2;
	CU_ASSERT_EQUAL(h->plugin->estimate(&h->ctx, &est), 0);
	CU_ASSERT_EQUAL(est.files, 3 + 4);
	CU_ASSERT_EQUAL(est.bytes_written, (UINT64_C(3) << 30) + (4 << 24));
	fake_host_free(h);
}

/* What is counted fits together. */
static void expect_sums(struct base *b, uint64_t transactions, uint64_t commits)
{
	struct fake_host *h = b->h;
	const uint64_t page = b->db->cfg.page_size, accesses = transactions * 4 + commits * 3;
	const struct db_wal_counts wal = b->db->wal.count;
	uint64_t hits = 0, data = 0;

	for (uint32_t i = 0; i < h->ctx.nworkers; i++) {
		hits += b->db->actor[i].count.hits;
		data += b->db->actor[i].count.data;
	}
	CU_ASSERT_EQUAL(h->ops[DB_TRANSACTION].count, transactions);
	CU_ASSERT_EQUAL(h->ops[DB_COMMIT].count, commits);
	CU_ASSERT_EQUAL(h->ops[DB_PAGE_READ].count, accesses - hits);
	CU_ASSERT_EQUAL(h->ops[DB_PAGE_READ].bytes, (accesses - hits) * page);
	CU_ASSERT_EQUAL(h->ops[DB_PAGE_WRITE].bytes, data);
	CU_ASSERT_EQUAL(h->ops[DB_WAL_SYNC].count, wal.flushes);
	CU_ASSERT_EQUAL(h->ops[DB_WAL_SYNC].bytes, wal.bytes);
	CU_ASSERT_EQUAL(wal.commits, commits);
	CU_ASSERT(wal.bytes >= wal.records && wal.flushes <= commits + 1000);
	CU_ASSERT_EQUAL(h->plugin->verify(&h->ctx), 0);
	CU_ASSERT_PTR_NULL(h->error);
}

/* Each way of syncing and recycling, with both kinds of writing pages. */
static void test_run(void)
{
	static const char *const cases[] = {
		SMALL,
		SMALL "direct=true;page_size=4KiB;distribution=uniform",
		SMALL "model=innodb;wal_segments=4",
		SMALL "model=innodb;doublewrite=false;wal_sync=open_dsync;wal_segments=4",
		SMALL "wal_recycle=none;wal_sync=fsync;wal_prealloc=fallocate;max_group=2",
		SMALL "wal_recycle=overwrite;wal_segments=8;group_commit_window=100us",
		SMALL "wal_prealloc=none;distribution=hot",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct base b;

		base_make(&b, 5, cases[i]);
		CU_ASSERT_EQUAL(base_run(&b), 0);
		expect_sums(&b, 4 * 200, 4 * 200);
		base_free(&b);
	}
}

/* Those that only read leave the WAL alone. */
static void test_read_only(void)
{
	struct base b;

	base_make(&b, 3, SMALL "read_pct=100");
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT_EQUAL(b.db->wal.insert, 0);
	expect_sums(&b, 2 * 200, 0);
	base_free(&b);
}

/* Once a second at most, and at the end. */
static void test_each_second(void)
{
	struct base b;

	base_make(&b, 3, SMALL "durability=second;wal_buffers=8MiB;checkpoint_wal=0;cache=1");
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT_EQUAL(b.h->ops[DB_COMMIT].count, 400);
	CU_ASSERT_EQUAL(b.db->wal.count.commits, 0);
	CU_ASSERT(b.db->wal.count.flushes <= b.h->ops[DB_TRANSACTION].ns / DB_SECOND + 1);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	CU_ASSERT_EQUAL(b.db->wal.flushed, b.db->wal.insert);
	base_free(&b);
}

/* Checkpoints by WAL: written pages, synced files, recycled segments; and the metrics about them. */
static void test_metrics(void)
{
	struct db_background bg = { .a = NULL };
	struct base b;

	base_make(&b, 5, SMALL "transactions=1000;reads=0;hot_pages=10;completion_target=0");
	CU_ASSERT_EQUAL(base_run(&b), 0);
	/* One that nobody interrupts, however fast the clients were. */
	b.db->clients_left = 1;
	bg.a = &b.db->actor[0];
	CU_ASSERT_EQUAL(db_checkpoint(&bg), 0);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	CU_ASSERT_EQUAL(db_result(b.db), 0);
	CU_ASSERT(base_metric(&b, "tps") > 0);
	CU_ASSERT(base_metric(&b, "checkpoints") >= 1);
	CU_ASSERT(base_metric(&b, "checkpoint_duration") > 0);
	CU_ASSERT(base_metric(&b, "wal_segments_recycled") >= 1);
	CU_ASSERT(base_metric(&b, "commits_per_flush") > 0);
	CU_ASSERT(base_metric(&b, "commits_per_flush") <= 4);
	CU_ASSERT(base_metric(&b, "wal_bytes") >= (double)b.h->ops[DB_WAL_SYNC].bytes);
	CU_ASSERT(fabs(base_metric(&b, "wal_bytes_per_commit") * 4000 -
		       base_metric(&b, "wal_bytes")) < 1);
	CU_ASSERT(fabs(base_metric(&b, "write_amplification") * base_metric(&b, "logical_bytes") -
		       base_metric(&b, "wal_bytes") - base_metric(&b, "data_bytes")) < 1);
	/* Records of 200 to 800 bytes. */
	CU_ASSERT(fabs(base_metric(&b, "logical_bytes") / 12000 - 500) < 20);
	CU_ASSERT(base_metric(&b, "distinct_pages") > 10);
	CU_ASSERT(base_metric(&b, "distinct_pages") <= 2048);
	/* zipf 1.07 over 2048 pages: the first 10 % get 0.77 of all. */
	CU_ASSERT(fabs(base_metric(&b, "hot_set_share") - 0.77) < 0.03);
	base_free(&b);
}

/* With a rate each begins on schedule, and none before. */
static void test_rate(void)
{
	uint64_t begun;
	struct base b;

	base_make(&b, 3, SMALL "transactions=50;transaction_rate=1000");
	begun = fst_now(&b.h->ctx);
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT(fst_now(&b.h->ctx) - begun >= 49 * 2000000);
	CU_ASSERT_EQUAL(b.h->ops[DB_TRANSACTION].count, 100);
	base_free(&b);
}

/* The background writer takes pages that are not used, and no more than it may. */
static void test_background_writer(void)
{
	struct db_background bg = { .a = NULL };
	uint32_t dirty = 0;
	struct base b;

	base_make(&b, 2, "bgwriter_pages=5");
	bg.a = &b.db->actor[0];
	for (uint64_t page = 0; page < 8; page++)
		CU_ASSERT_EQUAL(db_client_update(&b.db->actor[1], page), 0);
	CU_ASSERT_EQUAL(db_background_write(&bg), 0);
	CU_ASSERT_EQUAL(b.h->ops[DB_PAGE_WRITE].count, 0); /* all are used */
	for (uint32_t f = 0; f < b.db->pool.n; f++)
		b.db->pool.frame[f].usage = 0;
	CU_ASSERT_EQUAL(db_background_write(&bg), 0);
	CU_ASSERT_EQUAL(b.h->ops[DB_PAGE_WRITE].count, 5);
	for (uint32_t f = 0; f < b.db->pool.n; f++)
		dirty += b.db->pool.frame[f].dirty;
	CU_ASSERT_EQUAL(dirty, 3);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	base_free(&b);
}

/* The worst second with a checkpoint, against the mean; the last second, not whole, is none. */
static void test_dip(void)
{
	struct base b;

	base_make(&b, 2, "");
	for (int i = 0; i < 5; i++)
		b.db->second[i] = i == 2 ? 40 : 120;
	b.db->second[5] = 1;
	CU_ASSERT(isnan(db_result_dip(b.db, 5 * DB_SECOND)));
	b.db->checkpointing[2] = b.db->checkpointing[3] = b.db->checkpointing[5] = 1;
	CU_ASSERT(fabs(db_result_dip(b.db, 5 * DB_SECOND + 1) - 40 / 104.0) < 1e-9);
	base_free(&b);
}

/* What ends in the ramp does not count. */
static void test_ramp(void)
{
	struct base b;

	base_make(&b, 2, SMALL);
	b.w[1]->counts_from_ns = UINT64_MAX;
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT_FALSE(b.db->actor[1].counting);
	CU_ASSERT_EQUAL(db_result(b.db), 0);
	CU_ASSERT(isnan(base_metric(&b, "tps")));
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	base_free(&b);
}

void test_plugin_database(void)
{
	CU_pSuite s = CU_add_suite("plugin_database", NULL, NULL);

	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_estimate);
	CU_ADD_TEST(s, test_run);
	CU_ADD_TEST(s, test_read_only);
	CU_ADD_TEST(s, test_each_second);
	CU_ADD_TEST(s, test_metrics);
	CU_ADD_TEST(s, test_rate);
	CU_ADD_TEST(s, test_background_writer);
	CU_ADD_TEST(s, test_dip);
	CU_ADD_TEST(s, test_ramp);
}
