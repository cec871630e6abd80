/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of core/plugin/registry with real shared objects, those of tests/plugins and
 * tests/abi. Each is copied to a directory of its own, which stays until the end: the dynamic
 * linker takes a new file under a known path or inode number for the one it has loaded.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/plugin/registry.h"
#include "core/util/file.h"
#include "core/util/sha256.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static char *root; /* of all temporary directories */
static unsigned int root_n;

/* A new directory; the caller frees the path. */
static char *place_new(void)
{
	char *dir = xasprintf("%s/%u", root, root_n++);

	CU_ASSERT_EQUAL(mkdir(dir, 0755), 0);
	return dir;
}

static char *built(const char *name)
{
	const char *build = getenv("BUILD");

	return xasprintf("%s/tests/%s.so", build ? build : "build", name);
}

static void put_data(const char *dir, const char *as, const char *data, size_t len)
{
	_cleanup_free_ char *path = xasprintf("%s/%s.so", dir, as);
	_cleanup_free_ char *parent = xstrdup(path);
	struct err e = { 0 };

	*strrchr(parent, '/') = '\0';
	CU_ASSERT_EQUAL(dir_make(parent, 0755, &e), 0);
	CU_ASSERT_EQUAL(file_write_atomic(path, data, len, &e), 0);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
}

/* Copies a built plugin, say "plugins/counts", to dir/as.so. */
static void put(const char *dir, const char *name, const char *as)
{
	_cleanup_free_ char *from = built(name), *data = NULL;
	struct err e = { 0 };
	size_t len = 0;

	CU_ASSERT_EQUAL_FATAL(file_read(from, 64 << 20, &data, &len, &e), 0);
	put_data(dir, as, data, len);
}

/* The registry of one directory, with nothing of FSTRIAL_PLUGIN_PATH. */
static void load(const char *dir, struct registry *reg)
{
	struct err e = { 0 };

	CU_ASSERT_EQUAL_FATAL(registry_load(&dir, 1, reg, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.text, "");
}

/* Why the file was refused, or "" when it was not. */
static const char *reason(const struct registry *reg, const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s.so", dir, name);

	for (size_t i = 0; i < reg->n_refused; i++) {
		if (str_eq(reg->refused[i].file, path))
			return reg->refused[i].reason;
	}
	return "";
}

static void expect_reason(const struct registry *reg, const char *dir, const char *name,
			  const char *want)
{
	const char *got = reason(reg, dir, name);

	if (strcmp(got, want))
		printf("\n  %s: \"%s\"\n  expected: \"%s\"\n", name, got, want);
	CU_ASSERT_STRING_EQUAL(got, want);
}

static void test_refused(void)
{
	static const struct {
		const char *name, *reason; /* "*TEXT": has it; "TEXT*": begins so */
	} rows[] = {
		{ "bad_magic",
		  "wrong magic 0x6e69626f instead of 0x4c525446: not a plugin of fstrial" },
		{ "bad_abi", "is built for ABI 2, this fstrial knows 1" },
		{ "bad_kind", "its kind 9 is unknown" },
		{ "short_struct", "struct_size 48 is too small, ABI 1 has at least 64" },
		{ "long_claim", "* bytes of fstrial_plugin" },
		{ "no_symbol", "has no symbol fstrial_plugin: not a plugin of fstrial" },
		{ "no_run", "a workload needs \"run\" or \"next\"" },
		{ "wrong_name",
		  "its name is \"right_name\", which is not its file's (\"wrong_name\")" },
		{ "dup_param", "*count" },
		{ "param_no_doc", "*count" },
		{ "bad_default", "*length" },
		{ "bad_metric_unit",
		  "metric \"rate\": unit \"MB per sec\" is none of ops/s, bytes/s, ns, bytes, "
		  "count, ratio" },
		{ "future_field", "uses fields that this fstrial does not know *" },
	};
	_cleanup_free_ char *dir = place_new();
	struct registry reg;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *name = xasprintf("plugins/%s", rows[i].name);

		put(dir, name, rows[i].name);
	}
	load(dir, &reg);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *want = rows[i].reason, *got = reason(&reg, dir, rows[i].name);

		if (*want == '*') {
			CU_ASSERT_PTR_NOT_NULL(strstr(got, want + 1));
		} else if (str_ends(want, "*")) {
			CU_ASSERT_EQUAL(strncmp(got, want, strlen(want) - 1), 0);
		} else {
			expect_reason(&reg, dir, rows[i].name, want);
		}
		CU_ASSERT_PTR_NULL(registry_find(&reg, FST_WORKLOAD, rows[i].name));
	}
	registry_release(&reg);
}

/* Files that the dynamic linker does not take: its reason, and the path only once. */
static void test_cannot_be_opened(void)
{
	_cleanup_free_ char *dir = place_new(), *from = built("plugins/needs_symbol"), *data = NULL;
	static const char needed[] = "tcgetpgrp";
	struct err e = { 0 };
	struct registry reg;
	size_t len = 0;

	put_data(dir, "text",
		 "#!/bin/sh\necho this is no shared object but long enough to be read as one\n",
		 72);
	put_data(dir, "empty", "", 0);
	CU_ASSERT_EQUAL_FATAL(file_read(from, 64 << 20, &data, &len, &e), 0);
	for (char *p = data; (p = memmem(p, len - (size_t)(p - data), needed, sizeof(needed)));)
		p[sizeof(needed) - 2] = 'X';
	put_data(dir, "needs_symbol", data, len);
	load(dir, &reg);
	expect_reason(&reg, dir, "text", "cannot be opened: invalid ELF header");
	expect_reason(&reg, dir, "empty", "cannot be opened: file too short");
	CU_ASSERT_PTR_NOT_NULL(strstr(reason(&reg, dir, "needs_symbol"),
				      "cannot be opened: undefined symbol: tcgetpgrX"));
	registry_release(&reg);
}

static void test_loads(void)
{
	static const struct {
		const char *name;
		enum fst_kind kind;
	} rows[] = {
		{ "plugins/future_zero", FST_WORKLOAD },  { "plugins/future_tables", FST_WORKLOAD },
		{ "plugins/future_engine", FST_ENGINE },  { "plugins/fails_apply", FST_SETUP },
		{ "plugins/misbehaves", FST_WORKLOAD },	  { "plugins/counts", FST_WORKLOAD },
		{ "plugins/needs_symbol", FST_WORKLOAD }, { "abi/v1_minimal", FST_WORKLOAD },
	};
	_cleanup_free_ char *dir = place_new();
	struct registry reg;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put(dir, rows[i].name, strchr(rows[i].name, '/') + 1);
	load(dir, &reg);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *name = strchr(rows[i].name, '/') + 1;
		const struct plugin *p = registry_find(&reg, rows[i].kind, name);

		expect_reason(&reg, dir, name, "");
		CU_ASSERT_PTR_NOT_NULL(p);
		CU_ASSERT_TRUE(!p || str_starts(p->file, dir));
	}
	for (size_t i = 1; i < reg.n; i++) {
		const struct fstrial_plugin *a = &reg.v[i - 1]->desc, *b = &reg.v[i]->desc;

		CU_ASSERT_TRUE(a->kind < b->kind ||
			       (a->kind == b->kind && strcmp(a->name, b->name) < 0));
	}
	registry_release(&reg);
}

/* The promise to plugins of a newer header, whose tables and operations are longer. */
static void test_future(void)
{
	_cleanup_free_ char *dir = place_new();
	const struct plugin *p;
	struct fst_metric m;
	struct fst_op_kind op;
	struct fst_tool tool;
	struct registry reg;

	put(dir, "plugins/future_tables", "workload/future_tables");
	put(dir, "plugins/future_engine", "engine/future_engine");
	load(dir, &reg);
	p = registry_find(&reg, FST_WORKLOAD, "future_tables");
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	plugin_metric(&p->desc, 1, &m);
	plugin_op(&p->desc, 1, &op);
	plugin_tool(&p->desc, 1, &tool);
	CU_ASSERT_STRING_EQUAL(m.name, "second");
	CU_ASSERT_STRING_EQUAL(op.name, "pong");
	CU_ASSERT_STRING_EQUAL(tool.version_arg, "--version");
	CU_ASSERT_FALSE(plugin_is_data_workload(p));
	p = registry_find(&reg, FST_ENGINE, "future_engine");
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_PTR_EQUAL(p->desc.engine, &p->engine);
	CU_ASSERT_TRUE(p->engine.queue && !p->engine.close);
	registry_release(&reg);
}

static void test_order(void)
{
	_cleanup_free_ char *first = place_new(), *second = place_new(), *third = place_new();
	const char *dirs[] = { first, second, first };
	const struct plugin *p;
	struct err e = { 0 };
	struct registry reg;

	put(first, "plugins/counts", "workload/counts");
	put(second, "plugins/counts", "counts");
	put(second, "plugins/misbehaves", "misbehaves");
	put(third, "plugins/misbehaves", "misbehaves");
	put(third, "plugins/fails_apply", "fails_apply");
	setenv("FSTRIAL_PLUGIN_PATH", third, 1);
	CU_ASSERT_EQUAL_FATAL(registry_load(dirs, 3, &reg, &e), 0);
	CU_ASSERT_TRUE(reg.n_dirs >= 3 && str_eq(reg.dirs[1], second) &&
		       str_eq(reg.dirs[2], third));
	p = registry_find(&reg, FST_WORKLOAD, "counts");
	CU_ASSERT_TRUE(p && str_starts(p->file, first));
	p = registry_find(&reg, FST_WORKLOAD, "misbehaves");
	CU_ASSERT_TRUE(p && str_starts(p->file, second));
	p = registry_find(&reg, FST_SETUP, "fails_apply");
	CU_ASSERT_TRUE(p && str_starts(p->file, third));
	registry_release(&reg);
	unsetenv("FSTRIAL_PLUGIN_PATH");
}

/* Who puts a broken file in front does not get another version in silence. */
static void test_refused_hides(void)
{
	_cleanup_free_ char *first = place_new(), *second = place_new(), *path = NULL;
	const char *dirs[] = { first, second };
	char text[1024];
	struct err e = { 0 };
	struct registry reg;

	put_data(first, "counts", "", 0);
	put_data(first, "setup/misbehaves", "", 0);
	put(second, "plugins/counts", "counts");
	put(second, "plugins/misbehaves", "misbehaves");
	CU_ASSERT_EQUAL_FATAL(registry_load(dirs, 2, &reg, &e), 0);
	CU_ASSERT_PTR_NULL(registry_find(&reg, FST_WORKLOAD, "counts"));
	path = xasprintf("%s/counts.so: cannot be opened: file too short", first);
	CU_ASSERT_STRING_EQUAL(registry_explain(&reg, FST_WORKLOAD, "counts", text, sizeof(text)),
			       path);
	/* It would have been a setup. */
	CU_ASSERT_PTR_NOT_NULL(registry_find(&reg, FST_WORKLOAD, "misbehaves"));
	registry_release(&reg);
}

static void test_double(void)
{
	_cleanup_free_ char *dir = place_new(), *one = NULL, *two = NULL, *both = NULL;
	char text[4096];
	struct registry reg;

	put(dir, "plugins/counts", "counts");
	put(dir, "plugins/counts", "workload/counts");
	load(dir, &reg);
	CU_ASSERT_PTR_NULL(registry_find(&reg, FST_WORKLOAD, "counts"));
	one = xasprintf("the workload \"counts\" is also in %s/workload/counts.so", dir);
	two = xasprintf("the workload \"counts\" is also in %s/counts.so", dir);
	expect_reason(&reg, dir, "counts", one);
	expect_reason(&reg, dir, "workload/counts", two);
	both = xasprintf("%s/counts.so: %s; %s/workload/counts.so: %s", dir, one, dir, two);
	CU_ASSERT_STRING_EQUAL(registry_explain(&reg, FST_WORKLOAD, "counts", text, sizeof(text)),
			       both);
	registry_release(&reg);
}

static void test_missing_dir(void)
{
	_cleanup_free_ char *dir = place_new(), *gone = xasprintf("%s/gone", dir), *want = NULL;
	const char *none = gone;
	struct err e = { 0 };
	struct registry reg;

	want = xasprintf("%s: plugin directory of --plugin-dir: No such file or directory", gone);
	CU_ASSERT_EQUAL(registry_load(&none, 1, &reg, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text, want);
	CU_ASSERT_TRUE(reg.n == 0 && !reg.v && !reg.dirs);
	err_clear(&e);
	setenv("FSTRIAL_PLUGIN_PATH", "/dev/null", 1);
	CU_ASSERT_EQUAL(registry_load(NULL, 0, &reg, &e), -ENOTDIR);
	CU_ASSERT_STRING_EQUAL(
		e.text, "/dev/null: plugin directory of FSTRIAL_PLUGIN_PATH: not a directory");
	unsetenv("FSTRIAL_PLUGIN_PATH");
}

/* Loads dir and says why counts.so in it is refused. */
static void expect_counts(const char *dir, const char *want)
{
	struct registry reg;

	load(dir, &reg);
	expect_reason(&reg, dir, "counts", want);
	CU_ASSERT_EQUAL(registry_find(&reg, FST_WORKLOAD, "counts") == NULL, *want != '\0');
	registry_release(&reg);
}

/* Root opens only what nobody else can have written. */
static void test_writable(void)
{
	_cleanup_free_ char *dir = place_new(), *file = xasprintf("%s/counts.so", dir),
			    *want = NULL;
	const char *sudo = getenv("SUDO_UID");
	_cleanup_free_ char *old = sudo ? xstrdup(sudo) : NULL;

	if (geteuid() != 0) {
		printf("\n  skipped: needs root ");
		return;
	}
	put(dir, "plugins/counts", "counts");
	CU_ASSERT_EQUAL(chmod(file, 0775), 0);
	want = xasprintf("is writable by its group: not opened as root (chmod g-w %s)", file);
	expect_counts(dir, want);
	CU_ASSERT_EQUAL(chmod(file, 0757), 0);
	free(want);
	want = xasprintf("is writable by others: not opened as root (chmod o-w %s)", file);
	expect_counts(dir, want);
	CU_ASSERT_EQUAL(chmod(file, 0755), 0);
	CU_ASSERT_EQUAL(chmod(dir, 0777), 0);
	free(want);
	want = xasprintf("its directory is writable by others: not opened as root (chmod o-w %s)",
			 dir);
	expect_counts(dir, want);
	CU_ASSERT_EQUAL(chmod(dir, 0755), 0);
	CU_ASSERT_EQUAL(chown(file, 12345, 0), 0);
	unsetenv("SUDO_UID");
	expect_counts(dir,
		      "is owned by uid 12345, neither root nor the caller: not opened as root");
	setenv("SUDO_UID", "12345", 1);
	expect_counts(dir, "");
	unsetenv("SUDO_UID");
	if (old)
		setenv("SUDO_UID", old, 1);
}

static void test_sha256(void)
{
	_cleanup_free_ char *dir = place_new(), *from = built("plugins/counts");
	const struct plugin *p;
	struct err e = { 0 };
	struct registry reg;
	char hex[65];

	put(dir, "plugins/counts", "counts");
	load(dir, &reg);
	p = registry_find(&reg, FST_WORKLOAD, "counts");
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_STRING_EQUAL(p->sha256, "");
	CU_ASSERT_EQUAL(sha256_file_hex(from, hex, &e), 0);
	CU_ASSERT_STRING_EQUAL(plugin_sha256(p), hex);
	CU_ASSERT_STRING_EQUAL(p->sha256, hex);
	registry_release(&reg);
}

static int suite_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	unsetenv("FSTRIAL_PLUGIN_PATH");
	root = xasprintf("%s/fstrial-registry.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

static int suite_end(void)
{
	struct err e = { 0 };
	int ret = dir_remove_tree(root, &e);

	free(root);
	root = NULL;
	return ret;
}

void test_plugin_registry(void);
void test_plugin_registry(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "refused plugins", test_refused },
		{ "files that cannot be opened", test_cannot_be_opened },
		{ "good plugins", test_loads },
		{ "plugins of a newer header", test_future },
		{ "search order", test_order },
		{ "a refused file hides later ones", test_refused_hides },
		{ "two in one directory", test_double },
		{ "missing directories", test_missing_dir },
		{ "files that others can write", test_writable },
		{ "sha256", test_sha256 },
	};
	CU_pSuite suite = CU_add_suite("plugin registry", suite_begin, suite_end);

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
