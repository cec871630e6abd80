/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/record/environment. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/record/environment.h"
#include "core/util/blockdev.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "scratch.h"

#define MIB (1ULL << 20)

static bool is_text(const json_t *o, const char *key)
{
	return *js_get_str(o, key, "");
}

static bool is_text_or_null(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_null(v) || json_is_string(v);
}

static void test_collect(void)
{
	_cleanup_json_ json_t *env = environment_collect(NULL, NULL);
	const json_t *kernel = json_object_get(env, "kernel"), *cpu = json_object_get(env, "cpu");
	_cleanup_free_ char *text = js_dump(env);
	char release[256], host[256];

	CU_ASSERT_EQUAL(file_read_line("/proc/sys/kernel/osrelease", release, sizeof(release)), 0);
	CU_ASSERT_STRING_EQUAL(js_get_str(kernel, "release", ""), release);
	CU_ASSERT_TRUE(is_text(kernel, "version"));
	CU_ASSERT_TRUE(is_text(kernel, "arch"));
	CU_ASSERT_TRUE(is_text_or_null(kernel, "cmdline"));
	CU_ASSERT_TRUE(is_text_or_null(kernel, "clocksource"));
	CU_ASSERT_TRUE(is_text_or_null(cpu, "model"));
	CU_ASSERT_TRUE(is_text_or_null(cpu, "governor"));
	CU_ASSERT_TRUE(json_is_object(json_object_get(cpu, "mitigations")));
	CU_ASSERT_TRUE(js_get_u64(cpu, "online", 0) >= 1);
	CU_ASSERT_TRUE(js_get_u64(env, "memory_bytes", 0) > 16 * MIB);
	CU_ASSERT_EQUAL(strlen(js_get_str(env, "boot_id", "")), 36);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(env, "load")), 3);
	CU_ASSERT_TRUE(json_is_null(json_object_get(env, "device")));
	CU_ASSERT_TRUE(json_is_array(json_object_get(env, "warnings")));
	CU_ASSERT_PTR_NULL(json_object_get(env, "hostname"));
	/* Short names may well be part of another word. */
	if (!gethostname(host, sizeof(host)) && strlen(host) > 8 &&
	    !strstr(js_get_str(kernel, "cmdline", ""), host))
		CU_ASSERT_PTR_NULL(strstr(text, host));
}

/* A made-up device: a directory with the files of sysfs. */
struct fake {
	char *dir;
	char *queue;
};

static void fake_put(const struct fake *f, const char *file, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->dir, file);

	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static bool fake_open(struct fake *f)
{
	_cleanup_free_ char *device = NULL, *iosched = NULL;

	f->dir = xstrdup("/tmp/fstrial-unit-XXXXXX");
	if (!mkdtemp(f->dir)) {
		CU_FAIL("no directory");
		free(f->dir);
		return false;
	}
	iosched = xasprintf("%s/queue/iosched", f->dir);
	device = xasprintf("%s/device", f->dir);
	CU_ASSERT_EQUAL(dir_make(iosched, 0700, NULL), 0);
	CU_ASSERT_EQUAL(dir_make(device, 0700, NULL), 0);
	fake_put(f, "queue/scheduler", "none [mq-deadline] kyber \n");
	fake_put(f, "queue/nr_requests", "128\n");
	fake_put(f, "queue/rotational", "1\n");
	fake_put(f, "queue/write_cache", "write back\n");
	fake_put(f, "queue/fua", "0\n");
	fake_put(f, "queue/iosched/read_expire", "500\n");
	fake_put(f, "device/queue_depth", "32\n");
	fake_put(f, "device/model", "ST4000NM0033-9ZM\n");
	fake_put(f, "device/rescan", "must not be read\n");
	fake_put(f, "stat", "1 2 3\n");
	return true;
}

static void fake_close(struct fake *f)
{
	CU_ASSERT_EQUAL(dir_remove_tree(f->dir, NULL), 0);
	free(f->dir);
}

static void test_settings(void)
{
	_cleanup_json_ json_t *v = NULL;
	struct fake f;

	if (!fake_open(&f))
		return;
	v = environment_settings(f.dir);
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "queue/scheduler", ""), "mq-deadline");
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "queue/nr_requests", ""), "128");
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "queue/iosched/read_expire", ""), "500");
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "device/queue_depth", ""), "32");
	CU_ASSERT_EQUAL(json_object_size(v), 7);
	fake_close(&f);
}

static void test_device(void)
{
	_cleanup_json_ json_t *v = NULL;
	struct fake f;

	if (!fake_open(&f))
		return;
	v = environment_device(NULL, f.dir);
	CU_ASSERT_TRUE(json_is_null(json_object_get(v, "path")));
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "name", ""), strrchr(f.dir, '/') + 1);
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "model", ""), "ST4000NM0033-9ZM");
	CU_ASSERT_TRUE(json_is_null(json_object_get(v, "serial")));
	CU_ASSERT_TRUE(json_is_true(json_object_get(v, "rotational")));
	CU_ASSERT_TRUE(json_is_false(json_object_get(v, "fua")));
	CU_ASSERT_STRING_EQUAL(js_get_str(v, "write_cache", ""), "write back");
	CU_ASSERT_TRUE(json_is_null(json_object_get(v, "backing_file")));
	CU_ASSERT_STRING_EQUAL(js_get_str(json_object_get(v, "queue"), "iosched/read_expire", ""),
			       "500");
	fake_close(&f);
}

/* A SCSI disk's serial number is in a binary page. */
static void test_serial(void)
{
	_cleanup_free_ char *path = NULL;
	struct blockdev bd = { 0 };
	struct fake f;
	char serial[32];

	if (!fake_open(&f))
		return;
	snprintf(bd.sysfs, sizeof(bd.sysfs), "%s", f.dir);
	path = xasprintf("%s/device/vpd_pg80", f.dir);
	CU_ASSERT_EQUAL(file_write_atomic(path, "\0\x80\0\x0c    Z1Z8ABCDjunk", 20, NULL), 0);
	CU_ASSERT_TRUE(blockdev_serial(&bd, serial, sizeof(serial)));
	CU_ASSERT_STRING_EQUAL(serial, "Z1Z8ABCD");
	/* A length beyond its end; nothing but blanks; too long for the buffer. */
	CU_ASSERT_EQUAL(file_write_atomic(path,
					  "\0\x80\xff\xff"
					  "AB",
					  6, NULL),
			0);
	CU_ASSERT_TRUE(blockdev_serial(&bd, serial, sizeof(serial)));
	CU_ASSERT_STRING_EQUAL(serial, "AB");
	CU_ASSERT_FALSE(blockdev_serial(&bd, serial, 2));
	CU_ASSERT_EQUAL(file_write_atomic(path, "\0\x80\0\4    ", 8, NULL), 0);
	CU_ASSERT_FALSE(blockdev_serial(&bd, serial, sizeof(serial)));
	fake_put(&f, "serial", "VIRT-1\n");
	CU_ASSERT_TRUE(blockdev_serial(&bd, serial, sizeof(serial)));
	CU_ASSERT_STRING_EQUAL(serial, "VIRT-1");
	fake_close(&f);
}

static void test_differs(void)
{
	static const struct {
		const char *before, *after, *want; /* NULL: equal */
	} rows[] = {
		{ "{}", "{}", NULL },
		{ "{\"a\": \"1\"}", "{\"a\": \"1\"}", NULL },
		{ "{\"a\": \"1\", \"b\": \"2\"}", "{\"b\": \"2\", \"a\": \"1\"}", NULL },
		{ "{\"queue/scheduler\": \"mq-deadline\", \"x\": \"1\"}",
		  "{\"x\": \"2\", \"queue/scheduler\": \"none\"}",
		  "queue/scheduler was mq-deadline, is none" },
		{ "{\"a\": \"1\"}", "{}", "a was 1, is gone" },
		{ "{}", "{\"a\": \"1\"}", "a was not there, is 1" },
		{ "{\"a\": null}", "{\"a\": \"1\"}", "a was unreadable, is 1" },
		{ "{\"queue/write_zeroes_max_bytes\": \"4096\"}",
		  "{\"queue/write_zeroes_max_bytes\": \"0\"}", NULL },
		{ "{\"queue/discard_max_bytes\": \"4096\"}", "{\"queue/discard_max_bytes\": \"512\"}",
		  "queue/discard_max_bytes was 4096, is 512" },
		{ "{\"queue/nr_requests\": \"4096\"}", "{\"queue/nr_requests\": \"0\"}",
		  "queue/nr_requests was 4096, is 0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_json_ json_t *a = js_parse(rows[i].before, strlen(rows[i].before), "a",
						    NULL);
		_cleanup_json_ json_t *b = js_parse(rows[i].after, strlen(rows[i].after), "b",
						    NULL);
		char text[128] = "";

		CU_ASSERT_EQUAL(environment_differs(a, b, text, sizeof(text)),
				rows[i].want != NULL);
		CU_ASSERT_STRING_EQUAL(text, rows[i].want ? rows[i].want : "");
	}
}

static void loop_cases(struct scratch *s)
{
	_cleanup_json_ json_t *env = environment_collect(s->device[0], NULL);
	const json_t *device = json_object_get(env, "device");
	_cleanup_json_ json_t *before = NULL, *same = NULL, *after = NULL;
	_cleanup_free_ char *sysfs = NULL, *knob = NULL;
	char was[32], text[128] = "";

	CU_ASSERT_STRING_EQUAL(js_get_str(device, "path", ""), s->device[0]);
	CU_ASSERT_STRING_EQUAL(js_get_str(device, "name", ""), scratch_name(s, 0));
	CU_ASSERT_STRING_EQUAL(js_get_str(device, "backing_file", ""), s->image[0]);
	CU_ASSERT_EQUAL(js_get_u64(device, "size_bytes", 0), 16 * MIB);
	CU_ASSERT_STRING_EQUAL(
		js_get_str(json_object_get(device, "queue"), "logical_block_size", ""), "512");
	sysfs = xasprintf("/sys/block/%s", scratch_name(s, 0));
	knob = xasprintf("%s/queue/read_ahead_kb", sysfs);
	before = environment_settings(sysfs);
	same = environment_settings(sysfs);
	CU_ASSERT_FALSE(environment_differs(before, same, text, sizeof(text)));
	CU_ASSERT_EQUAL(file_read_line(knob, was, sizeof(was)), 0);
	CU_ASSERT_EQUAL(file_write_value(knob, str_eq(was, "68") ? "72" : "68"), 0);
	after = environment_settings(sysfs);
	CU_ASSERT_EQUAL(file_write_value(knob, was), 0);
	CU_ASSERT_TRUE(environment_differs(before, after, text, sizeof(text)));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "queue/read_ahead_kb was "));
}

static void test_loop(void)
{
	struct scratch s;

	if (scratch_skip("environment of a loop device", NULL) || !scratch_open(&s))
		return;
	if (scratch_attach(&s, 0, 16 * MIB, 512))
		loop_cases(&s);
	else
		CU_FAIL("no loop device");
	scratch_close(&s);
}

void test_record_environment(void);

void test_record_environment(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "collect", test_collect }, { "settings", test_settings },
		{ "device", test_device },   { "serial number", test_serial },
		{ "differs", test_differs }, { "loop device", test_loop },
	};
	CU_pSuite suite = CU_add_suite("record environment", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
