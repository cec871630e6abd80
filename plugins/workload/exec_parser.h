/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: what a parser of a program's output is. */
#pragma once

#include "exec_rule.h"

struct exec_output {
	const char *out; /* standard output, or the file that `output` names */
	const char *err;
	bool stopped; /* it was ended early: what is missing is no failure */
};

struct exec_parser {
	const char *name;
	int (*declare)(struct fst_ctx *ctx);
	int (*parse)(struct fst_ctx *ctx, const struct exec_output *o);
};

static inline int exec_parser_declare(struct fst_ctx *ctx, const char *name, const char *unit, enum fst_better better,
				      bool primary, const char *doc)
{
	const struct fst_metric m = { .name = name, .unit = unit, .better = better, .flags = primary ? FST_PRIMARY : 0,
				      .doc = doc };

	return fst_declare_metric(ctx, &m);
}

/* ---- parsers that are a list of rules -------------------------------------------------------- */

static const char *const exec_pgbench_rules[] = {
	/* Old versions print it twice, the second without the time for connecting, which is what new ones print. */
	"tps = /^tps = ([0-9.]+)/ ops/s higher primary optional",
	"latency_mean = /^latency average = ([0-9.]+) ms/ ms lower primary optional",
	"latency_stddev = /^latency stddev = ([0-9.]+) ms/ ms lower optional",
	"transactions = /^number of transactions actually processed: ([0-9]+)/ count optional",
	"failed = /^number of failed transactions: ([0-9]+)/ count lower optional",
	"connection_time = /^initial connection time = ([0-9.]+) ms/ ms lower optional",
	NULL,
};

/* GNU time -v, time -p, and bash's own. */
static const char *const exec_time_rules[] = {
	"real = /^[ \t]*(Elapsed \\(wall clock\\) time \\(h:mm:ss or m:ss\\): |real[ \t]+)([0-9:.ms]+)$/ clock lower primary optional",
	"user = /^[ \t]*(User time \\(seconds\\): |user[ \t]+)([0-9:.ms]+)$/ clock lower optional",
	"sys = /^[ \t]*(System time \\(seconds\\): |sys[ \t]+)([0-9:.ms]+)$/ clock lower optional",
	"max_rss = /^[ \t]*(Maximum resident set size \\(kbytes\\): )([0-9]+)$/ KiB lower optional",
	NULL,
};

static inline int exec_rules_declare(struct fst_ctx *ctx, const char *const *texts)
{
	struct exec_rule rule;
	int r = 0;

	for (; *texts && r == 0; texts++) {
		r = exec_rule_read(ctx, *texts, &rule);
		if (r == 0)
			r = exec_rule_declare(ctx, &rule, rule.primary);
		exec_rule_free(&rule);
	}
	return r;
}

/* The first is what the program is run for: without it the output is not what it should be. */
static inline int exec_rules_parse(struct fst_ctx *ctx, const char *const *texts, const char *parser, const char *text,
				   bool must)
{
	struct exec_rule rule;
	double v;
	size_t i;
	int r = 0;

	for (i = 0; texts[i] && r == 0; i++) {
		r = exec_rule_read(ctx, texts[i], &rule);
		if (r == 0)
			r = exec_rule_find(ctx, &rule, text, &v);
		if (r == 0 && i == 0 && isnan(v) && must)
			r = fst_error(ctx, 0, "parser = \"%s\": the output has no %s in it", parser, rule.name);
		if (r == 0)
			r = fst_set_metric(ctx, rule.name, v);
		exec_rule_free(&rule);
	}
	return r;
}

static inline int exec_pgbench_declare(struct fst_ctx *ctx)
{
	return exec_rules_declare(ctx, exec_pgbench_rules);
}

static inline int exec_pgbench_parse(struct fst_ctx *ctx, const struct exec_output *o)
{
	const char *aborted = strstr(o->err, "aborted");

	/* It goes on with the clients that are left, and ends with status 2 or, before version 15, 0. */
	if (aborted)
		fst_warning(ctx, "pgbench: a client was aborted, the figures are of the others");
	return exec_rules_parse(ctx, exec_pgbench_rules, "pgbench", o->out, !o->stopped);
}

static inline int exec_time_declare(struct fst_ctx *ctx)
{
	return exec_rules_declare(ctx, exec_time_rules);
}

static inline int exec_time_parse(struct fst_ctx *ctx, const struct exec_output *o)
{
	return exec_rules_parse(ctx, exec_time_rules, "time", o->err, !o->stopped);
}
