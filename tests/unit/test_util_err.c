/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/err. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/err.h"

static void test_first_wins(void)
{
	struct err e = { 0, "" };

	CU_ASSERT_EQUAL(err_set(&e, ENOSPC, "%s: full", "/x"), -ENOSPC);
	CU_ASSERT_EQUAL(err_set(&e, EIO, "later"), -EIO);
	CU_ASSERT_EQUAL(e.code, ENOSPC);
	CU_ASSERT_STRING_EQUAL(e.text, "/x: full");
	err_clear(&e);
	CU_ASSERT_EQUAL(e.code, 0);
	CU_ASSERT_STRING_EQUAL(e.text, "");
	CU_ASSERT_EQUAL(err_set(&e, EIO, "now"), -EIO);
	CU_ASSERT_STRING_EQUAL(e.text, "now");
}

static void test_null(void)
{
	CU_ASSERT_EQUAL(err_set(NULL, EIO, "x"), -EIO);
	err_prefix(NULL, "x");
	err_clear(NULL);
}

/* -errno by mistake, or a code of 0, still is a failure. */
static void test_odd_codes(void)
{
	struct err e = { 0, "" };

	CU_ASSERT_EQUAL(err_set(&e, -EIO, "x"), -EIO);
	CU_ASSERT_EQUAL(e.code, EIO);
	err_clear(&e);
	CU_ASSERT_TRUE(err_set(&e, 0, "x") < 0);
	CU_ASSERT_TRUE(e.code > 0);
}

static void test_one_line(void)
{
	struct err e = { 0, "" };

	err_set(&e, EIO, "mkfs said:\n  no\r\n\n");
	CU_ASSERT_STRING_EQUAL(e.text, "mkfs said:   no");
}

static void test_prefix(void)
{
	struct err e = { 0, "" };

	err_prefix(&e, "nothing yet");
	CU_ASSERT_STRING_EQUAL(e.text, "");
	err_set(&e, EIO, "broken");
	err_prefix(&e, "step %d", 3);
	err_prefix(&e, "a.job:%d", 12);
	CU_ASSERT_STRING_EQUAL(e.text, "a.job:12: step 3: broken");
	CU_ASSERT_EQUAL(e.code, EIO);
}

static void test_long_text(void)
{
	char text[3000];
	struct err e = { 0, "" };

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, EIO, "%s", text);
	CU_ASSERT_EQUAL(strlen(e.text), sizeof(e.text) - 1);
	err_prefix(&e, "where");
	CU_ASSERT_EQUAL(strlen(e.text), sizeof(e.text) - 1);
	CU_ASSERT_EQUAL(strncmp(e.text, "where: xxx", 10), 0);
	err_prefix(&e, "%s", text); /* does not fit: left out */
	CU_ASSERT_EQUAL(strncmp(e.text, "where: xxx", 10), 0);
}

static void test_keeps_errno(void)
{
	struct err e = { 0, "" };

	errno = ENOENT;
	err_set(&e, errno, "/x: %m");
	err_prefix(&e, "p");
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text, "p: /x: No such file or directory");
}

static void test_own_text_as_argument(void)
{
	struct err e = { 0, "" };

	err_set(&e, EIO, "inner");
	e.code = 0;
	err_set(&e, EIO, "outer: %s", e.text);
	CU_ASSERT_STRING_EQUAL(e.text, "outer: inner");
}

static void test_names(void)
{
	CU_ASSERT_STRING_EQUAL(err_name(ENOSPC), "ENOSPC");
	CU_ASSERT_STRING_EQUAL(err_name(EPERM), "EPERM");
	CU_ASSERT_STRING_EQUAL(err_name(-EXDEV), "EXDEV");
	CU_ASSERT_STRING_EQUAL(err_name(4711), "E4711");
}

void test_util_err(void);

/* A long path is cut, not what was wrong with it. */
static void test_err_long(void)
{
	struct err e = { 0 };
	char path[2 * ERR_TEXT];
	size_t n;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	CU_ASSERT_EQUAL(err_sys(&e, ENAMETOOLONG, "create %s", path), -ENAMETOOLONG);
	n = strlen(e.text);
	CU_ASSERT_EQUAL(n, ERR_TEXT - 1);
	CU_ASSERT_STRING_EQUAL(e.text + n - 28, "ppppp...: File name too long");
}

static void test_err_sys(void)
{
	struct err e = { 0 };

	CU_ASSERT_EQUAL(err_sys(&e, ENOSPC, "write %s", "x"), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(e.text, "write x: No space left on device");
	CU_ASSERT_EQUAL(e.code, ENOSPC);
	CU_ASSERT_EQUAL(err_sys(&e, EIO, "later"), -EIO);
	CU_ASSERT_STRING_EQUAL(e.text, "write x: No space left on device");
}

void test_util_err(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "first wins", test_first_wins },
		{ "NULL", test_null },
		{ "odd codes", test_odd_codes },
		{ "one line", test_one_line },
		{ "prefix", test_prefix },
		{ "long text", test_long_text },
		{ "keeps errno", test_keeps_errno },
		{ "own text as argument", test_own_text_as_argument },
		{ "names", test_names },
		{ "errno behind the text", test_err_sys },
		{ "errno behind a long text", test_err_long },
	};
	CU_pSuite suite = CU_add_suite("util err", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
