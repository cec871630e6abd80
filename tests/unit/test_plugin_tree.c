/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload tree: its shape, and that a copy is one. */
#define FSTRIAL_STATIC test_tree
#include "plugins/workload/tree.c"

#include <sys/wait.h>

#include "tests/unit/io_host.h"

void test_plugin_tree(void);

#define TREE (&fstrial_plugin_test_tree)

static const struct tree_cfg tree_small = {
	.directories = 30,
	.files = 400,
	.symlinks = 5,
	.fanout = 3,
	.spread = 1.2,
	.size = 3000,
	.size_max = 200000,
	.sigma = 1.4,
	.age_rounds = 2,
	.age_percent = 30,
	.attributes = true,
};

/* Every file has one directory, the directories' counts differ, and the sizes have their mean. */
static void test_shape(void)
{
	struct tree_cfg cfg = { .directories = 2000,
				.files = 32000,
				.fanout = 8,
				.spread = 1.2,
				.size = 14336,
				.size_max = 2 << 20,
				.sigma = 1.4,
				.age_percent = 10 };
	struct tree_shape s = { 0 };
	char path[TREE_ROOM], other[TREE_ROOM];
	uint64_t wrong = 0, most = 0, replaced = 0;
	double sum = 0;

	CU_ASSERT_EQUAL(tree_shape_init(&s, &cfg, 5), 0);
	CU_ASSERT_EQUAL(s.first[0], 0);
	CU_ASSERT_EQUAL(s.first[2000], 32000);
	for (uint32_t k = 0; k < 2000; k++) {
		wrong += s.first[k] > s.first[k + 1];
		most = MAX(most, (uint64_t)(s.first[k + 1] - s.first[k]));
	}
	for (uint64_t i = 0; i < 32000; i++) {
		uint32_t k = tree_dir_of(&s, i);

		wrong += s.first[k] > i || s.first[k + 1] <= i;
		sum += (double)files_size_at(&s.size, i);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(most > 100);
	CU_ASSERT_DOUBLE_EQUAL(sum / 32000, 14336, 1000);
	CU_ASSERT_EQUAL(tree_depth(&cfg), 4);
	tree_dir_path(&s, 0, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, ".");
	tree_dir_path(&s, 8, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "./dir7");
	tree_dir_path(&s, 9, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "./dir0/dir0");
	s.rounds = 1;
	for (uint64_t i = 0; i < 32000; i++)
		replaced += tree_file_number(&s, i) != i;
	CU_ASSERT_DOUBLE_EQUAL(replaced / 32000.0, 0.1, 0.01);
	tree_put_name(&s, 77, path);
	tree_put_name(&s, 78, other);
	CU_ASSERT_STRING_NOT_EQUAL(path, other);
	free(s.first);
}

static void host_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	(void)fmt;
	(void)ap;
}

static void host_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	(void)ctx;
	(void)key;
	(void)value;
}

static int FST_PRINTF(3, 0) host_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	return io_host_error(ctx, err ? err : EINVAL, fmt, ap);
}

static void tree_host(struct io_host *h, const struct tree_cfg *cfg, uint32_t workers)
{
	io_host_init(h, TREE, NULL, cfg);
	h->table.error = host_error;
	h->table.warning = host_warning;
	h->table.note = host_note;
	h->ctx.nworkers = workers;
}

static int tree_step(struct io_host *h, struct tree_cfg *cfg, const char *const *phases)
{
	static struct tree_state state;

	cfg->phases = (struct fst_list){ .v = phases };
	while (phases[cfg->phases.n])
		cfg->phases.n++;
	memset(&state, 0, sizeof(state));
	h->ctx.state = &state;
	CU_ASSERT_EQUAL(TREE->check(&h->ctx), 0);
	return io_host_run(h);
}

/* The copy is the tree, byte for byte; what ages goes on from where an earlier step stopped. */
static void test_phases(void)
{
	static const char *const first[] = { "unpack", "copy", NULL };
	static const char *const second[] = { "age", "rename", "read_all", NULL };
	static const char *const third[] = { "age", "stat_walk", "rename", NULL };
	static const char *const last[] = { "delete", NULL };
	struct tree_cfg cfg = tree_small;
	char command[1024];
	struct io_host h;

	tree_host(&h, &cfg, 2);
	cfg.set = "src";
	cfg.keep = true;
	CU_ASSERT_EQUAL(tree_step(&h, &cfg, first), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.unpack.count"), 2 * (30 + 400 + 5));
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.copy.count"), 2 * (29 + 400 + 5));
	snprintf(command, sizeof(command),
		 "cd %s/src/w1 && diff -r --no-dereference src copy >/dev/null", h.dir);
	CU_ASSERT_EQUAL(system(command), 0);
	h.ctx.seed++;
	CU_ASSERT_EQUAL(tree_step(&h, &cfg, second), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read_all.count"), 2 * (400 + 5));
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.rename.count"), 2 * 400);
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.age.count") > 300);
	CU_ASSERT_EQUAL(WEXITSTATUS(system(command)), 1); /* diff found differences */
	CU_ASSERT_EQUAL(tree_step(&h, &cfg, third), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.stat_walk.count"), 2 * (29 + 400 + 5));
	cfg.keep = false;
	CU_ASSERT_EQUAL(tree_step(&h, &cfg, last), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.delete.count"), 4 * (30 + 400 + 5));
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.delete_rate.value") > 0);
	snprintf(command, sizeof(command), "test -z \"$(ls %s)\"", h.dir);
	CU_ASSERT_EQUAL(system(command), 0);
	io_host_free(&h);
}

/* In the asked order, whatever their number; and a phase that can goes on until its time is over. */
static void test_orders(void)
{
	static const char *const phases[] = { "unpack", "copy", "stat_walk", "delete", NULL };
	static struct tree_entry v[1000];
	struct tree_cfg cfg = tree_small;
	uint64_t wrong = 0;
	struct io_host h;

	for (uint64_t n = 0; n < ARRAY_SIZE(v); n = n * 3 + 1) {
		for (int order = TREE_BY_NAME; order <= TREE_BY_INODE; order++) {
			for (uint64_t i = 0; i < n; i++) {
				v[i].ino = files_mix(i) % 500;
				snprintf(v[i].name, sizeof(v[i].name), "n%llu",
					 (unsigned long long)files_mix(i + 7) % 500);
			}
			tree_sort(v, n, order);
			for (uint64_t i = 1; i < n; i++)
				wrong += tree_entry_before(&v[i], &v[i - 1], order);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	tree_host(&h, &cfg, 2);
	for (cfg.order = TREE_AS_GIVEN; cfg.order <= TREE_BY_INODE; cfg.order++) {
		cfg.min_time = cfg.order == TREE_BY_INODE ? 300000000 : 0;
		CU_ASSERT_EQUAL(tree_step(&h, &cfg, phases), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.copy.count"), 2 * (29 + 400 + 5));
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.delete.count"), 4 * (30 + 400 + 5));
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.stat_walk.count") % (29 + 400 + 5), 0);
		if (!cfg.min_time)
			CU_ASSERT_EQUAL(io_host_u64(&h, "latency.stat_walk.count"), 2 * (29 + 400 + 5));
	}
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.stat_walk_time.value") >= 3e8);
	CU_ASSERT_TRUE(io_host_u64(&h, "latency.stat_walk.count") > 2 * (29 + 400 + 5));
	io_host_free(&h);
}

static void tree_refused(const char *a, const char *b, const char *text)
{
	const char *const phases[] = { a, b };
	struct tree_cfg cfg = tree_small;
	struct io_host h;

	cfg.phases = (struct fst_list){ .n = 2, .v = phases };
	tree_host(&h, &cfg, 1);
	CU_ASSERT_EQUAL(TREE->check(&h.ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, text));
	io_host_free(&h);
}

static void test_check(void)
{
	tree_refused("unpack", "untar", "\"untar\" is none of them");
	tree_refused("unpack", "unpack", "unpack where a tree is");
	tree_refused("copy", "copy", "copy where a copy is");
	tree_refused("delete", "read_all", "read_all where no tree is");
}

void test_plugin_tree(void)
{
	CU_pSuite s = CU_add_suite("plugin/tree", NULL, NULL);

	CU_ADD_TEST(s, test_shape);
	CU_ADD_TEST(s, test_phases);
	CU_ADD_TEST(s, test_orders);
	CU_ADD_TEST(s, test_check);
}
