/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the command line to a command. */
#include "core/cli/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/util/text.h"
#include "core/util/exit.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static struct {
	const struct command *const *v;
	size_t n;
} command_all;

const struct command *const *command_table(size_t *n)
{
	*n = command_all.n;
	return command_all.v;
}

const struct command *command_find(const char *name)
{
	_cleanup_free_ const char **names = xcalloc(command_all.n + 1, sizeof(*names));
	const char *near;

	for (size_t i = 0; i < command_all.n; i++) {
		if (str_eq(command_all.v[i]->name, name))
			return command_all.v[i];
		names[i] = command_all.v[i]->name;
	}
	near = str_nearest(name, names, command_all.n);
	if (near)
		log_error("there is no command %s; did you mean %s?", name, near);
	else
		log_error("there is no command %s; \"fstrial help\" lists them", name);
	return NULL;
}

/* "--help" among the options, wherever it stands. */
static bool command_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && !str_eq(argv[i], "--"); i++) {
		if (str_eq(argv[i], "--help") || str_eq(argv[i], "-h"))
			return true;
	}
	return false;
}

int command_args(const struct command *c, int argc, char **argv, void *into,
		 struct arg_list *operands)
{
	_cleanup_strbuf_ struct strbuf help = STRBUF_INIT;
	struct err e = { 0 };

	*operands = (struct arg_list){ NULL, 0 };
	if (command_wants_help(argc, argv)) {
		command_help_text(c, &help);
		fputs(strbuf_str(&help), stdout);
		return EXIT_GOOD;
	}
	if (args_parse(&c->args, argc, argv, into, operands, &e) < 0)
		log_error("%s: %s", c->name, e.text);
	else if (operands->n < c->min_operands)
		log_error("%s: something is missing: fstrial %s %s", c->name, c->name, c->usage);
	else if (c->max_operands &&
		 operands->n > (c->max_operands == NO_OPERANDS ? 0 : c->max_operands))
		log_error("%s: one too many: %s", c->name,
			  operands->v[c->max_operands == NO_OPERANDS ? 0 : c->max_operands]);
	else
		return -1;
	return EXIT_USAGE;
}

void command_help_text(const struct command *c, struct strbuf *out)
{
	strbuf_addf(out, "fstrial %s%s%s\n\n", c->name, *c->usage ? " " : "", c->usage);
	text_wrap(out, c->help, 0, 0, COMMAND_WIDTH);
	if (c->args.n) {
		strbuf_addstr(out, "\nOptions:\n");
		args_help(&c->args, COMMAND_WIDTH, out);
	}
}

/* A full disk or a closed pipe must not look like success. */
static int command_finish(int code)
{
	if (fflush(stdout) == EOF || ferror(stdout)) {
		log_error("cannot write to standard output: %s", strerror(errno));
		return code == EXIT_GOOD ? EXIT_FAILED : code;
	}
	return code;
}

int command_main(const struct command *const *commands, size_t n, int argc, char **argv)
{
	const struct command *c;
	const char *name = argc > 1 ? argv[1] : "";

	command_all.v = commands;
	command_all.n = n;
	if (!*name) {
		log_error("what is to be done? \"fstrial help\" lists the commands");
		return EXIT_USAGE;
	}
	if (str_eq(name, "--help") || str_eq(name, "-h"))
		name = "help";
	else if (str_eq(name, "--version") || str_eq(name, "-V"))
		name = "version";
	c = command_find(name);
	return c ? command_finish(c->run(argc - 1, argv + 1)) : EXIT_USAGE;
}
