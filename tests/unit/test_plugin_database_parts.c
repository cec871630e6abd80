/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the parts of the workload database: choice of pages, WAL, group commit, doublewrite. */
#define FSTRIAL_STATIC io_test_database_parts
#include "tests/unit/database_fixture.h"

void test_plugin_database_parts(void);

static void test_crc(void)
{
	static struct db_crc c, soft;
	unsigned char buf[128];

	db_crc_init(&c);
	soft = c;
	soft.hardware = false;
	CU_ASSERT_EQUAL(db_crc32c(&c, 0, "123456789", 9), 0xe3069283u);
	CU_ASSERT_EQUAL(db_crc32c(&soft, 0, "123456789", 9), 0xe3069283u);
	CU_ASSERT_EQUAL(db_crc32c(&c, db_crc32c(&c, 0, "1234", 4), "56789", 5), 0xe3069283u);
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (unsigned char)(i * 37 + 5);
	for (size_t at = 0; at < 9; at++)
		for (size_t n = 0; n + at <= sizeof(buf); n++)
			CU_ASSERT_EQUAL(db_crc32c(&c, 0, buf + at, n),
					db_crc32c(&soft, 0, buf + at, n));
}

static void test_permutation(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 64, 100, 4096, 4097, 65537 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct db_pick p = { .n = sizes[k], .theta = 1.07 };
		unsigned char *seen = calloc(p.n, 1);
		uint64_t twice = 0, neighbours = 0, last = 0;

		db_pick_init(&p, 3);
		for (uint64_t i = 0; i < p.n; i++) {
			uint64_t page = db_pick_permute(&p, i);

			CU_ASSERT_FATAL(page < p.n);
			twice += seen[page];
			seen[page] = 1;
			neighbours += i && (page == last + 1 || page + 1 == last);
			last = page;
		}
		CU_ASSERT_EQUAL(twice, 0);
		/* By chance 2 of n are. */
		CU_ASSERT(neighbours <= 12 || p.n < 64);
		free(seen);
	}
}

/* Shares that ranks get, against the law. */
static void test_distributions(void)
{
	static const struct {
		int distribution;
		double theta, first, hot;
	} cases[] = {
		{ DB_UNIFORM, 1, 0.001, 0.2 }, { DB_HOT, 1, 0.004, 0.8 }, { DB_ZIPF, 0.99, 0, 0 },
		{ DB_ZIPF, 1, 0, 0 },	       { DB_ZIPF, 1.07, 0, 0 },	  { DB_ZIPF, 2, 0, 0 },
	};
	struct fake_host *h = fake_host_new(&FST_SYMBOL);
	struct fst_worker *w = fake_worker_new(h, 0);
	const int samples = 400000;

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct db_pick p = { .n = 1000,
				     .distribution = cases[k].distribution,
				     .hot = 200,
				     .hot_share = 0.8,
				     .theta = cases[k].theta };
		double sum = 0, hot = 0, first = cases[k].first, share = cases[k].hot;
		int n_first = 0, n_hot = 0;

		for (int i = 1; i <= 1000; i++) {
			sum += pow(i, -p.theta);
			hot += i <= 200 ? pow(i, -p.theta) : 0;
		}
		if (p.distribution == DB_ZIPF) {
			first = 1 / sum;
			share = hot / sum;
		}
		db_pick_init(&p, 1);
		for (int i = 0; i < samples; i++) {
			uint64_t rank = db_pick_rank(&p, w);

			CU_ASSERT_FATAL(rank < 1000);
			n_first += rank == 0;
			n_hot += rank < 200;
		}
		/* Six standard deviations. */
		CU_ASSERT(fabs(n_first - first * samples) < 6 * sqrt(first * samples));
		CU_ASSERT(fabs(n_hot - share * samples) < 6 * sqrt(share * samples));
	}
	fake_worker_free(w);
	fake_host_free(h);
}

static void test_sort(void)
{
	uint64_t v[257];

	for (size_t n = 0; n <= 257; n++) {
		uint64_t sum = 0;
		bool ordered = true;

		for (size_t i = 0; i < n; i++)
			sum += v[i] = db_mix(i + n) % 100;
		db_sort(v, n);
		for (size_t i = 0; i < n; i++) {
			ordered = ordered && (!i || v[i - 1] <= v[i]);
			sum -= v[i];
		}
		CU_ASSERT(ordered && sum == 0);
	}
}

static uint64_t wal_add(struct base *b, uint32_t worker, uint16_t type, uint32_t n)
{
	struct db_insert in = { .head = { .type = type, .page = 77 },
				.body = b->db->noise,
				.n_body = n };
	uint64_t lsn = 0;

	CU_ASSERT_EQUAL(db_wal_insert(&b->db->actor[worker], &in, &lsn), 0);
	return lsn;
}

static uint64_t wal_read(struct base *b, uint64_t segment, uint64_t at, void *buf, size_t n)
{
	char path[DB_FILE];
	ssize_t got;
	int fd;

	db_seg_path(b->db, segment, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = pread(fd, buf, n, (off_t)at);
	close(fd);
	return got < 0 ? 0 : (uint64_t)got;
}

/* Records lie one behind the other; a flush writes whole blocks, and the last one again. */
static void test_wal_layout(void)
{
	const uint32_t head = sizeof(struct db_record);
	static char block[16384];
	struct db_record r;
	struct base b;

	base_make(&b, 2, "");
	CU_ASSERT_EQUAL(wal_add(&b, 1, DB_RECORD_UPDATE, 300), head + 300);
	CU_ASSERT_EQUAL(wal_add(&b, 1, DB_RECORD_UPDATE, 500), 2 * head + 800);
	CU_ASSERT_EQUAL(calls.n, 0);
	CU_ASSERT_EQUAL(db_wal_flush(&b.db->actor[1], 2 * head + 800, false), 0);
	CU_ASSERT_EQUAL_FATAL(calls.n, 2);
	CU_ASSERT(calls.v[0].op == 'w' && calls.v[0].at == 0 && calls.v[0].n == 8192);
	CU_ASSERT(calls.v[1].op == 'd' && calls.v[1].fd == calls.v[0].fd);
	CU_ASSERT_EQUAL(wal_read(&b, 0, 0, block, sizeof(block)), sizeof(block));
	memcpy(&r, block + head + 300, sizeof(r));
	CU_ASSERT_EQUAL(r.lsn, head + 300);
	CU_ASSERT_EQUAL(r.length, head + 500);
	CU_ASSERT_EQUAL(r.page, 77);
	CU_ASSERT_EQUAL(memcmp(block + 2 * head + 300, b.db->noise, 500), 0);
	CU_ASSERT_EQUAL(block[2 * head + 800], 0);
	/* Into the third block: from the first on, which was not full. */
	wal_add(&b, 1, DB_RECORD_UPDATE, 8000);
	CU_ASSERT_EQUAL(wal_add(&b, 1, DB_RECORD_UPDATE, 8000), 4 * head + 16800);
	calls_clear();
	CU_ASSERT_EQUAL(db_wal_flush_all(&b.db->actor[1]), 0);
	CU_ASSERT_EQUAL_FATAL(calls.n, 2);
	CU_ASSERT(calls.v[0].at == 0 && calls.v[0].n == 3 * 8192);
	/* Done already. */
	calls_clear();
	CU_ASSERT_EQUAL(db_wal_flush(&b.db->actor[1], 100, false), 0);
	CU_ASSERT_EQUAL(calls.n, 0);
	CU_ASSERT_EQUAL(b.db->wal.count.flushes, 2);
	CU_ASSERT_EQUAL(db_verify_wal(b.db), 0);
	base_free(&b);
}

/* Segment by segment, each synced; and whoever finds the buffers full flushes. */
static void test_wal_segments(void)
{
	struct base b;
	uint64_t lsn = 0;

	base_make(&b, 2, "wal_prealloc=fallocate");
	for (int i = 0; i < 600; i++)
		lsn = wal_add(&b, 1, DB_RECORD_UPDATE, 4096);
	CU_ASSERT(b.db->wal.count.flushes >= lsn / (256 * 1024));
	CU_ASSERT_EQUAL(db_wal_flush_all(&b.db->actor[1]), 0);
	for (uint32_t i = 0; i < calls.n; i++) /* all but the new segment's directory */
		if (calls.v[i].op == 'w')
			CU_ASSERT(calls.v[i].at + calls.v[i].n <= 1 << 20 &&
				  calls.v[i].n % 8192 == 0 && calls.v[i + 1].op == 'd');
	CU_ASSERT_EQUAL(b.db->wal.seg.last, lsn >> 20);
	CU_ASSERT_EQUAL(b.db->wal.seg.created, (lsn >> 20) + 1);
	CU_ASSERT_EQUAL(db_verify_wal(b.db), 0);
	/* Those before the redo become future ones, and no longer hold what they held. */
	CU_ASSERT_EQUAL(db_checkpoint_finish(&b.db->actor[0], db_checkpoint_redo(b.db)), 0);
	CU_ASSERT_EQUAL(b.db->wal.seg.first, lsn >> 20);
	CU_ASSERT_EQUAL(b.db->wal.seg.recycled, 2);
	CU_ASSERT_EQUAL(b.db->wal.seg.last, (lsn >> 20) + 2);
	for (int i = 0; i < 600; i++)
		wal_add(&b, 1, DB_RECORD_UPDATE, 4096);
	CU_ASSERT_EQUAL(db_wal_flush_all(&b.db->actor[1]), 0);
	CU_ASSERT_EQUAL(b.db->wal.seg.created, (lsn >> 20) + 1);
	CU_ASSERT_EQUAL(db_verify_wal(b.db), 0);
	base_free(&b);
}

static void test_wal_sync_methods(void)
{
	static const struct {
		const char *param;
		const char *want; /* calls of one flush */
	} cases[] = {
		{ "wal_sync=fdatasync", "wd" },	      { "wal_sync=fsync", "ws" },
		{ "wal_sync=open_dsync", "w" },	      { "wal_sync=open_sync", "w" },
		{ "wal_sync=sync_file_range", "wd" }, { "wal_sync=none", "w" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char got[8] = "";
		struct base b;
		int flags, want = 0;

		base_make(&b, 2, cases[i].param);
		wal_add(&b, 1, DB_RECORD_UPDATE, 300);
		CU_ASSERT_EQUAL(db_wal_flush_all(&b.db->actor[1]), 0);
		for (uint32_t k = 0; k < calls.n && k < sizeof(got) - 1; k++)
			got[k] = calls.v[k].op;
		CU_ASSERT_STRING_EQUAL(got, cases[i].want);
		flags = fcntl(b.db->wal.seg.fd, F_GETFL);
		want = b.db->cfg.wal_sync == DB_SYNC_OPEN_DSYNC	 ? O_DSYNC
		       : b.db->cfg.wal_sync == DB_SYNC_OPEN_SYNC ? O_SYNC
								 : 0;
		CU_ASSERT_EQUAL(flags & O_SYNC, want);
		base_free(&b);
	}
}

static struct db_wal *full_wal;

/* The first flush ends when everybody else is waiting. */
static void wait_for_all(void)
{
	bool all = false;

	while (!all) {
		pthread_mutex_lock(&full_wal->lock);
		all = full_wal->n_pending == 8 || full_wal->count.flushes;
		pthread_mutex_unlock(&full_wal->lock);
		sched_yield();
	}
}

static void *commit_once(void *arg)
{
	return (void *)(intptr_t)db_client_commit(arg);
}

/* Eight commits at once are one flush for the first and one for the rest. */
static void test_group_commit(void)
{
	pthread_t thread[8];
	struct base b;

	base_make(&b, 9, "");
	full_wal = &b.db->wal;
	calls.at_sync = wait_for_all;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&thread[i], NULL, commit_once, &b.db->actor[i + 1]))
			abort();
	for (int i = 0; i < 8; i++) {
		void *r = NULL;

		pthread_join(thread[i], &r);
		CU_ASSERT_PTR_NULL(r);
	}
	CU_ASSERT_EQUAL(b.db->wal.count.commits, 8);
	CU_ASSERT(b.db->wal.count.flushes <= 2);
	CU_ASSERT_EQUAL(b.db->wal.flushed, b.db->wal.insert);
	CU_ASSERT_EQUAL(b.db->wal.n_pending, 0);
	CU_ASSERT_EQUAL(calls.syncs, b.db->wal.count.flushes);
	CU_ASSERT_EQUAL(db_verify_wal(b.db), 0);
	base_free(&b);
}

/* max_group cuts a flush behind so many commits; the window waits for that many. */
static void test_group_limit(void)
{
	const uint64_t one = sizeof(struct db_record) + DB_COMMIT_BODY;
	struct base b;

	base_make(&b, 9, "max_group=2;group_commit_window=1s");
	for (uint32_t i = 1; i <= 5; i++)
		CU_ASSERT_EQUAL(wal_add(&b, i, DB_RECORD_COMMIT, DB_COMMIT_BODY), i * one);
	CU_ASSERT_EQUAL(db_wal_flush(&b.db->actor[1], one, true), 0);
	CU_ASSERT_EQUAL(b.db->wal.flushed, 2 * one);
	CU_ASSERT_EQUAL(b.db->wal.n_pending, 3);
	CU_ASSERT_EQUAL(b.db->wal.count.commits, 2);
	CU_ASSERT_EQUAL(db_wal_flush(&b.db->actor[5], 5 * one, false), 0);
	CU_ASSERT_EQUAL(b.db->wal.count.flushes, 3);
	CU_ASSERT_EQUAL(b.db->wal.count.commits, 5);
	base_free(&b);
}

static uint32_t make_dirty(struct base *b, uint64_t page)
{
	uint32_t f = 0;

	CU_ASSERT_EQUAL(db_client_update(&b->db->actor[1], page), 0);
	CU_ASSERT_FATAL(db_pool_find(&b->db->pool, page, &f));
	return f;
}

/* First the WAL, then the copies in a row and their sync, then each in its place, then its file. */
static void test_doublewrite_order(void)
{
	const int *fd;
	struct base b;
	uint32_t n = 0;
	int wal;

	base_make(&b, 2, "model=innodb");
	for (uint64_t page = 3; page < 7; page++)
		CU_ASSERT_EQUAL(db_flush_frame(&b.db->actor[0], make_dirty(&b, page)), 0);
	calls_clear();
	CU_ASSERT_EQUAL(db_flush_batch(&b.db->actor[0]), 0);
	wal = b.db->wal.seg.fd;
	CU_ASSERT_EQUAL_FATAL(calls.n, 9);
	CU_ASSERT(calls.v[n].op == 'w' && calls.v[n].fd == wal && calls.v[n].n % 512 == 0);
	n++;
	CU_ASSERT(calls.v[n].op == 'd' && calls.v[n].fd == wal);
	n++;
	CU_ASSERT(calls.v[n].op == 'w' && calls.v[n].fd == b.db->doublewrite &&
		  calls.v[n].n == 4 * 16384 && calls.v[n].at == 0);
	n++;
	CU_ASSERT(calls.v[n].op == 's' && calls.v[n].fd == b.db->doublewrite);
	fd = &b.db->file[0].fd;
	for (uint64_t i = 0; i < 4; i++) {
		n++;
		CU_ASSERT(calls.v[n].op == 'w' && calls.v[n].fd == *fd &&
			  calls.v[n].at == (3 + i) * 16384 && calls.v[n].n == 16384);
	}
	n++;
	CU_ASSERT(calls.v[n].op == 's' && calls.v[n].fd == *fd);
	CU_ASSERT_EQUAL(b.db->actor[0].count.doublewrite, b.db->actor[0].count.data);
	CU_ASSERT_EQUAL(db_verify(b.db), 0);
	base_free(&b);
}

/* The whole page goes into the WAL the first time after a checkpoint began, and only then. */
static void test_full_page_images(void)
{
	const uint64_t most = 800 + sizeof(struct db_record);
	uint64_t before;
	struct base b;

	base_make(&b, 2, "");
	for (int i = 0; i < 3; i++) {
		uint32_t f = make_dirty(&b, 9);

		b.db->pool.frame[f].pins--;
		CU_ASSERT_EQUAL(b.db->wal.count.images, 1);
	}
	db_checkpoint_redo(b.db);
	before = b.db->wal.insert;
	b.db->pool.frame[make_dirty(&b, 9)].pins--;
	CU_ASSERT_EQUAL(b.db->wal.count.images, 2);
	CU_ASSERT(b.db->wal.insert - before > 8192 && b.db->wal.insert - before <= 8192 + most);
	CU_ASSERT_EQUAL(db_verify(b.db), 0);
	base_free(&b);
	base_make(&b, 2, "full_page_images=false");
	b.db->pool.frame[make_dirty(&b, 9)].pins--;
	CU_ASSERT_EQUAL(b.db->wal.count.images, 0);
	CU_ASSERT(b.db->wal.insert <= most);
	base_free(&b);
}

void test_plugin_database_parts(void)
{
	CU_pSuite s = CU_add_suite("plugin_database_parts", NULL, NULL);

	CU_ADD_TEST(s, test_crc);
	CU_ADD_TEST(s, test_permutation);
	CU_ADD_TEST(s, test_distributions);
	CU_ADD_TEST(s, test_sort);
	CU_ADD_TEST(s, test_wal_layout);
	CU_ADD_TEST(s, test_wal_segments);
	CU_ADD_TEST(s, test_wal_sync_methods);
	CU_ADD_TEST(s, test_group_commit);
	CU_ADD_TEST(s, test_group_limit);
	CU_ADD_TEST(s, test_doublewrite_order);
	CU_ADD_TEST(s, test_full_page_images);
}
