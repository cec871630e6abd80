/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial show */
#include "core/report/show.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/record/result.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"

struct show_args {
	bool all;
	int format;
};

static const struct arg show_args_table[] = {
	{ "all", NULL, "Every metric and latency percentile, and every finding.", ARG_FLAG,
	  offsetof(struct show_args, all), NULL },
	FORMAT_ARG(show_args, "What to print: a table, or the result document."),
};

static int show_run(int argc, char **argv)
{
	_cleanup_json_ json_t *doc = NULL;
	struct show_args a = { 0 };
	struct arg_list operands;
	struct err e = { 0 };
	int code = command_args(&command_show, argc, argv, &a, &operands);

	if (code < 0 && result_load(operands.v[0], &doc, &e) < 0) {
		log_error("%s", e.text);
		code = EXIT_USAGE;
	}
	args_free_list(&operands);
	if (code >= 0)
		return code;
	if (a.format == FORMAT_JSON)
		format_json(doc, stdout);
	else
		show_result(doc, &(struct show_options){ .all = a.all }, stdout);
	return EXIT_GOOD;
}

const struct command command_show = {
	.name = "show",
	.usage = "RESULT [options]",
	.summary = "print a result as a table",
	.help = "Prints the result of a run: RESULT is a results directory or the result.json in "
		"one. A "
		"directory without result.json is of a run that was cut short; its finished trials "
		"are "
		"shown.\n\n"
		"n counts the trials whose step ended well; spread is the standard deviation in "
		"percent of "
		"the mean. Without --all only the primary metrics are shown.\n\n"
		"Exit codes: 0 shown, whatever the result says; 2 RESULT cannot be read.",
	.args = ARG_TABLE(show_args_table),
	.min_operands = 1,
	.max_operands = 1,
	.run = show_run,
};
