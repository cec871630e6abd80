/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A registry of small plugins, and jobs given as text. */
#include "job_fixture.h"

#include <stdio.h>
#include <string.h>

#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

#define AT(type, member) .offset = offsetof(struct type, member), .doc = "For tests."

static const struct fst_param mkfs_params[] = {
	{ .name = "fs", .type = FST_STR, .flags = FST_REQUIRED, AT(mkfs_cfg, fs) },
	{ .name = "agcount", .type = FST_U64, .min = "1", .max = "1000", AT(mkfs_cfg, agcount) },
	{ .name = "agsize", .type = FST_SIZE, .min = "16MiB", .max = "1TiB", AT(mkfs_cfg, agsize) },
};

static const struct fst_choice tune_choices[] = {
	{ "slow", 10, "Slow." },
	{ "fast", 20, "Fast." },
};

static const struct fst_param tune_params[] = {
	{ .name = "flag", .type = FST_BOOL, .def = "true", AT(tune_cfg, flag) },
	{ .name = "signed_n", .type = FST_I64, .min = "-5", .max = "5", AT(tune_cfg, signed_n) },
	{ .name = "n",
	  .alias = "number",
	  .type = FST_U64,
	  .def = "2*cpus",
	  .max = "1000000",
	  AT(tune_cfg, n) },
	{ .name = "ratio",
	  .type = FST_F64,
	  .min = "0",
	  .max = "1.5",
	  .def = "0.5",
	  AT(tune_cfg, ratio) },
	{ .name = "text", .type = FST_STR, AT(tune_cfg, text) },
	{ .name = "path", .type = FST_PATH, AT(tune_cfg, path) },
	{ .name = "choice",
	  .type = FST_ENUM,
	  .def = "slow",
	  FST_CHOICES(tune_choices),
	  AT(tune_cfg, choice) },
	{ .name = "size", .type = FST_SIZE, .min = "4KiB", AT(tune_cfg, size) },
	{ .name = "time",
	  .type = FST_TIME,
	  .def = "10s",
	  .min = "1ms",
	  .max = "1h",
	  AT(tune_cfg, time) },
	{ .name = "list", .type = FST_LIST, AT(tune_cfg, list) },
};

static const struct fst_choice rw_choices[] = {
	{ "read", 0, "Reads." },
	{ "write", 1, "Writes." },
};

static const struct fst_param sequential_params[] = {
	{ .name = "rw",
	  .type = FST_ENUM,
	  .def = "read",
	  FST_CHOICES(rw_choices),
	  AT(sequential_cfg, rw) },
};

#define METRIC(n, u) { .name = (n), .unit = (u), .better = FST_HIGHER, .doc = "For tests." }

static const struct fst_metric sequential_metrics[] = {
	METRIC("throughput", "bytes/s"), METRIC("iops", "ops/s"), METRIC("write_p99", "ns"),
	METRIC("space", "bytes"),	 METRIC("extents", "count"), METRIC("fill", "ratio"),
};

static const struct fst_metric ops_metrics[] = { METRIC("link_rate", "ops/s") };

static const struct fst_op_kind ops_kinds[] = {
	{ .name = "link", .doc = "For tests." },
	{ .name = "unlink", .doc = "For tests." },
};

struct one_cfg {
	uint64_t v;
};

static const struct fst_param clash_params[] = {
	{ .name = "bs", .type = FST_SIZE, AT(one_cfg, v) }
};
static const struct fst_param ring_params[] = {
	{ .name = "sqpoll", .type = FST_U64, .def = "7", AT(one_cfg, v) }
};

static int fixture_next(struct fst_worker *w, struct fst_io *io)
{
	(void)w;
	(void)io;
	return FST_NEXT_END;
}

static int fixture_run(struct fst_worker *w)
{
	(void)w;
	return 0;
}

static const struct fst_engine_ops psync_ops = { .struct_size = sizeof(psync_ops),
						 .flags = FST_ENGINE_SYNC };
static const struct fst_engine_ops ring_ops = { .struct_size = sizeof(ring_ops), .max_depth = 64 };
static const struct fst_engine_ops deep_ops = { .struct_size = sizeof(deep_ops) };

#define PLUGIN(k, n)                                                                      \
	.magic = FST_MAGIC, .abi = FST_ABI, .struct_size = sizeof(struct fstrial_plugin), \
	.kind = (k), .name = (n)

/* Sorted by kind, then name. */
static struct plugin plugins[] = {
	{ .desc = { PLUGIN(FST_SETUP, "mkfs"), FST_PARAMS(mkfs_params),
		    .cfg_size = sizeof(struct mkfs_cfg) } },
	{ .desc = { PLUGIN(FST_SETUP, "tune"), FST_PARAMS(tune_params),
		    .cfg_size = sizeof(struct tune_cfg) } },
	{ .desc = { PLUGIN(FST_WORKLOAD, "clash"), FST_PARAMS(clash_params),
		    .cfg_size = sizeof(struct one_cfg), .next = fixture_next } },
	{ .desc = { PLUGIN(FST_WORKLOAD, "ops"), .max_workers = 4, FST_METRICS(ops_metrics),
		    FST_OPS(ops_kinds), .run = fixture_run } },
	{ .desc = { PLUGIN(FST_WORKLOAD, "sequential"), FST_PARAMS(sequential_params),
		    FST_METRICS(sequential_metrics),
		    .cfg_size = sizeof(struct sequential_cfg), .next = fixture_next } },
	{ .desc = { PLUGIN(FST_ENGINE, "deep"), .engine = &deep_ops } },
	{ .desc = { PLUGIN(FST_ENGINE, "psync"), .engine = &psync_ops } },
	{ .desc = { PLUGIN(FST_ENGINE, "ring"), FST_PARAMS(ring_params),
		    .cfg_size = sizeof(struct one_cfg), .engine = &ring_ops } },
};

const struct registry *fixture_registry(void)
{
	static struct plugin *pointers[ARRAY_SIZE(plugins)];
	static struct registry reg;

	for (size_t i = 0; i < ARRAY_SIZE(plugins); i++)
		pointers[i] = &plugins[i];
	reg.v = pointers;
	reg.n = ARRAY_SIZE(plugins);
	return &reg;
}

void fixture_open(struct fixture *f)
{
	char dir[] = "/tmp/fstrial-job-XXXXXX";

	*f = (struct fixture){ 0 };
	f->dir = xstrdup(mkdtemp(dir) ? dir : "/nonexistent");
	f->opt.set = f->set;
}

void fixture_write(struct fixture *f, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->dir, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	if (dir_make(path, 0755, NULL))
		perror(path);
	*slash = '/';
	if (file_write_atomic(path, text, strlen(text), NULL))
		perror(path);
}

char *fixture_diag_text(struct diag *d)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	diag_print(d, out);
	fclose(out);
	return text;
}

/* Takes the directory out of the messages. */
static char *fixture_strip(char *text, const char *dir)
{
	size_t len = strlen(dir) + 1;

	for (char *at = text; (at = strstr(at, dir));)
		memmove(at, at + len, strlen(at + len) + 1);
	return text;
}

static void fixture_unload(struct fixture *f)
{
	job_release(&f->job);
	diag_free(&f->d);
	free(f->said);
	f->said = NULL;
}

void fixture_load(struct fixture *f, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/t.job", f->dir);

	fixture_unload(f);
	if (text)
		fixture_write(f, "t.job", text);
	for (f->opt.n_set = 0; f->opt.n_set < ARRAY_SIZE(f->set) && f->set[f->opt.n_set];)
		f->opt.n_set++;
	f->ret = job_load(path, &f->opt, fixture_registry(), &f->job, &f->d);
	f->said = fixture_strip(fixture_diag_text(&f->d), f->dir);
}

void fixture_close(struct fixture *f)
{
	fixture_unload(f);
	if (dir_remove_tree(f->dir, NULL))
		perror(f->dir);
	free(f->dir);
}

bool fixture_same(const char *got, const char *expected)
{
	if (str_eq(got, expected))
		return true;
	fprintf(stderr, "\n--- got\n%s--- expected\n%s---\n", got, expected);
	return false;
}

bool fixture_says(const char *text, const char *expected)
{
	struct fixture f;
	bool same;

	fixture_open(&f);
	fixture_load(&f, text);
	same = fixture_same(f.said, expected) && (f.ret == 0) == !*expected;
	if (!same)
		fprintf(stderr, "job: %s\n", text);
	fixture_close(&f);
	return same;
}

bool fixture_steps_say(const char *steps, const char *expected)
{
	_cleanup_free_ char *text = xasprintf("steps = (\n%s\n);\n", steps);

	return fixture_says(text, expected);
}
