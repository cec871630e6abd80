/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial calibrate */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/cli/load.h"
#include "core/report/calibrate_show.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/xalloc.h"

struct calibrate_args {
	bool all;
	int format;
};

static const struct arg calibrate_args_table[] = {
	{ "all", NULL, "Every metric, not only the primary ones.", ARG_FLAG, offsetof(struct calibrate_args, all), NULL },
	FORMAT_ARG(calibrate_args, "What to print: text, or a JSON document."),
};

static void calibrate_put(json_t *const *docs, size_t n_docs, const struct calibrate_args *a)
{
	size_t n;
	struct calibrate *c;

	/* What cannot be computed is a NaN to us, not the end of the program. */
	gsl_set_error_handler_off();
	c = calibrate_find(docs, n_docs, a->all, &n);
	if (a->format == FORMAT_JSON) {
		json_t *out = calibrate_json(c, n);

		js_print(out, stdout);
		json_decref(out);
	} else {
		calibrate_print(c, n, stdout);
	}
	for (size_t i = 0; i < n; i++)
		calibrate_release(&c[i]);
	free(c);
}

static int calibrate_load(const struct arg_list *operands, json_t **docs)
{
	int code = 0;

	for (size_t i = 0; i < operands->n && code == 0; i++)
		code = load_result(operands->v[i], &docs[i]);
	return code ? code : -1;
}

static int calibrate_run(int argc, char **argv)
{
	struct calibrate_args a = { 0 };
	struct arg_list operands;
	json_t **docs = NULL;
	int code = command_args(&command_calibrate, argc, argv, &a, &operands);

	if (code < 0) {
		docs = xcalloc(operands.n, sizeof(json_t *));
		code = calibrate_load(&operands, docs);
	}
	if (code < 0) {
		calibrate_put(docs, operands.n, &a);
		code = EXIT_GOOD;
	}
	for (size_t i = 0; docs && i < operands.n; i++)
		json_decref(docs[i]);
	free(docs);
	args_free_list(&operands);
	return code;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.usage = "RESULT [RESULT...] [options]",
	.summary = "say how noisy results are, and how many repeats a verdict needs",
	.help = "For each primary metric: how much single values differ, how much of that a whole block of trials has in "
		"common, and, given several results of the same job on the same machine, how much sessions differ; then the "
		"smallest loss that so many repeats find, and the repeats that the margin of `fstrial compare` needs. Odd "
		"blocks are compared with even ones, which are alike: what differs there is noise.\n\n"
		"Exit codes: 0 printed; 2 a RESULT cannot be read.",
	.args = ARG_TABLE(calibrate_args_table),
	.min_operands = 1,
	.run = calibrate_run,
};
