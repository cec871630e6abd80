/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program of the job's own as a workload, and takes its numbers from what it prints. */
/* fstrial-libs: jansson -lm */
#include <fcntl.h>
#include <sys/resource.h>

#include "../setup/exec_call.h"
#include "exec_bonnie.h"
#include "exec_fio.h"

#define EXEC_OUTPUT_MAX (UINT64_C(64) << 20)

struct exec_workload_cfg {
	struct exec_cfg call;
	struct fst_list metrics;
	const char *output;
	int parser;
};

struct exec_state {
	struct exec_call call;
	char *out, *err;
	bool stopped;
};

enum exec_parser_number { EXEC_NO_PARSER, EXEC_FIO, EXEC_BONNIE, EXEC_PGBENCH, EXEC_TIME };

static const struct fst_choice exec_parser_choices[] = {
	{ "none", EXEC_NO_PARSER, "Only what `metrics` says." },
	{ "fio", EXEC_FIO, "fio's JSON, of version 2 or 3 (--output-format=json)." },
	{ "bonnie", EXEC_BONNIE, "The line for machines of bonnie++ 1.0x, 1.97 or 2.00 (-q)." },
	{ "pgbench", EXEC_PGBENCH, "The report of pgbench." },
	{ "time", EXEC_TIME, "/usr/bin/time -v or -p, or bash's time, on standard error." },
};

static const struct exec_parser exec_parsers[] = {
	[EXEC_FIO] = { "fio", exec_fio_declare, exec_fio_parse },
	[EXEC_BONNIE] = { "bonnie", exec_bonnie_declare, exec_bonnie_parse },
	[EXEC_PGBENCH] = { "pgbench", exec_pgbench_declare, exec_pgbench_parse },
	[EXEC_TIME] = { "time", exec_time_declare, exec_time_parse },
};

static const struct fst_param exec_params[] = {
	EXEC_PARAMS(struct exec_workload_cfg, call),
	{ .name = "parser", .type = FST_ENUM, FST_AT(struct exec_workload_cfg, parser), .def = "none",
	  FST_CHOICES(exec_parser_choices), .doc = "Whose output it is." },
	{ .name = "metrics", .type = FST_LIST, FST_AT(struct exec_workload_cfg, metrics),
	  .doc = "Metrics by regular expressions: \"tps = /tps = ([0-9.]+)/ ops/s higher\"; see above." },
	{ .name = "output", .type = FST_STR, FST_AT(struct exec_workload_cfg, output),
	  .doc = "File, relative to cwd, that the program writes its numbers to; without it they are looked for in what it "
		 "prints." },
};

static const struct fst_metric exec_metrics[] = {
	{ .name = "elapsed", .unit = "ns", .better = FST_LOWER,
	  .doc = "From the program's start to its end; primary where nothing else is." },
	{ .name = "cpu_user", .unit = "ns", .better = FST_LOWER,
	  .doc = "Processor time of the program and all that it waited for, outside of the kernel." },
	{ .name = "cpu_system", .unit = "ns", .better = FST_LOWER, .doc = "The same inside of the kernel." },
};

static const struct fst_tool exec_tools[] = {
	{ "setpriv", "--version", "util-linux" },
};

/* ---- check ----------------------------------------------------------------------------------- */

static int exec_check_twice(struct fst_ctx *ctx, const struct fst_list *l, const char *name, size_t before)
{
	struct exec_rule other;
	size_t i;
	int r = 0;

	for (i = 0; i < before && r == 0; i++) {
		r = exec_rule_read(ctx, l->v[i], &other);
		if (r == 0 && strcmp(other.name, name) == 0)
			r = fst_error(ctx, 0, "metrics: %s is there twice", name);
		exec_rule_free(&other);
	}
	return r;
}

/* Does any of the rules say that it is the primary one? */
static bool exec_any_primary(struct fst_ctx *ctx, const struct fst_list *l)
{
	struct exec_rule rule;
	bool any = false;
	size_t i;

	for (i = 0; i < l->n && !any; i++) {
		any = exec_rule_read(ctx, l->v[i], &rule) == 0 && rule.primary;
		exec_rule_free(&rule);
	}
	return any;
}

static int exec_declare_rules(struct fst_ctx *ctx)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	const struct fst_list *l = &cfg->metrics;
	struct exec_rule rule;
	bool said = cfg->parser != EXEC_NO_PARSER || exec_any_primary(ctx, l);
	size_t i;
	int r = 0;

	for (i = 0; i < l->n && r == 0; i++) {
		r = exec_rule_read(ctx, l->v[i], &rule);
		if (r == 0)
			r = exec_check_twice(ctx, l, rule.name, i);
		if (r == 0)
			r = exec_rule_declare(ctx, &rule, rule.primary || (!said && i == 0));
		exec_rule_free(&rule);
	}
	return r;
}

static int exec_workload_check(struct fst_ctx *ctx)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	struct fst_metric elapsed = exec_metrics[0];
	int r = exec_check(ctx, &cfg->call);

	if (r == 0 && cfg->output)
		r = exec_places_check(ctx, "output", cfg->output);
	if (r == 0 && cfg->parser != EXEC_NO_PARSER)
		r = exec_parsers[cfg->parser].declare(ctx);
	if (r == 0)
		r = exec_declare_rules(ctx);
	if (r == 0 && cfg->parser == EXEC_NO_PARSER && !cfg->metrics.n) {
		elapsed.flags = FST_PRIMARY;
		r = fst_declare_metric(ctx, &elapsed);
	}
	return r;
}

/* ---- run ------------------------------------------------------------------------------------- */

static int exec_prepare(struct fst_ctx *ctx)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	struct exec_state *st = ctx->state;

	exec_note_version(ctx, &cfg->call);
	return exec_call_make(ctx, &cfg->call, "argv", &cfg->call.argv, &st->call);
}

static double exec_ns(const struct timeval *after, const struct timeval *before)
{
	return (double)(after->tv_sec - before->tv_sec) * 1e9 + (double)(after->tv_usec - before->tv_usec) * 1e3;
}

static int exec_run(struct fst_worker *w)
{
	const struct exec_workload_cfg *cfg = w->ctx->cfg;
	struct exec_state *st = w->ctx->state;
	struct fst_cmd_result res = { 0 };
	struct rusage before = { 0 }, after = { 0 };
	int r;

	getrusage(RUSAGE_CHILDREN, &before);
	r = exec_call_run(w->ctx, &st->call, w->stop, &res);
	getrusage(RUSAGE_CHILDREN, &after);
	if (r < 0)
		return r;
	/* Whose time was over ended as it was asked to. */
	st->stopped = fst_stopping(w);
	if (!st->stopped)
		r = exec_judge(w->ctx, &cfg->call, &st->call, &res);
	if (r < 0)
		return r;
	st->out = strdup(res.out);
	st->err = strdup(res.err);
	if (!st->out || !st->err)
		return fst_error(w->ctx, ENOMEM, "output");
	r = fst_worker_metric(w, "elapsed", (double)res.wall_ns);
	if (r == 0)
		r = fst_worker_metric(w, "cpu_user", exec_ns(&after.ru_utime, &before.ru_utime));
	return r == 0 ? fst_worker_metric(w, "cpu_system", exec_ns(&after.ru_stime, &before.ru_stime)) : r;
}

/* ---- verify: the numbers --------------------------------------------------------------------- */

/* A NUL in it would hide what is behind. */
static void exec_end_text(char *text, size_t n)
{
	text[n] = '\0';
	while (n-- > 0)
		if (!text[n])
			text[n] = ' ';
}

static int exec_read_file(struct fst_ctx *ctx, const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = 0 };
	size_t n = 0;
	ssize_t got = 1;
	int r = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		r = fst_error(ctx, errno, "output %s", path);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > EXEC_OUTPUT_MAX)
		r = fst_error(ctx, 0, "output %s is no file, or larger than 64 MiB", path);
	if (r == 0) {
		*text = malloc((size_t)st.st_size + 1);
		while (*text && n < (size_t)st.st_size && (got = read(fd, *text + n, (size_t)st.st_size - n)) > 0)
			n += (size_t)got;
		if (!*text || got < 0)
			r = fst_error(ctx, *text ? errno : ENOMEM, "read %s", path);
		else
			exec_end_text(*text, n);
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* The text that the numbers are in, in place of what was printed. */
static int exec_take_output(struct fst_ctx *ctx)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	struct exec_state *st = ctx->state;
	char *name, *path = NULL, *text = NULL;
	int r;

	if (!cfg->output)
		return 0;
	name = exec_places_fill(ctx, "output", cfg->output);
	if (!name)
		return -EINVAL;
	r = asprintf(&path, "%s%s%s", *name == '/' ? "" : st->call.cwd, *name == '/' ? "" : "/", name);
	free(name);
	if (r < 0)
		return -ENOMEM;
	r = exec_read_file(ctx, path, &text);
	free(path);
	if (r == 0) {
		free(st->out);
		st->out = text;
	} else {
		free(text);
	}
	return r;
}

/* Rules look in both streams. */
static int exec_apply_rules(struct fst_ctx *ctx, const struct exec_output *o)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	struct exec_rule rule;
	char *both = NULL;
	double v;
	size_t i;
	int r = 0;

	if (cfg->metrics.n && asprintf(&both, "%s\n%s", o->out, o->err) < 0)
		return -ENOMEM;
	for (i = 0; i < cfg->metrics.n && r == 0; i++) {
		r = exec_rule_read(ctx, cfg->metrics.v[i], &rule);
		rule.optional |= o->stopped;
		if (r == 0)
			r = exec_rule_find(ctx, &rule, both, &v);
		if (r == 0)
			r = fst_set_metric(ctx, rule.name, v);
		exec_rule_free(&rule);
	}
	free(both);
	return r;
}

static int exec_verify(struct fst_ctx *ctx)
{
	const struct exec_workload_cfg *cfg = ctx->cfg;
	struct exec_state *st = ctx->state;
	struct exec_output o;
	int r = exec_take_output(ctx);

	o = (struct exec_output){ .out = st->out, .err = st->err, .stopped = st->stopped };
	if (st->stopped)
		fst_warning(ctx, "it was ended before it came to its end: what it had not printed by then is missing");
	if (r == 0 && cfg->parser != EXEC_NO_PARSER)
		r = exec_parsers[cfg->parser].parse(ctx, &o);
	return r == 0 ? exec_apply_rules(ctx, &o) : r;
}

static int exec_cleanup(struct fst_ctx *ctx)
{
	struct exec_state *st = ctx->state;

	exec_call_free(&st->call);
	free(st->out);
	free(st->err);
	st->out = st->err = NULL;
	return 0;
}

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD, .name = "exec", .version = "1",
	.summary = "runs a program of your own and takes its numbers from what it prints",
	.description =
		"Runs argv, without a shell, in the trial's directory (or cwd), with nothing to read, and fails with its exit "
		"status and the first line of its output that names an error. The output is in commands.log. When runtime is "
		"over it is asked to end by SIGTERM, and killed five seconds later.\n"
		"In argv, env, path, cwd and output stand %{dir} for the trial's directory, %{device} for its block device, "
		"%{devices} for all of the target's, %{sysfs} for that disk's directory in sysfs, %{size} for the target's bytes, %{seed} for the step's seed, "
		"below 2^31; the program finds them as FSTRIAL_DIR, FSTRIAL_DEVICE, FSTRIAL_DEVICES, FSTRIAL_SYSFS, FSTRIAL_SIZE and FSTRIAL_SEED too. (${name} "
		"is a variable of the job, as everywhere; %%{ stands for %{.)\n"
		"Numbers come from a parser that knows the program, and from `metrics`, a text for each: NAME = /REGEX/ UNIT "
		"DIRECTION WORDS. REGEX is an extended regular expression, its last ( ) is the number, ^ and $ are ends of "
		"lines (a backslash is written twice in a job). UNIT is what the program counts in: ops/s, bytes/s, KiB/s, "
		"MB/s, bytes, MiB, ns, us, ms, s, clock (1:13:45, 12:40.55, 0m3.2s), count (the default), ratio, %; it is "
		"turned into ours. DIRECTION is higher or lower, whichever is better, or nothing. Of several matches the last "
		"counts, or the first, sum, mean, min or max. One that is not found fails the step unless it is optional. The "
		"first is the primary one, or those that say primary.\n"
		"fio has read_, write_ and trim_ with throughput, rate, mean, max, clat_p50, clat_p99, clat_p999, of all its "
		"jobs together; bonnie++ the phases of jobs/bonnie.job, each with its _latency from 1.97 on; pgbench tps, "
		"latency_mean, latency_stddev, transactions, failed, connection_time; time real, user, sys, max_rss.",
	FST_PARAMS(exec_params), FST_METRICS(exec_metrics), FST_TOOLS(exec_tools),
	.cfg_size = sizeof(struct exec_workload_cfg), .state_size = sizeof(struct exec_state),
	.flags = FST_NEEDS_DIR | FST_DECLARES_METRICS, .max_workers = 1, .check = exec_workload_check,
	.prepare = exec_prepare, .run = exec_run, .verify = exec_verify, .cleanup = exec_cleanup);
