/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload metadata: names, orders, sizes without lists, and phases on real files. */
#define FSTRIAL_STATIC test_metadata
#include "plugins/workload/metadata.c"

#include "tests/unit/io_host.h"

void test_plugin_metadata(void);

#define METADATA (&fstrial_plugin_test_metadata)

/* All numbers once: a permutation, whatever the count. */
static void test_order_is_permutation(void)
{
	static const uint64_t counts[] = { 1, 2, 3, 7, 8, 9, 1000, 1024, 1025, 65537 };
	static char seen[65537];

	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		for (uint64_t seed = 0; seed < 3; seed++) {
			struct files_order o;
			uint64_t bad = 0, same = 0;

			memset(seen, 0, sizeof(seen));
			files_order_init(&o, counts[c], seed);
			for (uint64_t i = 0; i < counts[c]; i++) {
				uint64_t at = files_order_at(&o, i);

				same += at == i;
				bad += at >= counts[c] || seen[at]++;
			}
			CU_ASSERT_EQUAL(bad, 0);
			if (counts[c] >= 1000)
				CU_ASSERT_TRUE(same < counts[c] / 50);
		}
	}
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

enum { NAMES = 20000, NAME_LENGTH = 24 };

static void test_names(void)
{
	static char names[NAMES][NAME_LENGTH + 1];
	static const int kinds[] = { FILES_SEQUENTIAL, FILES_RANDOM, FILES_HASHED };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct files_namer n;
		char again[NAME_LENGTH + 1];
		uint64_t equal = 0, sorted = 0, wrong = 0;

		files_namer_init(&n, kinds[k], NAME_LENGTH, 42);
		for (uint64_t i = 0; i < NAMES; i++) {
			files_name(&n, names[i], 'f', i * 977);
			wrong += strlen(names[i]) != NAME_LENGTH || names[i][0] != 'f' ||
				 strchr(names[i], '/') != NULL;
			sorted += i && strcmp(names[i - 1], names[i]) < 0;
		}
		files_name(&n, again, 'f', 5 * 977);
		CU_ASSERT_STRING_EQUAL(again, names[5]);
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT_TRUE(kinds[k] == FILES_SEQUENTIAL ? sorted == NAMES - 1
							    : sorted < NAMES * 2 / 3);
		qsort(names, NAMES, sizeof(names[0]), name_compare);
		for (size_t i = 1; i < NAMES; i++)
			equal += !strcmp(names[i - 1], names[i]);
		CU_ASSERT_EQUAL(equal, 0);
	}
}

static double size_mean(const struct files_size *s, uint64_t *min, uint64_t *max)
{
	double sum = 0;

	*min = UINT64_MAX;
	*max = 0;
	for (uint64_t i = 0; i < 200000; i++) {
		uint64_t v = files_size_at(s, i);

		sum += (double)v;
		*min = MIN(*min, v);
		*max = MAX(*max, v);
	}
	return sum / 200000;
}

static void test_sizes(void)
{
	struct files_size fixed = { .kind = FILES_FIXED, .size = 777, .min = 1, .max = 2 };
	struct files_size uniform = { .kind = FILES_UNIFORM, .min = 16, .max = 100000, .seed = 1 };
	struct files_size lognormal = {
		.kind = FILES_LOGNORMAL, .size = 20000, .sigma = 1, .seed = 2
	};
	struct files_size exponential = { .kind = FILES_EXPONENTIAL, .size = 8192, .seed = 3 };
	struct files_size narrow = {
		.kind = FILES_EXPONENTIAL, .size = 8192, .min = 4096, .max = 9000
	};
	struct files_size two = { .kind = FILES_UNIFORM, .min = 5, .max = 6 };
	uint64_t min, max;

	CU_ASSERT_EQUAL(size_mean(&fixed, &min, &max), 777);
	CU_ASSERT_DOUBLE_EQUAL(size_mean(&uniform, &min, &max), 50008, 500);
	CU_ASSERT_TRUE(min >= 16 && min < 30 && max <= 100000 && max > 99980);
	CU_ASSERT_DOUBLE_EQUAL(size_mean(&lognormal, &min, &max), 20000, 600);
	CU_ASSERT_DOUBLE_EQUAL(size_mean(&exponential, &min, &max), 8192, 200);
	size_mean(&narrow, &min, &max);
	CU_ASSERT_EQUAL(min, 4096);
	CU_ASSERT_EQUAL(max, 9000);
	CU_ASSERT_DOUBLE_EQUAL(size_mean(&two, &min, &max), 5.5, 0.02);
	CU_ASSERT_EQUAL(min, 5);
	CU_ASSERT_EQUAL(max, 6);
}

/* ---- real files ------------------------------------------------------------------------------ */

static void FST_PRINTF(2, 0) host_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	struct io_host *h = ctx->core;
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	pthread_mutex_lock(&h->lock);
	js_push(json_object_get(h->record, "warnings"), js_str(text));
	pthread_mutex_unlock(&h->lock);
}

/* As the program does: a text that says it all goes with EINVAL. */
static int FST_PRINTF(3, 0) host_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	return io_host_error(ctx, err ? err : EINVAL, fmt, ap);
}

static void host_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	(void)ctx;
	(void)key;
	(void)value;
}

#define PHASES(...)                                                                 \
	{                                                                           \
		.n = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), \
		.v = (const char *const[])                                          \
		{                                                                   \
			__VA_ARGS__                                                 \
		}                                                                   \
	}

static const struct metadata_cfg metadata_plain = {
	.files = 100,
	.dirs = 1,
	.width = 2,
	.name_length = 16,
	.append_size = 4096,
	.xattr_size = 32,
	.size_sigma = 1.5,
	.mix_operations = 2000,
};

static void metadata_host(struct io_host *h, const struct metadata_cfg *cfg, uint32_t workers)
{
	io_host_init(h, METADATA, NULL, cfg);
	h->table.error = host_error;
	h->table.warning = host_warning;
	h->table.note = host_note;
	h->ctx.nworkers = workers;
}

/* In a new process, as it were. */
static int metadata_step(struct io_host *h)
{
	static struct metadata_state state;

	memset(&state, 0, sizeof(state));
	h->ctx.state = &state;
	return io_host_run(h);
}

static uint64_t metadata_entries(const char *dir)
{
	DIR *d = opendir(dir);
	uint64_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

/* Each phase does each file once, in every order and layout, and nothing is left. */
static void test_counts(void)
{
	static const char *const kinds[] = { "create", "stat",	  "open_read_close", "append",
					     "rename", "link",	  "symlink",	     "chmod",
					     "mkdir",  "utimens", "truncate",	     "rmdir",
					     "unlink", "unlink_link",  "unlink_symlink" };

	for (int c = 0; c < 12; c++) {
		struct metadata_cfg cfg = metadata_plain;
		struct io_host h;
		char path[64];

		cfg.phases = (struct fst_list)PHASES("create", "stat", "open_read_close", "append",
						     "rename", "link", "symlink", "chmod", "mkdir",
						     "utimens", "truncate", "rmdir", "readdir",
						     "unlink_symlink", "unlink_link", "unlink");
		cfg.order = c % 3;
		cfg.names = c / 3 % 3;
		cfg.dirs = c % 2 ? 7 : 1;
		cfg.depth = c % 4;
		cfg.spread = c % 5 == 0;
		cfg.shared = c % 4 >= 2;
		cfg.sizes = c % 4;
		cfg.size = cfg.sizes ? 2000 : c % 2 * 100;
		cfg.size_max = 10000;
		metadata_host(&h, &cfg, 3);
		CU_ASSERT_EQUAL(METADATA->check(&h.ctx), 0);
		CU_ASSERT_EQUAL(metadata_step(&h), 0);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			snprintf(path, sizeof(path), "latency.%s.count", kinds[k]);
			CU_ASSERT_EQUAL(io_host_u64(&h, path), 300);
			snprintf(path, sizeof(path), "metrics.%s_rate.value", kinds[k]);
			CU_ASSERT_TRUE(io_host_real(&h, path) > 0);
		}
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.readdir.count"),
				cfg.shared ? cfg.dirs : 3 * cfg.dirs);
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.fairness.value") > 0);
		CU_ASSERT_EQUAL(metadata_entries(h.dir), 0);
		io_host_free(&h);
	}
}

/* A directory with other files in it survives, whatever the step is called. */
static void test_foreign_files(void)
{
	struct metadata_cfg cfg = metadata_plain;
	char path[512], inner[600];
	struct io_host h;

	cfg.phases = (struct fst_list)PHASES("create", "unlink");
	metadata_host(&h, &cfg, 1);
	CU_ASSERT_EQUAL(mkdir(io_host_path(&h, "metadata.0", path, sizeof(path)), 0755), 0);
	snprintf(inner, sizeof(inner), "%s/precious", path);
	CU_ASSERT_EQUAL(mkdir(inner, 0755), 0);
	CU_ASSERT_EQUAL(metadata_step(&h), 0);
	CU_ASSERT_EQUAL(access(inner, F_OK), 0);
	CU_ASSERT_EQUAL(metadata_entries(h.dir), 1);
	cfg.set = "metadata.0";
	CU_ASSERT_EQUAL(metadata_step(&h), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "holds no files that an earlier step left"));
	CU_ASSERT_EQUAL(access(inner, F_OK), 0);
	io_host_free(&h);
}

/* What one step leaves the next one finds, and one that is gone is named with its path. */
static void test_set(void)
{
	struct metadata_cfg cfg = metadata_plain;
	char command[1024];
	struct io_host h;

	cfg.phases = (struct fst_list)PHASES("create");
	cfg.set = "files";
	cfg.keep = true;
	metadata_host(&h, &cfg, 2);
	CU_ASSERT_EQUAL(metadata_step(&h), 0);
	CU_ASSERT_EQUAL(metadata_entries(h.dir), 1);
	h.ctx.seed++;
	cfg.phases = (struct fst_list)PHASES("stat");
	CU_ASSERT_EQUAL(metadata_step(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.stat.count"), 200);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.create.count"), 0);
	cfg.dirs = 2;
	CU_ASSERT_EQUAL(metadata_step(&h), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "was made with another numjobs"));
	cfg.dirs = 1;
	snprintf(command, sizeof(command), "%s/files/w1/d0/f000000000000065", h.dir);
	CU_ASSERT_EQUAL(unlink(command), 0); /* the worker's file 50, number 101 */
	CU_ASSERT_EQUAL(metadata_step(&h), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, command));
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "after 50 of this worker's operations"));
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.stat.count") >= 50);
	CU_ASSERT_EQUAL(metadata_entries(h.dir), 0);
	io_host_free(&h);
}

/* Files come and go, none is looked for that is not there. */
static void test_mix(void)
{
	static const uint64_t creates[] = { 20, 0, 100, 1 };

	for (size_t c = 0; c < ARRAY_SIZE(creates); c++) {
		struct metadata_cfg cfg = metadata_plain;
		struct io_host h;

		cfg.phases = (struct fst_list)PHASES("mix", "stat");
		cfg.files = 50;
		cfg.size = 100;
		for (uint32_t i = 0; i < METADATA_N_MIXABLE; i++)
			cfg.weight[i] = 10;
		cfg.weight[METADATA_MIXES_CREATE] = creates[c];
		cfg.weight[METADATA_MIXES_SETXATTR] = 0;
		cfg.order = c % 2 ? METADATA_SHIFTED : METADATA_SEQUENTIAL;
		metadata_host(&h, &cfg, 2);
		CU_ASSERT_EQUAL(METADATA->check(&h.ctx), 0);
		CU_ASSERT_EQUAL(metadata_step(&h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"),
				4000 + io_host_u64(&h, "latency.stat.count") -
					(4000 - (io_host_u64(&h, "latency.create.count") +
						 io_host_u64(&h, "latency.open_read_close.count") +
						 io_host_u64(&h, "latency.readdir.count") +
						 io_host_u64(&h, "latency.append.count") +
						 io_host_u64(&h, "latency.rename.count") +
						 io_host_u64(&h, "latency.chmod.count") +
						 io_host_u64(&h, "latency.utimens.count") +
						 io_host_u64(&h, "latency.truncate.count") +
						 io_host_u64(&h, "latency.unlink.count"))));
		CU_ASSERT_TRUE(io_host_real(&h, "metrics.mix_rate.value") > 0);
		CU_ASSERT_EQUAL(metadata_entries(h.dir), 0);
		io_host_free(&h);
	}
}

/* Bounded by time: phases that can go on do so, and the names fit together afterwards. */
static void test_time(void)
{
	struct metadata_cfg cfg = metadata_plain;
	struct io_host h;

	cfg.phases = (struct fst_list)PHASES("create", "stat", "rename", "stat", "link", "symlink",
					     "unlink_link", "unlink_symlink", "link", "symlink",
					     "mkdir", "rmdir", "mkdir", "rename",
					     "open_read_close", "unlink");
	cfg.order = METADATA_SHUFFLED;
	cfg.phase_time = 20000000;
	cfg.phase_ramp = 5000000;
	metadata_host(&h, &cfg, 2);
	CU_ASSERT_EQUAL(metadata_step(&h), 0);
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.create.count") > 0);
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.rename.count") > 0);
	CU_ASSERT_EQUAL(metadata_entries(h.dir), 0);
	io_host_free(&h);
}

static void test_name_too_long(void)
{
	struct metadata_cfg cfg = metadata_plain;
	struct io_host h;

	cfg.phases = (struct fst_list)PHASES("create", "unlink");
	cfg.name_length = 300;
	metadata_host(&h, &cfg, 2);
	CU_ASSERT_EQUAL(metadata_step(&h), -ENAMETOOLONG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "create "));
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "after 0 of this worker's operations"));
	CU_ASSERT_EQUAL(metadata_entries(h.dir), 0);
	io_host_free(&h);
}

static void metadata_refused(const struct metadata_cfg *cfg, const char *text)
{
	struct io_host h;

	metadata_host(&h, cfg, 1);
	CU_ASSERT_EQUAL(METADATA->check(&h.ctx), *text ? -EINVAL : 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, text));
	io_host_free(&h);
}

/* The phases, with the plain configuration changed by the statements, and what is said of it. */
#define REFUSED(phases_, change, text)                    \
	do {                                              \
		struct metadata_cfg cfg = metadata_plain; \
		cfg.phases = (struct fst_list)phases_;    \
		change;                                   \
		metadata_refused(&cfg, text);             \
	} while (0)

static void test_check(void)
{
	REFUSED(PHASES("create", "stats"), , "\"stats\" is none of them");
	REFUSED(PHASES("create", "rmdir"), , "rmdir without mkdir");
	REFUSED(PHASES("create", "getxattr"), , "getxattr without setxattr");
	REFUSED(PHASES("create", "symlink", "unlink_link"), , "unlink_link without link");
	REFUSED(PHASES("create", "link", "unlink_symlink"), , "unlink_symlink without symlink");
	REFUSED(PHASES("mix"), , "all weights are 0");
	REFUSED(PHASES("create"), cfg.keep = true, "needs a name");
	REFUSED(PHASES("create"), cfg.set = "../x", "a plain name");
	REFUSED(PHASES("create"), cfg.sizes = FILES_LOGNORMAL, "the mean");
	REFUSED(PHASES("create"), cfg.sizes = FILES_UNIFORM, "needs size_max");
	REFUSED(PHASES("create"), cfg.method = METADATA_MKNOD;
		cfg.size = 1, "create_method = mknod");
	REFUSED(PHASES("create"), cfg.names = FILES_RANDOM;
		cfg.name_length = 12, "name_length must be at least 15");
	REFUSED(PHASES("rmdir", "getxattr", "stat"), cfg.set = "x", "");
}

void test_plugin_metadata(void)
{
	CU_pSuite s = CU_add_suite("plugin/metadata", NULL, NULL);

	CU_ADD_TEST(s, test_order_is_permutation);
	CU_ADD_TEST(s, test_names);
	CU_ADD_TEST(s, test_sizes);
	CU_ADD_TEST(s, test_counts);
	CU_ADD_TEST(s, test_foreign_files);
	CU_ADD_TEST(s, test_set);
	CU_ADD_TEST(s, test_mix);
	CU_ADD_TEST(s, test_time);
	CU_ADD_TEST(s, test_name_too_long);
	CU_ADD_TEST(s, test_check);
}
