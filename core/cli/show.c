/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial show */
#include "core/report/show.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/cli/load.h"
#include "core/report/show_formats.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"

enum show_format { SHOW_TEXT, SHOW_JSON, SHOW_MD, SHOW_MARKDOWN, SHOW_CSV, SHOW_BONNIE };

static const char *const show_format_names[] = { "text", "json",   "md", "markdown",
						 "csv",	 "bonnie", NULL };

struct show_args {
	bool all, summary;
	int format;
};

static const struct arg show_args_table[] = {
	{ "all", NULL, "Every metric and latency percentile, and every finding.", ARG_FLAG,
	  offsetof(struct show_args, all), NULL },
	{ "summary", NULL,
	  "For each metric a line over all variants too; an imported result has it anyway.",
	  ARG_FLAG, offsetof(struct show_args, summary), NULL },
	{ "format", "FORMAT",
	  "A table as text or Markdown (md); the result document; a CSV with a line for each "
	  "metric of each "
	  "trial; or rows of bonnie++ 1.03 for programs that read these.",
	  ARG_CHOICE, offsetof(struct show_args, format), show_format_names },
};

static int show_print(const json_t *doc, const struct show_args *a)
{
	const struct show_options options = {
		.all = a->all,
		.summary = a->summary,
		.markdown = a->format == SHOW_MD || a->format == SHOW_MARKDOWN,
	};
	struct err e = { 0 };
	int r = 0;

	if (a->format == SHOW_JSON)
		js_print(doc, stdout);
	else if (a->format == SHOW_CSV)
		show_csv(doc, a->all, stdout);
	else if (a->format == SHOW_BONNIE)
		r = show_bonnie(doc, stdout, &e);
	else
		show_result(doc, &options, stdout);
	if (r < 0)
		log_error("%s", e.text);
	return r < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static int show_run(int argc, char **argv)
{
	_cleanup_json_ json_t *doc = NULL;
	struct show_args a = { 0 };
	struct arg_list operands;
	int code = command_args(&command_show, argc, argv, &a, &operands);

	if (code < 0)
		code = load_result(operands.v[0], &doc);
	args_free_list(&operands);
	return code > 0 || !doc ? code : show_print(doc, &a);
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
		"Exit codes: 0 shown, whatever the result says; 2 RESULT cannot be read, or has "
		"nothing that the format "
		"can say.",
	.args = ARG_TABLE(show_args_table),
	.min_operands = 1,
	.max_operands = 1,
	.run = show_run,
};
