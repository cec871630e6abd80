/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/xalloc. */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/util/xalloc.h"

static void test_copies(void)
{
	char *a = xstrdup("abc"), *b = xstrndup("abcdef", 3), *c = xstrndup("ab", 9);
	char *d = xasprintf("%s%d", "ab", 3), *e = xmemdup("a\0b", 3);

	CU_ASSERT_STRING_EQUAL(a, "abc");
	CU_ASSERT_STRING_EQUAL(b, "abc");
	CU_ASSERT_STRING_EQUAL(c, "ab");
	CU_ASSERT_STRING_EQUAL(d, "ab3");
	CU_ASSERT_EQUAL(memcmp(e, "a\0b", 3), 0);
	free(a);
	free(b);
	free(c);
	free(d);
	free(e);
}

/* Zero bytes is no failure and never NULL. */
static void test_zero(void)
{
	void *v[] = { xmalloc(0), xcalloc(0, 8), xcalloc(8, 0), xrealloc(NULL, 0), xmemdup("", 0),
		      xreallocarray(NULL, 0, 4) };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		CU_ASSERT_PTR_NOT_NULL(v[i]);
		free(v[i]);
	}
}

static void test_calloc_is_zero(void)
{
	_cleanup_free_ unsigned char *p = xcalloc(100, 3);
	int sum = 0;

	for (int i = 0; i < 300; i++)
		sum += p[i];
	CU_ASSERT_EQUAL(sum, 0);
}

static void test_overflow_aborts(void)
{
	const struct rlimit no_core = { 0, 0 };
	volatile size_t huge = SIZE_MAX / 2;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		free(xreallocarray(NULL, huge, 4));
		_exit(0);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

void test_util_xalloc(void);

void test_util_xalloc(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "copies", test_copies },
		{ "zero bytes", test_zero },
		{ "calloc is zero", test_calloc_is_zero },
		{ "overflow aborts", test_overflow_aborts },
	};
	CU_pSuite suite = CU_add_suite("util xalloc", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
