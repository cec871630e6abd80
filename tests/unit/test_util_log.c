/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/log: what reaches stderr. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/file.h"
#include "core/util/log.h"

/* Runs fn with stderr in a file and returns what it wrote; caller frees. */
static char *capture(void (*fn)(void))
{
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO);
	char *text = calloc(1, 4096);
	size_t got = 0;

	CU_ASSERT_TRUE_FATAL(f && text && saved >= 0);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	fn();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	CU_ASSERT_EQUAL(file_read_all(fileno(f), text, 4095, &got), 0);
	fclose(f);
	return text;
}

static void say_all(void)
{
	log_error("e %d", 1);
	log_warning("w %s", "x");
	log_info("i");
	log_debug("d");
}

static void say_lines(void)
{
	log_info("a\nb\n\n");
	log_info("%s", "");
}

static void test_levels(void)
{
	static const struct {
		enum log_level level;
		const char *text;
	} rows[] = {
		{ LOG_ERROR, "fstrial: error: e 1\n" },
		{ LOG_WARNING, "fstrial: error: e 1\nfstrial: warning: w x\n" },
		{ LOG_INFO, "fstrial: error: e 1\nfstrial: warning: w x\nfstrial: i\n" },
		{ LOG_DEBUG, "fstrial: error: e 1\nfstrial: warning: w x\nfstrial: i\n"
			     "fstrial: debug: d\n" },
	};
	enum log_level before = log_get_level();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text;

		log_set_level(rows[i].level);
		CU_ASSERT_EQUAL(log_get_level(), rows[i].level);
		text = capture(say_all);
		CU_ASSERT_STRING_EQUAL(text, rows[i].text);
		free(text);
	}
	log_set_level(before);
}

static void test_one_line(void)
{
	enum log_level before = log_get_level();
	char *text;

	log_set_level(LOG_INFO);
	text = capture(say_lines);
	CU_ASSERT_STRING_EQUAL(text, "fstrial: a b\nfstrial: \n");
	free(text);
	log_set_level(before);
}

static void test_keeps_errno(void)
{
	errno = ENOSPC;
	log_debug("x");
	CU_ASSERT_EQUAL(errno, ENOSPC);
}

void test_util_log(void);

void test_util_log(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "levels", test_levels },
		{ "one line", test_one_line },
		{ "keeps errno", test_keeps_errno },
	};
	CU_pSuite suite = CU_add_suite("util log", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
