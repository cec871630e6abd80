/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A real file below an engine as it was built, and the engine called as the core calls it. Loaded, for
 * engines have libraries that the tests are not linked with.
 */
#pragma once

#include <dlfcn.h>

#include "tests/unit/fake_host.h"
#include "tests/unit/io_host.h"
#include "unit_list.h"

enum { ENGINE_DEPTH = 16, ENGINE_BS = 4096, ENGINE_SIZE = 64 * ENGINE_BS };

struct engine_bench {
	char path[256];
	struct fst_engine_file files[3]; /* for reading and writing; none; for reading only */
	struct fst_engine e;
	struct fst_worker w;
	struct fake_host *h;
	struct fst_io_options options;
	const struct fst_engine_ops *ops;
	struct fst_io io[ENGINE_DEPTH];
	char *buf;
};

/* NULL: it was not built, its library is missing. */
static inline const struct fstrial_plugin *engine_load(const char *name)
{
	char path[4096];
	void *so;

	snprintf(path, sizeof(path), "%s/plugins/engine/%s.so", UNIT_BUILD, name);
	if (access(path, F_OK) < 0)
		return NULL;
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		fprintf(stderr, "%s\n", dlerror());
		abort();
	}
	return dlsym(so, "fstrial_plugin");
}

static inline char *engine_buf(const struct engine_bench *b, uint32_t i)
{
	return b->buf + (size_t)i * ENGINE_BS;
}

/* A file of ENGINE_SIZE whose blocks begin with their number; params: "a=1;b=2", or NULL. */
static inline void engine_bench_init(struct engine_bench *b, const struct fstrial_plugin *p,
				     const char *params, uint32_t depth)
{
	const char *tmp = getenv("TMPDIR");
	uint64_t *buf;

	memset(b, 0, sizeof(*b));
	b->ops = p->engine;
	b->h = fake_host_new(p);
	if (params)
		fake_host_params(b->h, params);
	b->options = (struct fst_io_options){ .struct_size = sizeof(b->options), .iodepth = depth };
	b->h->ctx.io = &b->options;
	/* Not on tmpfs, where the kernel passes all I/O to threads of its own. */
	snprintf(b->path, sizeof(b->path), "%s/fstrial-test-XXXXXX",
		 tmp && *tmp ? tmp : "/var/tmp");
	b->files[0].fd = mkostemp(b->path, O_CLOEXEC);
	b->files[1].fd = -1;
	b->files[2].fd = open(b->path, O_RDONLY | O_CLOEXEC);
	if (b->files[0].fd < 0 || b->files[2].fd < 0 ||
	    posix_memalign((void **)&b->buf, ENGINE_BS, (size_t)ENGINE_DEPTH * ENGINE_BS))
		abort();
	buf = (uint64_t *)(void *)b->buf;
	for (uint64_t i = 0; i < ENGINE_SIZE / ENGINE_BS; i++) {
		buf[0] = i;
		if (pwrite(b->files[0].fd, buf, ENGINE_BS, (off_t)(i * ENGINE_BS)) != ENGINE_BS)
			abort();
	}
	b->files[0].size = b->files[2].size = ENGINE_SIZE;
	b->w = (struct fst_worker){ .ctx = &b->h->ctx };
	b->e = (struct fst_engine){ .worker = &b->w,
				    .cfg = b->h->ctx.cfg,
				    .files = b->files,
				    .n_files = 3,
				    .depth = depth,
				    .buffers = b->buf,
				    .buffer_size = ENGINE_BS };
	b->e.state = calloc(1, p->state_size + 1);
	for (uint32_t i = 0; i < ENGINE_DEPTH; i++)
		b->io[i] = (struct fst_io){ .length = ENGINE_BS, .buf = engine_buf(b, i) };
}

static inline int engine_bench_open(struct engine_bench *b)
{
	return b->ops->open ? b->ops->open(&b->e) : 0;
}

static inline void engine_bench_free(struct engine_bench *b)
{
	if (b->ops->close)
		b->ops->close(&b->e);
	close(b->files[0].fd);
	if (b->files[2].fd >= 0)
		close(b->files[2].fd);
	unlink(b->path);
	free(b->e.state);
	free(b->buf);
	fake_host_free(b->h);
}

/* One I/O from begin to end; its result. */
static inline int64_t engine_do(struct engine_bench *b, uint16_t op, uint32_t file, uint64_t offset,
				uint64_t length)
{
	struct fst_io *io = &b->io[0], *done = NULL;
	int r;

	io->op = op;
	io->file = file;
	io->offset = offset;
	io->length = length;
	io->result = 77777;
	r = b->ops->queue(&b->e, io);
	if (r == 1)
		return io->result;
	CU_ASSERT_EQUAL_FATAL(r, 0);
	CU_ASSERT_TRUE(b->ops->submit(&b->e) >= 0);
	CU_ASSERT_EQUAL_FATAL(b->ops->reap(&b->e, 1, &done, 4), 1);
	CU_ASSERT_PTR_EQUAL(done, io);
	return io->result;
}

static inline uint64_t engine_block(const struct engine_bench *b, uint32_t buf)
{
	uint64_t v;

	memcpy(&v, engine_buf(b, buf), sizeof(v));
	return v;
}

/* What every engine must do with a file. */
static inline void engine_basics(struct engine_bench *b)
{
	struct stat st;
	int64_t r;

	CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 0, 5 * ENGINE_BS, ENGINE_BS), ENGINE_BS);
	CU_ASSERT_EQUAL(engine_block(b, 0), 5);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 2, 9 * ENGINE_BS, ENGINE_BS), ENGINE_BS);
	CU_ASSERT_EQUAL(engine_block(b, 0), 9);
	memset(b->buf, 'x', ENGINE_BS);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_WRITE, 0, 7 * ENGINE_BS, ENGINE_BS), ENGINE_BS);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_FSYNC, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_FDATASYNC, 0, 0, 0), 0);
	memset(b->buf, 0, ENGINE_BS);
	CU_ASSERT_EQUAL(pread(b->files[0].fd, b->buf, 2, 7 * ENGINE_BS + 4094), 2);
	CU_ASSERT_EQUAL(b->buf[1], 'x');
	/* The end of the file, and behind it. */
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 0, ENGINE_SIZE - 100, ENGINE_BS), 100);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 0, ENGINE_SIZE + 4096, ENGINE_BS), 0);
	r = engine_do(b, FST_IO_TRIM, 0, 7 * ENGINE_BS, ENGINE_BS);
	CU_ASSERT_TRUE(r == ENGINE_BS || r == -EOPNOTSUPP);
	if (r == ENGINE_BS) {
		CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 0, 7 * ENGINE_BS, ENGINE_BS), ENGINE_BS);
		CU_ASSERT_EQUAL(b->buf[4094], 0);
	}
	CU_ASSERT_EQUAL(fstat(b->files[0].fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, ENGINE_SIZE);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_WRITE, 2, 0, ENGINE_BS), -EBADF);
	CU_ASSERT_EQUAL(engine_do(b, FST_IO_READ, 0, 0, ENGINE_BS), ENGINE_BS); /* goes on */
	CU_ASSERT_PTR_NULL(b->h->error);
}

/* Files that the worker does not have. */
static inline void engine_no_file(struct engine_bench *b)
{
	static const uint16_t ops[] = { FST_IO_READ, FST_IO_WRITE, FST_IO_FSYNC, FST_IO_FDATASYNC,
					FST_IO_TRIM };

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		CU_ASSERT_EQUAL(engine_do(b, ops[i], 1, 0, ENGINE_BS), -EBADF);
}

/* Many in flight, some of which fail: every one comes back once, with its own result. */
static inline void engine_many(struct engine_bench *b)
{
	struct fst_io *done[ENGINE_DEPTH];
	uint32_t seen[ENGINE_DEPTH] = { 0 }, left, got = 0;

	for (int round = 0; round < 3; round++) {
		memset(seen, 0, sizeof(seen));
		for (uint32_t i = 0; i < ENGINE_DEPTH; i++) {
			struct fst_io *io = &b->io[i];

			memset(io->buf, 0xff, ENGINE_BS);
			io->op = i == 11 ? FST_IO_FSYNC : FST_IO_READ;
			io->file = i == 3 || i == 4 || i == 15 ? 1 : 0;
			io->offset = io->op == FST_IO_FSYNC ? 0 : (63 - i) * ENGINE_BS;
			io->length = io->op == FST_IO_FSYNC ? 0 : ENGINE_BS;
			if (i == 8)
				io->offset = ENGINE_SIZE - 8;
			CU_ASSERT_EQUAL_FATAL(b->ops->queue(&b->e, io), 0);
		}
		/* That is its depth: one more does not fit, or must not crash it. */
		CU_ASSERT_TRUE(b->ops->submit(&b->e) >= 0);
		for (left = ENGINE_DEPTH; left; left -= got) {
			int r = b->ops->reap(&b->e, left > 5 ? 5 : 1, done, 6);

			CU_ASSERT_TRUE_FATAL(r > 0 && r <= 6);
			got = (uint32_t)r;
			for (uint32_t k = 0; k < got; k++)
				seen[done[k] - b->io]++;
		}
		CU_ASSERT_EQUAL(b->ops->reap(&b->e, 0, done, ENGINE_DEPTH), 0);
		for (uint32_t i = 0; i < ENGINE_DEPTH; i++) {
			int64_t want = b->io[i].file ? -EBADF
				       : i == 8	     ? 8
						     : (int64_t)b->io[i].length;

			CU_ASSERT_EQUAL(seen[i], 1);
			CU_ASSERT_EQUAL(b->io[i].result, want);
			if (want == ENGINE_BS) {
				CU_ASSERT_EQUAL(engine_block(b, i), 63 - i);
			}
		}
	}
}

/* More than the depth is not taken. */
static inline void engine_full(const struct fstrial_plugin *engine)
{
	struct fst_io more = { .op = FST_IO_READ, .length = ENGINE_BS }, *done[ENGINE_DEPTH];
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, 4);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	more.buf = b.buf;
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(b.ops->queue(&b.e, &b.io[i]), 0);
	CU_ASSERT_EQUAL(b.ops->queue(&b.e, &more), -EAGAIN);
	CU_ASSERT_TRUE(b.ops->submit(&b.e) >= 0);
	for (int left = 4, r; left; left -= r) {
		r = b.ops->reap(&b.e, 1, done, 4);
		CU_ASSERT_TRUE_FATAL(r > 0 && r <= left);
	}
	engine_bench_free(&b);
}

/* Parameters against each other, and against those of the core. */
struct engine_check {
	const char *params;
	bool direct;
	uint32_t sync;	   /* enum fst_sync */
	const char *error; /* part of it; NULL: fine */
};

static inline void engine_checks(const struct fstrial_plugin *engine,
				 const struct engine_check *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct engine_bench b;

		engine_bench_init(&b, engine, cases[i].params, 1);
		b.options.direct = cases[i].direct;
		b.options.sync = cases[i].sync;
		CU_ASSERT_EQUAL(engine->check(&b.h->ctx), cases[i].error ? -EINVAL : 0);
		CU_ASSERT_TRUE(!cases[i].error ||
			       (b.h->error && strstr(b.h->error, cases[i].error)));
		engine_bench_free(&b);
	}
}

/* hipri: a device without poll queues would quietly be driven by interrupts. */
static inline void engine_probes_poll(const struct fstrial_plugin *engine)
{
	static const char *const params[] = { "hipri=false", "hipri=true" };
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[64];
	struct err e = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/queue", dir);
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/queue/io_poll", dir);
	for (int hipri = 0; hipri < 2; hipri++) {
		for (int polls = 0; polls < 2; polls++) {
			int refused = hipri && !polls;
			struct engine_bench b;
			FILE *f = fopen(path, "w");

			CU_ASSERT_PTR_NOT_NULL_FATAL(f);
			fprintf(f, "%d\n", polls);
			fclose(f);
			engine_bench_init(&b, engine, params[hipri], 1);
			b.h->ctx.sysfs = dir;
			CU_ASSERT_EQUAL(engine->probe(&b.h->ctx), refused ? -EOPNOTSUPP : 0);
			CU_ASSERT_EQUAL(b.h->error != NULL, refused);
			engine_bench_free(&b);
		}
	}
	CU_ASSERT_EQUAL(dir_remove_tree(dir, &e), 0);
}
