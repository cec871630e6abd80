/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the unit tests: each tests/unit/test_X.c has one function test_X that adds its CUnit suites.
 *
 *     unit --list [NAME...]  prints how many tests there are
 *     unit [NAME...]         runs all, or those of the named functions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "unit_list.h"

struct unit_test {
	const char *name;
	void (*fn)(void);
};

/* The generated list ends each entry with a comma; the last entry closes the table. */
static const struct unit_test tests[] = { UNIT_TESTS { NULL, NULL } };

static pid_t main_pid;
static int finished;

/* A test that calls exit(0) must not look like success. A forked child may exit as it likes. */
static void check_finished(void)
{
	if (finished || getpid() != main_pid)
		return;
	fputs("\na test ended the program\n", stdout);
	_exit(1);
}

static int is_wanted(const char *name, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return 1;
	return 0;
}

/* Each function adds its suites; a name that does not exist is an error. Number of tests, or 0. */
static unsigned int add_tests(char **names)
{
	unsigned int n = 0, wanted = 0;

	for (char **p = names; *p; p++)
		wanted++;
	for (const struct unit_test *t = tests; t->name; t++) {
		if (!is_wanted(t->name, names))
			continue;
		t->fn();
		n++;
	}
	if (!n || (wanted && n != wanted)) {
		fputs("no such test\n", stderr);
		return 0;
	}
	n = 0;
	for (CU_pSuite s = CU_get_registry()->pSuite; s; s = s->pNext)
		n += s->uiNumberOfTests;
	return n;
}

/* CU_basic_run_tests() returns 0 whatever the tests found: the counts decide. */
static int run(char **names, int list)
{
	unsigned int n;
	int good;

	if (CU_initialize_registry() != CUE_SUCCESS)
		return -ENOMEM;
	n = add_tests(names);
	if (list || !n) {
		if (list)
			printf("%u\n", n);
		CU_cleanup_registry();
		return n ? 0 : -ENOENT;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	good = CU_basic_run_tests() == CUE_SUCCESS && CU_get_number_of_tests_run() == n &&
	       CU_get_number_of_failures() == 0 && CU_get_number_of_tests_failed() == 0;
	CU_cleanup_registry();
	return good ? 0 : -EIO;
}

int main(int argc, char **argv)
{
	int list = argc > 1 && !strcmp(argv[1], "--list");
	int r;

	/* Where test data and built plugins are; tests/run.sh sets both. */
	setenv("SRC", UNIT_SRC, 0);
	setenv("BUILD", UNIT_BUILD, 0);
	/* Unbuffered: after a crash, the last line names the test. */
	setvbuf(stdout, NULL, _IONBF, 0);
	main_pid = getpid();
	if (atexit(check_finished))
		return 1;
	r = run(argv + 1 + list, list);
	finished = 1;
	return r ? 1 : 0;
}
