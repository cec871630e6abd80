/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/report/show, with documents that hold what the report looks at. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/show.h"
#include "core/util/text.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

void test_report_show(void);

/* ---- documents ---- */

static json_t *metric(double value, const char *unit, int primary)
{
	json_t *m = js_object();

	js_set(m, "value", js_real(value));
	js_set(m, "unit", js_str(unit));
	return js_set(m, "primary", js_bool(primary));
}

static json_t *step(const char *name, const char *kind, const char *status, const char *reason)
{
	json_t *s = js_object();

	js_set(s, "name", js_str(name));
	js_set(s, "kind", js_str(kind));
	js_set(s, "status", js_str(status));
	js_set(s, "reason", js_str(reason));
	js_set(s, "asked", js_object());
	js_set(s, "in_force", js_object());
	js_set(s, "warnings", js_array());
	return js_set(s, "metrics", js_object());
}

static json_t *trial(json_t *doc, const char *variant, int repeat, const char *status)
{
	json_t *t = js_object();

	js_set(t, "variant", js_str(variant));
	js_set(t, "repeat", js_u64((uint64_t)repeat));
	js_set(t, "status", js_str(status));
	js_set(t, "steps", js_array());
	js_push(json_object_get(doc, "trials"), t);
	return t;
}

static json_t *add_step(json_t *t, json_t *s)
{
	js_push(json_object_get(t, "steps"), s);
	return s;
}

static json_t *document(const char *head)
{
	struct err e = { 0 };
	json_t *doc = js_parse(head, strlen(head), "head", &e);

	CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
	return js_set(doc, "trials", js_array());
}

static const char head_two[] =
	"{\"session\": {\"id\": \"S1\", \"started\": \"2026-11-30T13:23:33Z\", \"ended\": null,"
	" \"status\": \"complete\", \"repeats\": 3,"
	" \"target\": {\"kind\": \"scratch\", \"device\": \"/dev/loop0\", \"directory\": null,"
	" \"size_bytes\": 1073741824}},"
	"\"job\": {\"name\": \"two\", \"description\": \"Two \\u001b[2J variants\"},"
	"\"environment\": {\"kernel\": {\"release\": \"6.1.0\", \"arch\": \"x86_64\"}, "
	"\"warnings\": []},"
	"\"variants\": [{\"id\": \"v01\", \"values\": {\"bs\": \"16KiB\"}},"
	" {\"id\": \"v02\", \"values\": {\"bs\": \"1MiB\"}}]}";

static char *show(const json_t *doc, bool all)
{
	const struct show_options opt = { .all = all };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	show_result(doc, &opt, out);
	fclose(out);
	return text;
}

static bool has(const char *text, const char *part)
{
	if (strstr(text, part))
		return true;
	fprintf(stderr, "\nnot there: %s\n%s\n", part, text);
	return false;
}

/* The words of the first line that has part, single blanks between them. */
static char *line_with(const char *text, const char *part)
{
	struct strbuf out = STRBUF_INIT;
	const char *at = strstr(text, part), *start = at;
	char **words;

	while (start && start > text && start[-1] != '\n')
		start--;
	_cleanup_free_ char *line = xstrndup(start ? start : "", start ? strcspn(start, "\n") : 0);
	words = str_split(line, " ", NULL);
	for (size_t i = 0; words[i]; i++)
		strbuf_addf(&out, "%s%s", i ? " " : "", words[i]);
	str_freev(words);
	return strbuf_steal(&out);
}

static bool fits(const char *text)
{
	bool good = true;

	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		_cleanup_free_ char *line = xstrndup(s, n);

		good = good && text_width(line) <= 100 && (!n || s[n - 1] != ' ');
		s += n + (s[n] == '\n');
	}
	return good && !strchr(text, '\x1b');
}

#define MIB (1024.0 * 1024)

/* ---- tests ---- */

static void test_numbers(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL, *all = NULL, *line = NULL, *other = NULL;

	for (int r = 1; r <= 3; r++) {
		json_t *m = json_object_get(add_step(trial(doc, "v01", r, "ok"),
						     step("write", "workload", "ok", NULL)),
					    "metrics");

		js_set(m, "throughput", metric((99 + r) * MIB, "bytes/s", 1));
		js_set(m, "extents", metric(4, "count", 0));
		m = json_object_get(add_step(trial(doc, "v02", r, "ok"),
					     step("write", "workload", "ok", NULL)),
				    "metrics");
		js_set(m, "throughput",
		       r == 2 ? metric(0.0 / 0.0, "bytes/s", 1) : metric(2048 * MIB, "bytes/s", 1));
	}
	text = show(doc, false);
	line = line_with(text, "bs=16KiB");
	CU_ASSERT_STRING_EQUAL(
		line, "write.throughput v01 bs=16KiB 3 101.0 100.0 102.0 101.0 MiB/s 1.0 %");
	other = line_with(text, "bs=1MiB");
	CU_ASSERT_STRING_EQUAL(other,
			       "write.throughput v02 bs=1MiB 2 2048 2048 2048 2048 MiB/s 0.0 %");
	CU_ASSERT_TRUE(has(text, "trials      6 of 6 (2 variants, 3 repeats): 6 ok\n"));
	CU_ASSERT_TRUE(has(text, "status      complete\n"));
	CU_ASSERT_TRUE(has(text, "kernel      6.1.0 x86_64\n"));
	CU_ASSERT_TRUE(has(text, "target      scratch /dev/loop0, 1.000 GiB\n"));
	CU_ASSERT_TRUE(has(text, "job         two: Two ?[2J variants\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "extents"));
	CU_ASSERT_TRUE(fits(text));
	all = show(doc, true);
	CU_ASSERT_TRUE(has(all, "write.extents"));
}

/* Failed trials have no number, but a line, and their reason is said once. */
static void test_failures(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL, *line = NULL;

	for (int r = 1; r <= 3; r++) {
		json_t *t = trial(doc, "v01", r, "failed");
		json_t *w;

		js_set(t, "reason", js_str("mkfs: not to be said twice"));
		add_step(t, step("mkfs", "setup", "failed",
				 "mkfs.xfs: Filesystem must be larger than 300MB"));
		w = add_step(t, step("write", "workload", "not run", NULL));
		/* whatever a step that did not end well left is no number */
		js_set(json_object_get(w, "metrics"), "throughput", metric(1, "bytes/s", 1));
		t = trial(doc, "v02", r, r == 2 ? "failed" : "ok");
		add_step(t, step("readahead", "setup", "skipped", "the target is a directory"));
		w = add_step(t, step("write", "workload", r == 2 ? "failed" : "ok",
				     r == 2 ? "write f0: ENOSPC" : NULL));
		if (r != 2)
			js_set(json_object_get(w, "metrics"), "throughput",
			       metric(MIB, "bytes/s", 1));
	}
	text = show(doc, false);
	line = line_with(text, "bs=16KiB");
	CU_ASSERT_STRING_EQUAL(line, "write.throughput v01 bs=16KiB 0 - - - - -");
	CU_ASSERT_TRUE(has(text,
			   "\nfailed:\n"
			   "  v01 r1-r3 mkfs: mkfs.xfs: Filesystem must be larger than 300MB\n"
			   "  v02 r2 write: write f0: ENOSPC\n"));
	CU_ASSERT_TRUE(has(text, "\nskipped:\n  v02 r1-r3 readahead: the target is a directory\n"));
	CU_ASSERT_TRUE(has(text, ": 2 ok, 4 failed\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "twice"));
	CU_ASSERT_TRUE(fits(text));
}

static void test_warnings(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL;
	json_t *env = json_object_get(doc, "environment"), *s;

	js_push(json_object_get(env, "warnings"), js_str("cpu governor is powersave"));
	for (int r = 1; r <= 3; r++) {
		for (int v = 1; v <= 2; v++) {
			json_t *t = trial(doc, v == 1 ? "v01" : "v02", r, "ok");

			s = add_step(t, step("sysfs", "setup", "ok", NULL));
			js_set(json_object_get(s, "asked"), "nr_requests", js_str("2"));
			js_set(json_object_get(s, "in_force"), "nr_requests", js_str("4"));
			s = add_step(t, step("mount", "setup", "ok", NULL));
			js_set(json_object_get(s, "asked"), "options", js_str("a"));
			js_set(json_object_get(s, "in_force"), "options", js_str("b"));
			js_push(json_object_get(s, "warnings"),
				js_str("options: asked for a, in force is b"));
			if (v == 2 && r != 2)
				js_push(json_object_get(s, "warnings"), js_str("odd"));
		}
	}
	text = show(doc, false);
	CU_ASSERT_TRUE(has(text, "\nwarnings:\n"
				 "  v01-v02 r1-r3 sysfs: nr_requests: asked 2, in force 4\n"
				 "  v01-v02 r1-r3 mount: options: asked for a, in force is b\n"
				 "  v02 r1,r3 mount: odd\n"
				 "  cpu governor is powersave\n"));
	CU_ASSERT_TRUE(fits(text));
}

/* Values that do not fit beside the numbers stand above the table. */
static void test_legend(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	json_t *variants = json_object_get(doc, "variants");
	_cleanup_free_ char *text = NULL, *line = NULL;
	struct strbuf longer = STRBUF_INIT;

	for (int i = 0; i < 30; i++)
		strbuf_addf(&longer, "noatime,%d ", i);
	js_set(json_object_get(json_array_get(variants, 0), "values"), "options",
	       js_str(strbuf_str(&longer)));
	js_set(json_object_get(json_object_get(doc, "session"), "target"), "directory",
	       js_str(strbuf_str(&longer)));
	strbuf_free(&longer);
	js_set(json_object_get(add_step(trial(doc, "v01", 1, "ok"),
					step("write", "workload", "ok", NULL)),
			       "metrics"),
	       "p99", metric(1234567, "ns", 1));
	text = show(doc, false);
	CU_ASSERT_TRUE(has(text, "variants:\n  v01  bs=16KiB options=noatime,0 "));
	CU_ASSERT_TRUE(has(text, "\n  v02  bs=1MiB\n"));
	line = line_with(text, "write.p99");
	CU_ASSERT_STRING_EQUAL(line, "write.p99 v01 1 1.235 1.235 1.235 1.235 ms -");
	CU_ASSERT_TRUE(fits(text));
}

static void test_incomplete(void)
{
	static const struct {
		const char *status, *text;
	} rows[] = {
		{ "interrupted", "INTERRUPTED" },
		{ "partial", "PARTIAL" },
		{ "stopped", "STOPPED" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_json_ json_t *doc = document(head_two);
		_cleanup_free_ char *text = NULL;

		js_set(json_object_get(doc, "session"), "status", js_str(rows[i].status));
		text = show(doc, false);
		CU_ASSERT_TRUE(has(text, rows[i].text));
		CU_ASSERT_TRUE(has(text, "trials      0 of 6"));
		CU_ASSERT_TRUE(has(text, "No workload step was reached"));
		CU_ASSERT_TRUE(fits(text));
	}
}

/* A line for each repeat of many different warnings would bury everything. */
static void test_many(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL, *all = NULL;
	json_t *s = add_step(trial(doc, "v01", 1, "ok"), step("write", "workload", "ok", NULL));

	for (int i = 0; i < 50; i++) {
		_cleanup_free_ char *w = xasprintf("letter %c%c", 'a' + i / 26, 'a' + i % 26);

		js_push(json_object_get(s, "warnings"), js_str(w));
	}
	text = show(doc, false);
	CU_ASSERT_TRUE(has(text, "  ... and 30 more (fstrial show --all)\n"));
	all = show(doc, true);
	CU_ASSERT_TRUE(has(all, "v01 r1 write: letter bx\n"));
}

/* The same warning with other numbers in each repeat is one; a variant's own numbers stay. */
static void test_varying(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL, *all = NULL;

	for (int i = 0; i < 6; i++) {
		json_t *s = add_step(trial(doc, i % 2 ? "v02" : "v01", i / 2 + 1, "ok"),
				     step("write", "workload", "ok", NULL));
		_cleanup_free_ char *w = xasprintf("ran %d.5 ms", i);
		_cleanup_free_ char *same = xasprintf("depth %d", i % 2);

		js_push(json_object_get(s, "warnings"), js_str(w));
		js_push(json_object_get(s, "warnings"), js_str(same));
		js_push(json_object_get(s, "warnings"), js_str("of 2 CPUs"));
	}
	text = show(doc, false);
	CU_ASSERT_TRUE(has(text, "\nwarnings:\n"
				 "  v01 r1-r3 write: ran 0.5 ms (numbers of r1)\n"
				 "  v01 r1-r3 write: depth 0\n"
				 "  v01-v02 r1-r3 write: of 2 CPUs\n"
				 "  v02 r1-r3 write: ran 1.5 ms (numbers of r1)\n"
				 "  v02 r1-r3 write: depth 1\n"));
	all = show(doc, true);
	CU_ASSERT_TRUE(has(all, "v01 r2 write: ran 2.5 ms\n"));
}

static void test_latencies(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL, *line = NULL;
	static const char latency[] =
		"{\"sync\": {\"unit\": \"ns\", \"count\": 3, \"percentiles\": {\"50\": 1000, "
		"\"99\": null}},"
		" \"read\": {\"unit\": \"ns\", \"count\": 0, \"percentiles\": {\"50\": null}}}";
	json_t *s = add_step(trial(doc, "v01", 1, "ok"), step("log", "workload", "ok", NULL));
	struct err e = { 0 };

	js_set(s, "latency", js_parse(latency, strlen(latency), "latency", &e));
	text = show(doc, true);
	line = line_with(text, "log.sync.p50");
	CU_ASSERT_STRING_EQUAL(line, "log.sync.p50 v01 bs=16KiB 1 1.000 1.000 1.000 1.000 us -");
	CU_ASSERT_TRUE(has(text, "log.sync.p99"));
	CU_ASSERT_PTR_NULL(strstr(text, "log.read"));
}

/* Documents of other hands: nothing is there, or everything has another type. */
static void test_strange(void)
{
	static const char *const docs[] = {
		"{}",
		"{\"session\": [], \"job\": 3, \"environment\": null, \"variants\": {}, "
		"\"trials\": \"x\"}",
		"{\"variants\": [1, {\"id\": 4}], \"trials\": [7, {\"variant\": \"v99\"}]}",
		"{\"variants\": [{\"id\": \"v01\"}], \"trials\": [{\"variant\": \"v01\", "
		"\"steps\": [0, 1]}]}",
		"{\"trials\": [{\"steps\": [{\"kind\": \"workload\", \"metrics\": [1], \"asked\": "
		"1}]}]}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(docs); i++) {
		struct err e = { 0 };
		_cleanup_json_ json_t *doc = js_parse(docs[i], strlen(docs[i]), "strange", &e);
		_cleanup_free_ char *text = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
		text = show(doc, true);
		CU_ASSERT_TRUE(fits(text));
	}
}

static json_t *expectation(const char *text, double value, const char *unit, json_t *met,
			   const char *reason)
{
	json_t *x = js_object();

	js_set(x, "text", js_str(text));
	js_set(x, "value", js_real(value));
	js_set(x, "unit", js_str(unit));
	js_set(x, "met", met);
	return js_set(x, "reason", js_str(reason));
}

/* Folded over repeats, with the range of the values; two that differ in a number only stay two. */
static void test_expectations(void)
{
	_cleanup_json_ json_t *doc = document(head_two);
	_cleanup_free_ char *text = NULL;

	for (int r = 1; r <= 3; r++) {
		json_t *s = add_step(trial(doc, "v01", r, "ok"), step("write", "workload", "ok", NULL));
		json_t *x = js_array();

		js_push(x, expectation("write.p99 < 10ms", 11e6 + r * 1e6, "ns",
				       r == 2 ? json_true() : json_false(), NULL));
		js_push(x, expectation("write.p50 < 10ms", 20e6, "ns", json_false(), NULL));
		js_push(x, expectation("write.p99.9 < 1s", NAN, "ns", json_false(), "too few samples"));
		js_set(s, "expect", x);
		s = add_step(trial(doc, "v02", r, "failed"), step("write", "workload", "failed", "x"));
		js_set(s, "expect",
		       js_push(js_array(), expectation("iops > 5", NAN, "ops/s", json_null(), NULL)));
	}
	text = show(doc, false);
	CU_ASSERT_TRUE(has(text, "1 met, 8 NOT MET, 3 not judged\n"));
	CU_ASSERT_TRUE(has(text, "\nexpectations:\n"
				 "  v01 r1,r3 write: write.p99 < 10ms: not met, 12.00 ms to 14.00 ms\n"
				 "  v01 r1-r3 write: write.p50 < 10ms: not met, 20.00 ms\n"
				 "  v01 r1-r3 write: write.p99.9 < 1s: not met, too few samples\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "iops > 5"));
}

void test_report_show(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "numbers", test_numbers },	   { "failures", test_failures },
		{ "warnings", test_warnings },	   { "legend", test_legend },
		{ "incomplete", test_incomplete }, { "many", test_many },
		{ "varying", test_varying },	   { "latencies", test_latencies },
		{ "strange", test_strange },	   { "expectations", test_expectations },
	};
	CU_pSuite suite = CU_add_suite("report show", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
