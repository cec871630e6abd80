/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial help */
#include <stdbool.h>
#include <stdio.h>

#include "core/cli/command.h"
#include "core/util/text.h"
#include "core/util/exit.h"

struct help_args {
	bool names;
};

static const struct arg help_args_table[] = {
	{ "names", NULL,
	  "Print names only, one a line: of the commands, or of the options of COMMAND. For "
	  "scripts.",
	  ARG_FLAG, offsetof(struct help_args, names), NULL },
};

static const char help_intro[] = "fstrial runs trials of file systems: a job file chains setup and "
				 "workload steps over a matrix of "
				 "values, and each combination is run several times.";

static const char help_codes[] =
	"Exit codes: 0 good; 1 a trial failed or the run was interrupted; 2 wrong usage or a wrong "
	"job; "
	"5 refused, because a device may not be destroyed or leftovers are to be recovered first.";

static void help_all(struct strbuf *out)
{
	const struct command *const *v;
	size_t n;

	v = command_table(&n);
	text_wrap(out, help_intro, 0, 0, COMMAND_WIDTH);
	strbuf_addstr(out, "\nCommands:\n");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "  %-10s%s\n", v[i]->name, v[i]->summary);
	strbuf_addstr(out, "\n\"fstrial help COMMAND\" has the options of one.\n");
	text_wrap(out, help_codes, 0, 0, COMMAND_WIDTH);
}

static void help_names(const struct command *c, struct strbuf *out)
{
	const struct command *const *v;
	size_t n;

	v = command_table(&n);
	for (size_t i = 0; !c && i < n; i++)
		strbuf_addf(out, "%s\n", v[i]->name);
	for (size_t i = 0; c && i < c->args.n; i++)
		strbuf_addf(out, "--%s\n", c->args.v[i].name);
	if (c)
		strbuf_addstr(out, "--help\n");
}

static int help_run(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	const struct command *c = NULL;
	struct help_args a = { 0 };
	struct arg_list operands;
	int code = command_args(&command_help, argc, argv, &a, &operands);

	if (code < 0 && operands.n) {
		c = command_find(operands.v[0]);
		code = c ? code : EXIT_USAGE;
	}
	args_free_list(&operands);
	if (code >= 0)
		return code;
	if (a.names)
		help_names(c, &out);
	else if (c)
		command_help_text(c, &out);
	else
		help_all(&out);
	fputs(strbuf_str(&out), stdout);
	return EXIT_GOOD;
}

const struct command command_help = {
	.name = "help",
	.usage = "[COMMAND] [options]",
	.summary = "list the commands, or explain one",
	.help = "Lists the commands, or says what COMMAND does and which options it takes.",
	.args = ARG_TABLE(help_args_table),
	.max_operands = 1,
	.run = help_run,
};
