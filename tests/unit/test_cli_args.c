/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/cli/args. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/cli/args.h"
#include "core/util/str.h"

void test_cli_args(void);

struct sample {
	bool quiet;
	const char *out;
	struct arg_list set;
	uint32_t repeats;
	uint64_t seed;
	int format;
};

static const char *const formats[] = { "text", "json", NULL };

static const struct arg sample_args[] = {
	{ "quiet", NULL, "No progress.", ARG_FLAG, offsetof(struct sample, quiet), NULL },
	{ "out", "DIR", "Where results go.", ARG_TEXT, offsetof(struct sample, out), NULL },
	{ "set", "NAME=VALUE", "Set it.", ARG_LIST, offsetof(struct sample, set), NULL },
	{ "repeats", "N", "How often.", ARG_U32, offsetof(struct sample, repeats), NULL },
	{ "seed", "N", "Seed.", ARG_U64, offsetof(struct sample, seed), NULL },
	{ "format", "FORMAT", "How.", ARG_CHOICE, offsetof(struct sample, format), formats },
};

static const struct arg_table table = ARG_TABLE(sample_args);

struct parsed {
	struct sample s;
	struct arg_list operands;
	struct err e;
	int r;
};

/* words: up to eight, the command's own name is put in front. */
static void parse(const char *const *words, struct parsed *p)
{
	char *argv[10] = { (char *)"run" };
	int argc = 1;

	while (words[argc - 1] && argc < 9) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	memset(p, 0, sizeof(*p));
	p->r = args_parse(&table, argc, argv, &p->s, &p->operands, &p->e);
}

static void release(struct parsed *p)
{
	args_free_list(&p->operands);
	args_free_list(&p->s.set);
}

static void test_order(void)
{
	struct parsed p;

	parse((const char *const[]){ "--quiet", "a.job", "--out", "d", "--set=x=1", "--set", "y=2",
				     NULL },
	      &p);
	CU_ASSERT_EQUAL(p.r, 0);
	CU_ASSERT_TRUE(p.s.quiet);
	CU_ASSERT_STRING_EQUAL(p.s.out, "d");
	CU_ASSERT_EQUAL_FATAL(p.s.set.n, 2);
	CU_ASSERT_STRING_EQUAL(p.s.set.v[0], "x=1");
	CU_ASSERT_STRING_EQUAL(p.s.set.v[1], "y=2");
	CU_ASSERT_EQUAL_FATAL(p.operands.n, 1);
	CU_ASSERT_STRING_EQUAL(p.operands.v[0], "a.job");
	release(&p);
}

static void test_values(void)
{
	struct parsed p;

	parse((const char *const[]){ "--repeats", "3", "--seed=18446744073709551615", "--format",
				     "json", "--", "--quiet", NULL },
	      &p);
	CU_ASSERT_EQUAL(p.r, 0);
	CU_ASSERT_EQUAL(p.s.repeats, 3);
	CU_ASSERT_EQUAL(p.s.seed, UINT64_MAX);
	CU_ASSERT_EQUAL(p.s.format, 1);
	CU_ASSERT_FALSE(p.s.quiet);
	CU_ASSERT_EQUAL_FATAL(p.operands.n, 1);
	CU_ASSERT_STRING_EQUAL(p.operands.v[0], "--quiet");
	release(&p);
}

static void test_errors(void)
{
	static const struct {
		const char *words[4];
		const char *text;
	} rows[] = {
		{ { "--sett", "x=1" }, "unknown option --sett; did you mean --set?" },
		{ { "--quite=1" }, "unknown option --quite; did you mean --quiet?" },
		{ { "--zzzzzz" }, "unknown option --zzzzzz" },
		{ { "-q" }, "unknown option -q: options are long, like --quiet" },
		{ { "--quiet=yes" }, "--quiet takes no value" },
		{ { "a.job", "--out" }, "--out needs a value: --out DIR" },
		{ { "--out=" }, "--out: the value is empty" },
		{ { "--repeats", "0" }, "--repeats 0: must be between 1 and 4294967295" },
		{ { "--repeats", "4294967296" },
		  "--repeats 4294967296: must be between 1 and 4294967295" },
		{ { "--format", "xml" }, "--format xml: must be one of text, json" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed p;

		parse(rows[i].words, &p);
		CU_ASSERT_EQUAL(p.r, -EINVAL);
		CU_ASSERT_STRING_EQUAL(p.e.text, rows[i].text);
		release(&p);
	}
}

static void test_numbers(void)
{
	static const char *const bad[] = { "", "x", "-1", "1.5", "1k", "99999999999999999999" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct parsed p;

		parse((const char *const[]){ "--seed", bad[i], NULL }, &p);
		CU_ASSERT_EQUAL(p.r, -EINVAL);
		CU_ASSERT_TRUE(str_starts(p.e.text, "--seed"));
		release(&p);
	}
}

static void test_help(void)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	args_help(&table, 40, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "  --quiet                 No progress.\n"
						 "  --out DIR               Where results\n"
						 "                          go.\n"
						 "  --set NAME=VALUE        Set it.\n"
						 "  --repeats N             How often.\n"
						 "  --seed N                Seed.\n"
						 "  --format text|json      How.\n");
}

void test_cli_args(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "order", test_order },     { "values", test_values }, { "errors", test_errors },
		{ "numbers", test_numbers }, { "help", test_help },
	};
	CU_pSuite suite = CU_add_suite("cli args", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
