/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of the program: one file each in core/cli, one entry in main.c's table. */
#pragma once

#include <stddef.h>

#include "core/cli/args.h"
#include "core/util/macro.h"

struct command {
	const char *name;
	const char *usage;   /* "JOB [options]" */
	const char *summary; /* one line for `fstrial help` */
	const char *help;    /* what it does and its exit codes, for `fstrial help NAME` */
	struct arg_table args;
	unsigned min_operands, max_operands; /* max 0: any number from min on; NO_OPERANDS: none */
	int (*run)(int argc,
		   char **argv); /* argv[0] is the command's name; returns the exit code */
};

#define NO_OPERANDS (~0u)
#define COMMAND_WIDTH 100 /* columns that help and lists use */

extern const struct command command_run, command_check, command_plan, command_plugins, command_show,
	command_compare, command_effects, command_import, command_calibrate,
	command_recover, command_config, command_version, command_help;

/* Finds the command that argv[1] names and runs it. The exit code. */
int command_main(const struct command *const *commands, size_t n, int argc, char **argv);
/* The table that command_main() was given. */
const struct command *const *command_table(size_t *n);
/* By name; NULL, after a message with the nearest name, when there is none. */
const struct command *command_find(const char *name);
/*
 * A command's options and operands. -1: go on; else the exit code to return at once, after a message
 * or the help that was asked for. operands are to be freed in either case.
 */
int command_args(const struct command *c, int argc, char **argv, void *into,
		 struct arg_list *operands) _must_check_;
/* What `fstrial help NAME` prints. */
void command_help_text(const struct command *c, struct strbuf *out);
