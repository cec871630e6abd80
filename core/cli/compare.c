/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial compare */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "core/cli/command.h"
#include "core/report/history.h"
#include "core/util/exit.h"
#include "core/util/file.h"
#include "core/util/log.h"
#include "core/util/xalloc.h"

struct compare_args {
	bool force, all, holm, rank, allow_inconclusive;
	uint32_t min_n, margin;
	const char *accept, *write_accept;
	int format;
};

static const struct arg compare_args_table[] = {
	{ "force", NULL, "Give verdicts although other conditions differ; they are marked as confounded.", ARG_FLAG,
	  offsetof(struct compare_args, force), NULL },
	{ "all", NULL, "Show every metric, not only the primary ones that decide.", ARG_FLAG,
	  offsetof(struct compare_args, all), NULL },
	{ "margin", "PERCENT", "Largest loss that counts as no loss, for every metric (5; p99 10, p99.9 20).", ARG_U32,
	  offsetof(struct compare_args, margin), NULL },
	{ "min-n", "N", "Repeats a side below which there is no final verdict (5).", ARG_U32,
	  offsetof(struct compare_args, min_n), NULL },
	{ "fwer", NULL, "Holm's adjustment instead of Benjamini and Hochberg's.", ARG_FLAG,
	  offsetof(struct compare_args, holm), NULL },
	{ "rank", NULL, "Let the exact Mann-Whitney test decide; it needs n >= 7 in a family of 24.", ARG_FLAG,
	  offsetof(struct compare_args, rank), NULL },
	{ "allow-inconclusive", NULL, "Exit with 0 where nothing regressed, even if not all is settled.", ARG_FLAG,
	  offsetof(struct compare_args, allow_inconclusive), NULL },
	{ "accept", "FILE",
	  "Regressions that are expected, which do not fail: lines of CELL METRIC CHANGE REASON, with shell patterns and a "
	  "range like -20%..-5%.",
	  ARG_TEXT, offsetof(struct compare_args, accept), NULL },
	{ "write-accept", "FILE", "Make a file for --accept of all that regressed; an old one is not overwritten.", ARG_TEXT,
	  offsetof(struct compare_args, write_accept), NULL },
	{ "format", "FORMAT", "What to print.", ARG_CHOICE, offsetof(struct compare_args, format), report_format_names },
};

/* What one call works on. */
struct compare {
	struct compare_args args;
	struct strmap pool;
	struct set *sets;
	size_t n;
	struct accepts accepts;
};

static int compare_load(struct compare *c, const struct arg_list *operands)
{
	c->sets = xcalloc(operands->n, sizeof(*c->sets));
	for (; c->n < operands->n; c->n++) {
		struct err e = { 0 };

		if (set_load(&c->sets[c->n], operands->v[c->n], &c->pool, &e) < 0) {
			log_error("%s", e.text);
			c->n++;
			return EXIT_USAGE;
		}
		guards_find_drift(&c->sets[c->n], c->args.margin / 100.0);
	}
	return -1;
}

static int compare_check(struct compare *c)
{
	struct diag d = { 0 };
	int r;

	if (c->args.margin > 90) {
		log_error("--margin is a percentage of at most 90");
		return EXIT_USAGE;
	}
	if (c->args.write_accept && file_exists(c->args.write_accept)) {
		log_error("--write-accept %s: there is such a file", c->args.write_accept);
		return EXIT_USAGE;
	}
	if (!c->args.accept)
		return -1;
	r = accept_load(c->args.accept, &c->accepts, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return r < 0 ? EXIT_USAGE : -1;
}

/* -1, or the exit code after a message. */
static int compare_write_accept(const struct compare *c, const struct report *r)
{
	_cleanup_free_ char *text = NULL;
	struct err e = { 0 };
	size_t len = 0;
	FILE *mem;

	if (!c->args.write_accept)
		return -1;
	mem = xopen_memstream(&text, &len);
	accept_write(r->v, r->n, r->base->name, r->new->name, mem);
	if (fclose(mem) == EOF || file_write_atomic(c->args.write_accept, text, len, &e) < 0) {
		log_error("%s", e.code ? e.text : "out of memory");
		return EXIT_USAGE;
	}
	return -1;
}

static int compare_two(const struct compare *c, const struct report_options *opt)
{
	struct report r;
	int code;

	report_compare(&r, &c->sets[0], &c->sets[1], opt);
	report_print(&r, (enum report_format)c->args.format, c->args.all, stdout);
	code = compare_write_accept(c, &r);
	code = code < 0 ? report_exit(&r, c->args.allow_inconclusive) : code;
	report_release(&r);
	return code;
}

static int compare_many(const struct compare *c, struct report_options *opt)
{
	struct history s;
	int code;

	opt->gated_only = !c->args.all;
	opt->verdict.quick = true;
	history_compare(&s, c->sets, c->n, opt);
	history_print(&s, (enum report_format)c->args.format, stdout);
	code = compare_write_accept(c, &s.to_base[s.n - 1]);
	code = code < 0 ? history_exit(&s, c->args.allow_inconclusive) : code;
	history_release(&s);
	return code;
}

static int compare_sets(struct compare *c)
{
	struct report_options opt = {
		.verdict = { .alpha = 0.05,
			     .delta = c->args.margin / 100.0,
			     .min_n = c->args.min_n ? c->args.min_n : VERDICT_MIN_N,
			     .holm = c->args.holm,
			     .rank = c->args.rank },
		.accepts = c->args.accept ? &c->accepts : NULL,
		.forced = c->args.force,
	};

	return c->n == 2 ? compare_two(c, &opt) : compare_many(c, &opt);
}

static int compare_run(int argc, char **argv)
{
	struct compare c = { .n = 0 };
	struct arg_list operands;
	int code = command_args(&command_compare, argc, argv, &c.args, &operands);

	/* What cannot be computed is a NaN to us, not the end of the program. */
	gsl_set_error_handler_off();
	if (code < 0)
		code = compare_check(&c);
	if (code < 0)
		code = compare_load(&c, &operands);
	if (code < 0)
		code = compare_sets(&c);
	for (size_t i = 0; i < c.n; i++)
		set_release(&c.sets[i]);
	free(c.sets);
	accept_release(&c.accepts);
	strmap_free(&c.pool);
	args_free_list(&operands);
	return code;
}

const struct command command_compare = {
	.name = "compare",
	.usage = "BASE NEW [NEW...] [options]",
	.summary = "say what changed between results, and how sure that is",
	.help = "Holds results against each other: what was measured with the same parameters in the same "
		"variant is compared, whatever it is called and wherever it stands. A verdict is REGRESSED or IMPROVED "
		"(a change beyond the margin that is not chance), SAME or NOT_WORSE (shown to be within it), SUSPECT or "
		"INCONCLUSIVE (with the number of repeats that would settle it).\n\n"
		"Each side is a results directory, the result.json in one, or a directory of several such of the same kind. "
		"With three boots or more a side the boots are compared, as repeats in one boot do not know of the others. "
		"With more than two sides these are put in the order of their kernels' or tools' versions; each is compared "
		"with BASE and with the one before it, and the first in which a cell regressed is named. The newest one "
		"decides.\n\n"
		"Kernel and tools may differ, that is what is compared. Where device, geometry, options in force or "
		"plugins differ too, or the machine itself computes at another speed, this is said and there is no verdict "
		"without --force.\n\n"
		"Exit codes: 0 no regression; 1 a regression; 2 a result cannot be read; 3 not settled; 4 not comparable.",
	.args = ARG_TABLE(compare_args_table),
	.min_operands = 2,
	.run = compare_run,
};
