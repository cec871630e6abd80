/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/sysctl: names, pairs that exclude each other, putting back. */
#define FSTRIAL_STATIC sysctl

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/fake_host.h"

/* ---- settings that behave as the kernel's ----------------------------------------------------- */

static char knobs[64];

static void knob_set(const char *name, const char *value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", knobs, name);
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "%s\n", value);
	fclose(f);
}

static const char *knob(const char *name)
{
	static char value[64];
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", knobs, name);
	f = fopen(path, "r");
	if (!f || !fgets(value, sizeof(value), f))
		return "?";
	fclose(f);
	value[strcspn(value, "\n")] = '\0';
	return value;
}

static const struct {
	const char *name, *other;
} knob_pairs[] = {
	{ "vm/dirty_bytes", "vm/dirty_ratio" },
	{ "vm/dirty_ratio", "vm/dirty_bytes" },
	{ "vm/dirty_background_bytes", "vm/dirty_background_ratio" },
	{ "vm/dirty_background_ratio", "vm/dirty_background_bytes" },
};

/* 0 bytes are refused, a changed value brings its partner to 0, and swappiness is at most 200. */
static ssize_t knob_write(int fd, const void *buf, size_t len)
{
	char link[64], path[128] = "", value[64];
	const char *name;
	size_t i;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		return -1;
	name = path + strlen(knobs) + 1;
	snprintf(value, sizeof(value), "%.*s", (int)len, (const char *)buf);
	errno = EINVAL;
	if (strstr(name, "_bytes") && strcmp(value, "0") == 0)
		return -1;
	if (strcmp(name, "vm/swappiness") == 0 && atoi(value) > 200)
		return -1;
	for (i = 0; i < FST_COUNT(knob_pairs); i++)
		if (strcmp(name, knob_pairs[i].name) == 0)
			knob_set(knob_pairs[i].other, "0");
	knob_set(name, value);
	return (ssize_t)len;
}

/* As with the kernel, opening for writing does not empty it. */
#define SYSCTL_ROOT knobs
#undef O_TRUNC
#define O_TRUNC 0
#define write knob_write
#include "plugins/setup/sysctl.c"
#undef write

static const struct {
	const char *name, *value;
} knobs_start[] = {
	{ "vm/dirty_bytes", "0" },
	{ "vm/dirty_ratio", "20" },
	{ "vm/dirty_background_bytes", "0" },
	{ "vm/dirty_background_ratio", "10" },
	{ "vm/swappiness", "60" },
	{ "net/ipv4/tcp_rmem", "4096\t131072\t6291456" },
	{ "vm/many", "a\nb" },
};

static void knobs_open(void)
{
	static const char *const dirs[] = { "", "/vm", "/net", "/net/ipv4" };
	char path[128];
	size_t i;

	snprintf(knobs, sizeof(knobs), "/tmp/fstrial-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(knobs));
	for (i = 1; i < FST_COUNT(dirs); i++) {
		snprintf(path, sizeof(path), "%s%s", knobs, dirs[i]);
		CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	}
	for (i = 0; i < FST_COUNT(knobs_start); i++)
		knob_set(knobs_start[i].name, knobs_start[i].value);
}

static void knobs_close(void)
{
	static const char *const dirs[] = { "/net/ipv4", "/net", "/vm", "" };
	char path[128];
	size_t i;

	for (i = 0; i < FST_COUNT(knobs_start); i++) {
		snprintf(path, sizeof(path), "%s/%s", knobs, knobs_start[i].name);
		unlink(path);
	}
	for (i = 0; i < FST_COUNT(dirs); i++) {
		snprintf(path, sizeof(path), "%s%s", knobs, dirs[i]);
		CU_ASSERT_EQUAL(rmdir(path), 0);
	}
}

static struct fake_host *host_with(const char *one, const char *two)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_sysctl);

	fake_host_param(h, "set", one);
	if (two)
		fake_host_param(h, "set", two);
	return h;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void test_check(void)
{
	static const struct {
		const char *one, *two, *error; /* NULL: good */
	} rows[] = {
		{ "vm.swappiness = 10", NULL, NULL },
		{ "vm/swappiness=10", "net.ipv4.tcp_rmem = 4096 87380 6291456", NULL },
		{ "vm.swappiness", NULL, "is not \"NAME = VALUE\"" },
		{ "vm.swappiness =", NULL, "is not \"NAME = VALUE\"" },
		{ "swappiness = 1", NULL, "is no name such as" },
		{ "vm..swappiness = 1", NULL, "is no name such as" },
		{ "vm/../kernel/sysrq = 1", NULL, "is no name such as" },
		{ "/proc/sys/vm/swappiness = 1", NULL, "is no name such as" },
		{ "vm.swappiness = 1", "vm/swappiness = 2", "vm.swappiness is set twice" },
		{ "vm.dirty_bytes = 1000000", "vm.dirty_ratio = 20",
		  "vm.dirty_bytes and vm.dirty_ratio: each sets the other to 0" },
		{ "vm.dirty_bytes = 0", NULL, "set vm.dirty_ratio instead" },
		{ "vm.dirty_ratio = 0", NULL, NULL },
		{ "vm.dirty_background_bytes = 2000000", "vm.dirty_bytes = 1000000",
		  "the kernel would take half" },
		{ "vm.dirty_background_bytes = 0x100000", "vm.dirty_bytes = 2000000", NULL },
		{ "vm.dirty_ratio = 5", "vm.dirty_background_ratio = 10",
		  "the kernel would take half" },
		{ "vm.drop_caches = 3", NULL, "drop_caches" },
		{ "kernel.modules_disabled = 1", NULL, "never lets it be put back" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = host_with(rows[i].one, rows[i].two);
		int r = sysctl_check(&h->ctx);

		CU_ASSERT_EQUAL(r, rows[i].error ? -EINVAL : 0);
		if (rows[i].error && !(h->error && strstr(h->error, rows[i].error)))
			CU_FAIL(rows[i].error);
		fake_host_free(h);
	}
}

static void test_apply(void)
{
	struct fake_host *h = host_with("vm.swappiness = 0x10",
					"net.ipv4.tcp_rmem = 4096  87380 1000000");

	knobs_open();
	CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->asked, "vm.swappiness"), "16");
	CU_ASSERT_STRING_EQUAL(knob("net/ipv4/tcp_rmem"), "4096 87380 1000000");
	fake_host_next_process(h);
	CU_ASSERT_EQUAL(sysctl_readback(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "vm.swappiness"), "16");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_STRING_EQUAL(knob("vm/swappiness"), "60");
	CU_ASSERT_STRING_EQUAL(knob("net/ipv4/tcp_rmem"), "4096 131072 6291456");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	knobs_close();
	/* Gone with its module. */
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
}

static void test_pairs(void)
{
	static const struct {
		const char *bytes, *ratio, *set;
	} rows[] = {
		{ "0", "20", "vm.dirty_bytes = 1000000" },
		{ "0", "20", "vm.dirty_ratio = 40" },
		{ "77824", "0", "vm.dirty_bytes = 1000000" },
		{ "77824", "0", "vm.dirty_ratio = 40" },
		{ "0", "0", "vm.dirty_bytes = 1000000" },
		{ "0", "0", "vm.dirty_ratio = 40" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = host_with(rows[i].set, NULL);

		knobs_open();
		knob_set("vm/dirty_bytes", rows[i].bytes);
		knob_set("vm/dirty_ratio", rows[i].ratio);
		CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), 0);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_PTR_NULL(h->error);
		CU_ASSERT_STRING_EQUAL(knob("vm/dirty_bytes"), rows[i].bytes);
		CU_ASSERT_STRING_EQUAL(knob("vm/dirty_ratio"), rows[i].ratio);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_STRING_EQUAL(knob("vm/dirty_ratio"), rows[i].ratio);
		knobs_close();
		fake_host_free(h);
	}
}

/* Nothing is written when one of several cannot be. */
static void test_refused(void)
{
	static const struct {
		const char *set, *error;
		int r;
	} rows[] = {
		{ "vm.swapiness = 1", "has no swapiness (is swappiness meant?)", -ENOENT },
		{ "vn.swappiness = 1", "has no vn (is vm meant?)", -ENOENT },
		{ "vm.swappiness.x = 1", "has no vm.swappiness.x", -ENOENT },
		{ "net.ipv4 = 1", "net.ipv4 is a group of settings", -EISDIR },
		{ "vm.many = 1", "vm.many cannot be read, so it could not be put back",
		  -EOVERFLOW },
	};
	char path[128];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = host_with("vm.dirty_ratio = 40", rows[i].set);

		knobs_open();
		CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), rows[i].r);
		if (!h->error || !strstr(h->error, rows[i].error))
			CU_FAIL(rows[i].error);
		CU_ASSERT_STRING_EQUAL(knob("vm/dirty_ratio"), "20");
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		knobs_close();
		fake_host_free(h);
	}
	for (i = 0; i < 2; i++) {
		struct fake_host *h = host_with("vm.swappiness = 10", NULL);

		knobs_open();
		snprintf(path, sizeof(path), "%s/vm/swappiness", knobs);
		CU_ASSERT_EQUAL(chmod(path, i ? 0200 : 0444), 0);
		CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), -EACCES);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(h->error, i ? "can only be written" : "is read-only"));
		knobs_close();
		fake_host_free(h);
	}
}

static void test_kernel_says_no(void)
{
	struct fake_host *h = host_with("vm.dirty_ratio = 40", "vm.swappiness = 300");

	knobs_open();
	CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h->error,
			       "vm.swappiness = 300: the kernel refuses this value; it stays 60");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_STRING_EQUAL(knob("vm/dirty_ratio"), "20");
	knobs_close();
	fake_host_free(h);
}

/* One is asked for, the other is there already. */
static void test_background(void)
{
	struct fake_host *h = host_with("vm.dirty_ratio = 10", NULL);

	knobs_open();
	CU_ASSERT_EQUAL(sysctl_apply(&h->ctx), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->warnings.v[0].value, "at half of the latter"));
	knobs_close();
	fake_host_free(h);
}

void test_plugin_sysctl(void);

void test_plugin_sysctl(void)
{
	CU_pSuite s = CU_add_suite("plugin sysctl", NULL, NULL);

	CU_add_test(s, "check", test_check);
	CU_add_test(s, "apply, readback, revert", test_apply);
	CU_add_test(s, "bytes and ratio", test_pairs);
	CU_add_test(s, "refused before the first write", test_refused);
	CU_add_test(s, "refused by the kernel", test_kernel_says_no);
	CU_add_test(s, "background and limit", test_background);
}
