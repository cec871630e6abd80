/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workloads mailpool and fileserver: what a transaction is, and what is left. */
#define FSTRIAL_STATIC test_mailpool
#include "plugins/workload/mailpool.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC test_fileserver
#include "plugins/workload/fileserver.c"

#include <dirent.h>

#include "tests/unit/io_host.h"

void test_plugin_transactions(void);

static void host_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	(void)ctx;
	(void)key;
	(void)value;
}

static bool host_is_set(const struct fst_ctx *ctx, const char *param)
{
	(void)ctx;
	(void)param;
	return false;
}

static int FST_PRINTF(3, 0) host_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	return io_host_error(ctx, err ? err : EINVAL, fmt, ap);
}

static struct transactions_state transactions_state_;

static void transactions_host(struct io_host *h, const struct fstrial_plugin *p,
			      const struct transactions_cfg *cfg, uint32_t workers)
{
	io_host_init(h, p, NULL, cfg);
	h->table.error = host_error;
	h->table.note = host_note;
	h->table.is_set = host_is_set;
	h->ctx.nworkers = workers;
	memset(&transactions_state_, 0, sizeof(transactions_state_));
	h->ctx.state = &transactions_state_;
}

static const struct transactions_cfg transactions_plain = {
	.transactions = 300,
	.files = 40,
	.dirs = 3,
	.sizes = FILES_EXPONENTIAL,
	.size = 3000,
	.size_max = 100000,
	.append_size = 1000,
	.create_percent = 50,
	.read_percent = 50,
};

static uint64_t transactions_left(const char *dir)
{
	DIR *d = opendir(dir);
	uint64_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

/* Each action as often as the flow says, each write flushed, and as many files as at the start. */
static void test_varmail(void)
{
	struct transactions_cfg cfg = transactions_plain;
	struct io_host h;

	cfg.flow = TRANSACTIONS_VARMAIL;
	cfg.fsync = true;
	cfg.shared = true;
	cfg.transactions = 20;
	transactions_host(&h, &fstrial_plugin_test_mailpool, &cfg, 2);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.transaction.count"), 40);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count"), 40);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.delete.count"), 40);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read_append.count"), 40);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), 40);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.fsync.count"), 80);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_at_end.value"), 80);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.transaction_rate.value") > 0);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.fsync_mean.value") > 0);
	CU_ASSERT_EQUAL(transactions_left(h.dir), 0);
	io_host_free(&h);
}

static void test_fileserver(void)
{
	struct transactions_cfg cfg = transactions_plain;
	struct io_host h;

	cfg.flow = TRANSACTIONS_FILESERVER;
	transactions_host(&h, &fstrial_plugin_test_fileserver, &cfg, 3);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.transaction.count"), 900);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count"), 900);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.append.count"), 900);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.stat.count"), 900);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.fsync.count"), 0);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.files_at_end.value"), 120);
	CU_ASSERT_EQUAL(transactions_left(h.dir), 0);
	io_host_free(&h);
}

/* The pool neither dries up nor grows without end, however the shares are. */
static void test_postmark(void)
{
	static const uint64_t percents[] = { 50, 0, 100 };

	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		struct transactions_cfg cfg = transactions_plain;
		struct io_host h;
		double files;

		cfg.flow = TRANSACTIONS_POSTMARK;
		cfg.create_percent = percents[i];
		transactions_host(&h, &fstrial_plugin_test_mailpool, &cfg, 1);
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count") +
					io_host_u64(&h, "latency.delete.count"),
				300);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count") +
					io_host_u64(&h, "latency.append.count"),
				300);
		files = io_host_real(&h, "metrics.files_at_end.value");
		CU_ASSERT_EQUAL(files, 40.0 + (double)io_host_u64(&h, "latency.create.count") -
					       (double)io_host_u64(&h, "latency.delete.count"));
		CU_ASSERT_TRUE(files >= 1 && files <= 80);
		CU_ASSERT_EQUAL(transactions_left(h.dir), 0);
		io_host_free(&h);
	}
}

static void test_check(void)
{
	struct transactions_cfg cfg = transactions_plain;
	struct io_host h;

	cfg.transactions = 0;
	transactions_host(&h, &fstrial_plugin_test_mailpool, &cfg, 1);
	CU_ASSERT_EQUAL(transactions_check(&h.ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "has no end without a runtime"));
	err_clear(&h.err);
	cfg = transactions_plain;
	CU_ASSERT_EQUAL(transactions_check(&h.ctx), 0);
	cfg.size_min = 200000;
	CU_ASSERT_EQUAL(transactions_check(&h.ctx), -EINVAL);
	io_host_free(&h);
}

void test_plugin_transactions(void)
{
	CU_pSuite s = CU_add_suite("plugin/transactions", NULL, NULL);

	CU_ADD_TEST(s, test_varmail);
	CU_ADD_TEST(s, test_fileserver);
	CU_ADD_TEST(s, test_postmark);
	CU_ADD_TEST(s, test_check);
}
