/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial compare */
#include <stdbool.h>
#include <stdio.h>

#include <gsl/gsl_errno.h>

#include "core/cli/command.h"
#include "core/record/result.h"
#include "core/report/comparison.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"

struct compare_args {
	bool force, all, holm, rank, allow_inconclusive;
	uint32_t min_n, margin;
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
	{ "format", "FORMAT", "What to print.", ARG_CHOICE, offsetof(struct compare_args, format), report_format_names },
};

static int compare_load(const struct arg_list *operands, json_t **base, json_t **new)
{
	struct err e = { 0 };

	if (result_load(operands->v[0], base, &e) < 0 || result_load(operands->v[1], new, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_USAGE;
	}
	return -1;
}

static int compare_run(int argc, char **argv)
{
	_cleanup_json_ json_t *base = NULL, *new = NULL;
	struct compare_args a = { 0 };
	struct arg_list operands;
	struct report r = { 0 };
	int code = command_args(&command_compare, argc, argv, &a, &operands);

	if (code < 0)
		code = compare_load(&operands, &base, &new);
	if (code < 0 && a.margin > 90) {
		log_error("--margin is a percentage of at most 90");
		code = EXIT_USAGE;
	}
	if (code < 0) {
		const struct verdict_options opt = { .alpha = 0.05,
						     .delta = a.margin / 100.0,
						     .min_n = a.min_n ? a.min_n : 5,
						     .holm = a.holm,
						     .rank = a.rank };

		/* What cannot be computed is a NaN to us, not the end of the program. */
		gsl_set_error_handler_off();
		r.base_name = operands.v[0];
		r.new_name = operands.v[1];
		r.forced = a.force;
		report_compare(&r, base, new, &opt);
		report_print(&r, (enum report_format)a.format, a.all, stdout);
		code = report_exit(&r, a.allow_inconclusive);
		report_release(&r);
	}
	args_free_list(&operands);
	return code;
}

const struct command command_compare = {
	.name = "compare",
	.usage = "BASE NEW [options]",
	.summary = "say what changed between two results, and how sure that is",
	.help = "Holds two results against each other: what was measured with the same parameters in the same "
		"variant is compared, whatever it is called and wherever it stands. A verdict is REGRESSED or IMPROVED "
		"(a change beyond the margin that is not chance), SAME or NOT_WORSE (shown to be within it), SUSPECT or "
		"INCONCLUSIVE (with the number of repeats that would settle it).\n\n"
		"Kernel and tools may differ, that is what is compared. Where device, geometry, options in force or "
		"plugins differ too, these differences are listed and there is no verdict without --force.\n\n"
		"Exit codes: 0 no regression; 1 a regression; 2 a result cannot be read; 3 not settled; 4 not comparable.",
	.args = ARG_TABLE(compare_args_table),
	.min_operands = 2,
	.max_operands = 2,
	.run = compare_run,
};
