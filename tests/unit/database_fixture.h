/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plugin database in a directory of the test's own, with each system call that writes recorded,
 * and made to fail when the test says so. FSTRIAL_STATIC is defined by the includer.
 */
#pragma once

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/unit/fake_host.h"

enum { CALLS_MAX = 4096 };

struct calls {
	pthread_mutex_t lock;
	struct {
		char op; /* w write, s fsync, d fdatasync */
		int fd;
		uint64_t at, n;
	} v[CALLS_MAX];
	uint32_t n;
	uint32_t syncs;
	char fail_op; /* calls of this kind fail ... */
	int fail_fd;  /* on this descriptor, or -1: any */
	int fail_errno;
	void (*at_sync)(void); /* called in each fdatasync */
};

static struct calls calls = { .lock = PTHREAD_MUTEX_INITIALIZER, .fail_fd = -1 };

static int calls_note(char op, int fd, uint64_t at, uint64_t n)
{
	int fail = 0;

	pthread_mutex_lock(&calls.lock);
	if (calls.n < CALLS_MAX) {
		calls.v[calls.n].op = op;
		calls.v[calls.n].fd = fd;
		calls.v[calls.n].at = at;
		calls.v[calls.n++].n = n;
	}
	calls.syncs += op != 'w';
	if (calls.fail_op == op && (calls.fail_fd < 0 || calls.fail_fd == fd))
		fail = calls.fail_errno;
	pthread_mutex_unlock(&calls.lock);
	errno = fail;
	return fail ? -1 : 0;
}

static ssize_t calls_pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return calls_note('w', fd, (uint64_t)at, n) ? -1 : pwrite(fd, buf, n, at);
}

static ssize_t calls_pwritev(int fd, const struct iovec *iov, int n, off_t at)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += iov[i].iov_len;
	return calls_note('w', fd, (uint64_t)at, sum) ? -1 : pwritev(fd, iov, n, at);
}

static int calls_fsync(int fd)
{
	return calls_note('s', fd, 0, 0) ? -1 : fsync(fd);
}

static int calls_fdatasync(int fd)
{
	if (calls.at_sync)
		calls.at_sync();
	return calls_note('d', fd, 0, 0) ? -1 : fdatasync(fd);
}

#define DB_PWRITE calls_pwrite
#define DB_PWRITEV calls_pwritev
#define DB_PREAD pread
#define DB_FSYNC calls_fsync
#define DB_FDATASYNC calls_fdatasync
#include "plugins/workload/database.c"

/* Far too few pages in memory, and checkpoints all the time. */
#define SMALL "transactions=200;table_size=16MiB;cache=0;checkpoint_wal=512KiB;bgwriter_delay=10ms;"

struct base {
	struct fake_host *h;
	struct db *db;
	struct fst_worker *w[16];
	pthread_t thread[16];
	int ret[16];
	char dir[256];
};

static void calls_clear(void)
{
	calls.n = calls.syncs = 0;
	calls.fail_op = 0;
	calls.fail_fd = -1;
	calls.at_sync = NULL;
}

/* A table of 2 MiB in two files, a WAL of 1 MiB segments; more parameters as "name=value;...". */
static void base_make(struct base *b, uint32_t workers, const char *params)
{
	const char *tmp = getenv("TMPDIR");

	memset(b, 0, sizeof(*b));
	snprintf(b->dir, sizeof(b->dir), "%s/fstrial-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(b->dir))
		abort();
	b->h = fake_host_new(&FST_SYMBOL);
	fake_host_params(b->h, "table_size=2MiB;file_size=1MiB;wal_segment=1MiB;wal_segments=2;"
			       "wal_buffers=256KiB");
	fake_host_params(b->h, params);
	b->h->ctx.dir = b->dir;
	b->h->ctx.nworkers = workers;
	b->h->ctx.seed = 11;
	b->db = b->h->ctx.state;
	calls_clear();
	CU_ASSERT_EQUAL(b->h->plugin->prepare(&b->h->ctx), 0);
	for (uint32_t i = 0; i < workers; i++) {
		b->w[i] = fake_worker_new(b->h, i);
		CU_ASSERT_EQUAL(b->h->plugin->worker_init(b->w[i]), 0);
	}
	calls_clear();
}

static inline void *base_thread(void *arg)
{
	struct fst_worker *w = arg;
	int *ret = w->core;

	*ret = w->ctx->host && ((struct fake_host *)w->ctx->core)->plugin->run(w);
	if (*ret) /* as the host does */
		__atomic_store_n(&((struct fake_host *)w->ctx->core)->stop, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* All workers to their end; how many failed. */
static inline int base_run(struct base *b)
{
	int failed = 0;

	for (uint32_t i = 0; i < b->h->ctx.nworkers; i++) {
		b->w[i]->core = &b->ret[i];
		if (pthread_create(&b->thread[i], NULL, base_thread, b->w[i]))
			abort();
	}
	for (uint32_t i = 0; i < b->h->ctx.nworkers; i++) {
		pthread_join(b->thread[i], NULL);
		failed += b->ret[i] != 0;
	}
	return failed;
}

static inline double base_metric(const struct base *b, const char *name)
{
	const char *text = fake_host_find(&b->h->metrics, name);

	return text ? strtod(text, NULL) : -1;
}

/* Cleans up; the directory must be empty then. */
static void base_free(struct base *b)
{
	CU_ASSERT_EQUAL(b->h->plugin->cleanup(&b->h->ctx), 0);
	CU_ASSERT_EQUAL(rmdir(b->dir), 0);
	for (uint32_t i = 0; i < b->h->ctx.nworkers; i++)
		fake_worker_free(b->w[i]);
	fake_host_free(b->h);
	calls_clear();
}
