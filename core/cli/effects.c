/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial effects */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/cli/load.h"
#include "core/report/effects_show.h"
#include "core/util/exit.h"
#include "core/util/json.h"

struct effects_args {
	bool all;
	int format;
};

static const struct arg effects_args_table[] = {
	{ "all", NULL, "Every metric, not only the primary ones.", ARG_FLAG, offsetof(struct effects_args, all), NULL },
	FORMAT_ARG(effects_args, "What to print: a table, or a JSON document."),
};

static void effects_put(const json_t *doc, const struct effects_args *a)
{
	size_t n;
	struct effects *e = effects_find(doc, a->all, &n);

	if (a->format == FORMAT_JSON) {
		json_t *out = effects_json(e, n);

		js_print(out, stdout);
		json_decref(out);
	} else {
		effects_print(e, n, stdout);
	}
	for (size_t i = 0; i < n; i++)
		effects_release(&e[i]);
	free(e);
}

static int effects_run(int argc, char **argv)
{
	_cleanup_json_ json_t *doc = NULL;
	struct effects_args a = { 0 };
	struct arg_list operands;
	int code = command_args(&command_effects, argc, argv, &a, &operands);

	if (code < 0)
		code = load_result(operands.v[0], &doc);
	args_free_list(&operands);
	if (code > 0 || !doc)
		return code;
	/* What cannot be computed is a NaN to us, not the end of the program. */
	gsl_set_error_handler_off();
	effects_put(doc, &a);
	return EXIT_GOOD;
}

const struct command command_effects = {
	.name = "effects",
	.usage = "RESULT [options]",
	.summary = "say which factor of a matrix mattered",
	.help = "For each primary metric: what each level of each factor does to it, all other factors taken into "
		"account, and whether two factors depend on each other. * marks what stands out of the noise (Holm's p of "
		"at most 0.05); a single variant that its factors do not explain is called suspect.\n\n"
		"Exit codes: 0 printed; 2 RESULT cannot be read.",
	.args = ARG_TABLE(effects_args_table),
	.min_operands = 1,
	.max_operands = 1,
	.run = effects_run,
};
