/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial recover */
#include "core/run/recover.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/cli/command.h"
#include "core/cli/load.h"
#include "core/util/exit.h"
#include "core/util/log.h"

struct recover_args {
	struct load_args load;
	bool dry_run;
};

static const struct arg recover_args_table[] = {
	{ "dry-run", NULL, "Only list the undo journals that killed sessions left.", ARG_FLAG,
	  offsetof(struct recover_args, dry_run), NULL },
	LOAD_ARG_PLUGIN_DIR(recover_args),
};

static int recover_everything(const struct recover_args *a)
{
	struct err e = { 0 };
	struct registry reg;
	int code = load_registry(&a->load, &reg);

	if (code == 0 && recover_all(&reg, stdout, &e) < 0) {
		log_error("%s", e.text);
		code = EXIT_FAILED;
	}
	registry_release(&reg);
	return code;
}

static int recover_run(int argc, char **argv)
{
	struct recover_args a = { 0 };
	struct arg_list operands;
	int code = command_args(&command_recover, argc, argv, &a, &operands);

	args_free_list(&operands);
	if (code < 0 && recover_pending(a.dry_run ? stdout : NULL) == 0) {
		int running = recover_running();

		if (running)
			printf("nothing to recover; %d session%s running still, or ending\n", running,
			       running > 1 ? "s are" : " is");
		else
			printf("nothing to recover\n");
		code = EXIT_GOOD;
	}
	if (code < 0)
		code = a.dry_run ? EXIT_GOOD : recover_everything(&a);
	load_free(&a.load);
	return code;
}

const struct command command_recover = {
	.name = "recover",
	.usage = "[options]",
	.summary = "put the machine back after a run that was killed",
	.help = "Undoes what sessions changed that did not come to their end (SIGKILL, a power "
		"cut): mounts, "
		"loop devices, volumes, settings of the kernel. Works from their undo journals, in "
		"/var/lib/fstrial for root and below $XDG_STATE_HOME/fstrial or "
		"~/.local/state/fstrial for "
		"others. Says what was put back. May be run again at any time.\n\n"
		"Exit codes: 0 everything is as it was; 1 something could not be put back.",
	.args = ARG_TABLE(recover_args_table),
	.max_operands = NO_OPERANDS,
	.run = recover_run,
};
