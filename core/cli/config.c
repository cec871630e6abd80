/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial config: where things were installed, for scripts and for building plugins. */
#include <stdio.h>

#include <fstrial/plugin.h>

#include "config.h"
#include "core/cli/command.h"
#include "core/run/undo.h"
#include "core/util/exit.h"

static int config_run(int argc, char **argv)
{
	_cleanup_free_ char *undo = undo_dir();
	struct arg_list operands;
	int code = command_args(&command_config, argc, argv, NULL, &operands);

	args_free_list(&operands);
	if (code >= 0)
		return code;
	printf("plugindir=%s\n", FSTRIAL_PLUGIN_DIR);
	printf("jobdir=%s\n", FSTRIAL_JOB_DIR);
	printf("abi=%u\n", FST_ABI);
	printf("undodir=%s\n", undo ? undo : "");
	printf("version=%s\n", FSTRIAL_VERSION);
	return EXIT_GOOD;
}

const struct command command_config = {
	.name = "config",
	.usage = "",
	.summary = "print where plugins and jobs are installed",
	.help = "Prints NAME=VALUE lines: plugindir and jobdir, the folders of an installed "
		"fstrial; abi, "
		"the version of the plugin interface; undodir, where the undo journals are; version, of "
		"the program.",
	.max_operands = NO_OPERANDS,
	.run = config_run,
};
