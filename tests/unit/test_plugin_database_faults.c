/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload database: what it notices when data or calls go wrong, and what it removes. */
#define FSTRIAL_STATIC io_test_database_faults
#include "tests/unit/database_fixture.h"

void test_plugin_database_faults(void);

static void flip(const char *dir, const char *name, off_t at)
{
	char path[DB_FILE];
	unsigned char byte = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	CU_ASSERT_EQUAL(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	CU_ASSERT_EQUAL(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static bool says(const struct base *b, const char *part)
{
	return b->h->error && strstr(b->h->error, part);
}

static void expect_mismatch(struct base *b, const char *a, const char *c)
{
	CU_ASSERT_EQUAL(b->h->plugin->verify(&b->h->ctx), -EINVAL);
	CU_ASSERT(says(b, a));
	CU_ASSERT(says(b, c));
	free(b->h->error);
	b->h->error = NULL;
}

/* One changed page of the second file. */
static uint64_t changed_page(const struct base *b)
{
	uint64_t page = 128;

	while (page < b->db->pages - 1 && !b->db->shadow[page])
		page++;
	CU_ASSERT(b->db->shadow[page] != 0);
	return page;
}

/* One byte, a lost write, and a page in the wrong place are found. */
static void test_finds_bad_page(void)
{
	char *old = aligned_alloc(4096, 8192), *page = aligned_alloc(4096, 8192), text[128];
	struct base b;
	uint64_t n;
	off_t at;

	base_make(&b, 3, "transactions=100;distribution=uniform");
	CU_ASSERT_EQUAL(pread(b.db->file[1].fd, old, 8192, 0), 8192);
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	n = changed_page(&b);
	at = (off_t)(n - 128) * 8192;
	snprintf(text, sizeof(text), "table.1, page %llu at offset %llu: ", (unsigned long long)n,
		 (unsigned long long)at);
	flip(b.db->dir, "table.1", at + 5000);
	expect_mismatch(&b, text, "checksum: expected 0x");
	flip(b.db->dir, "table.1", at + 5000);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	/* As before its last change. */
	CU_ASSERT_EQUAL(pread(b.db->file[1].fd, page, 8192, at), 8192);
	((struct db_page *)page)->lsn--;
	db_page_seal(b.db, page);
	CU_ASSERT_EQUAL(pwrite(b.db->file[1].fd, page, 8192, at), 8192);
	expect_mismatch(&b, text, "LSN: expected 0x");
	((struct db_page *)page)->number++;
	db_page_seal(b.db, page);
	CU_ASSERT_EQUAL(pwrite(b.db->file[1].fd, page, 8192, at), 8192);
	expect_mismatch(&b, text, "page number: expected 0x");
	CU_ASSERT_EQUAL(ftruncate(b.db->file[1].fd, at + 100), 0);
	expect_mismatch(&b, text, "bytes that could be read: expected 0x2000, found 0x64");
	base_free(&b);
	free(old);
	free(page);
}

static void test_finds_bad_wal(void)
{
	struct base b;

	base_make(&b, 3, "transactions=50;checkpoint_wal=0");
	CU_ASSERT_EQUAL(base_run(&b), 0);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	flip(b.db->dir, "wal.00000000", 20000);
	expect_mismatch(&b, "/wal.00000000, record at offset ", ": expected 0x");
	flip(b.db->dir, "wal.00000000", 20000);
	CU_ASSERT_EQUAL(b.h->plugin->verify(&b.h->ctx), 0);
	/* A commit that was acknowledged is missing. */
	b.db->actor[2].sequence++;
	expect_mismatch(&b, "/wal.0000000", "commits of a worker: expected 0x33, found 0x32");
	base_free(&b);
}

/* A read notices, too, in the run. */
static void test_read_checks(void)
{
	struct base b;
	uint32_t f;

	base_make(&b, 2, "");
	flip(b.db->dir, "table.0", 3 * 8192 + 77);
	CU_ASSERT_EQUAL(db_pool_get(&b.db->actor[1], 3, &f), -EINVAL);
	CU_ASSERT(says(&b, "table.0, page 3 at offset 24576: checksum"));
	CU_ASSERT_EQUAL(db_pool_get(&b.db->actor[1], 3, &f), -EIO);
	CU_ASSERT_EQUAL(db_pool_get(&b.db->actor[1], 4, &f), 0);
	db_pool_put(&b.db->actor[1], f);
	base_free(&b);
}

/* The first error stops all, names file and offset, and what was counted stays. */
static void test_errors(void)
{
	static const struct {
		char op;
		int err;
		const char *text;
	} cases[] = {
		{ 'w', ENOSPC, "/database.0/" },
		{ 'd', EIO, "fdatasync " },
		{ 's', EIO, "fsync " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct base b;

		base_make(&b, 4, SMALL "transactions=100000");
		calls.fail_op = cases[i].op;
		calls.fail_errno = cases[i].err;
		CU_ASSERT(base_run(&b) >= 1);
		CU_ASSERT_EQUAL(b.h->err, cases[i].err);
		CU_ASSERT(says(&b, cases[i].text));
		CU_ASSERT(cases[i].op == 's' || says(&b, ", offset ") || says(&b, " at offset "));
		calls_clear();
		base_free(&b);
	}
}

/* Removes its own files only; and what another step has there is another's. */
static void test_cleanup(void)
{
	char path[DB_FILE];
	struct base a, b;
	int fd;

	base_make(&a, 2, "");
	snprintf(path, sizeof(path), "%s/table.7", a.db->dir);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	close(fd);
	CU_ASSERT_EQUAL(a.h->plugin->cleanup(&a.h->ctx), -ENOTEMPTY);
	CU_ASSERT_EQUAL(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/database.0", a.dir);
	CU_ASSERT_EQUAL(rmdir(path), 0); /* nothing else was left */
	memset(a.db, 0, sizeof(*a.db));
	base_free(&a);
	/* Two at once in one place. */
	base_make(&a, 2, "");
	base_make(&b, 2, "");
	rmdir(b.dir);
	CU_ASSERT_EQUAL(b.h->plugin->cleanup(&b.h->ctx), 0);
	memset(b.db, 0, sizeof(*b.db));
	b.h->ctx.dir = a.dir;
	CU_ASSERT_EQUAL(b.h->plugin->prepare(&b.h->ctx), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.db->dir, "/database.1"));
	snprintf(b.dir, sizeof(b.dir), "%.200s/x", a.dir);
	CU_ASSERT_EQUAL(mkdir(b.dir, 0700), 0);
	base_free(&b);
	base_free(&a);
}

void test_plugin_database_faults(void)
{
	CU_pSuite s = CU_add_suite("plugin_database_faults", NULL, NULL);

	CU_ADD_TEST(s, test_finds_bad_page);
	CU_ADD_TEST(s, test_finds_bad_wal);
	CU_ADD_TEST(s, test_read_checks);
	CU_ADD_TEST(s, test_errors);
	CU_ADD_TEST(s, test_cleanup);
}
