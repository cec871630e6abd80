/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial version */
#include <stdio.h>

#include <fstrial/plugin.h>

#include "config.h"
#include "core/cli/command.h"
#include "core/util/exit.h"

static int version_run(int argc, char **argv)
{
	struct arg_list operands;
	int code = command_args(&command_version, argc, argv, NULL, &operands);

	args_free_list(&operands);
	if (code >= 0)
		return code;
	printf("fstrial %s, plugin ABI %u\n", FSTRIAL_VERSION, FST_ABI);
	return EXIT_GOOD;
}

const struct command command_version = {
	.name = "version",
	.usage = "",
	.summary = "print the program's version",
	.help = "Prints the versions of the program and of its plugin interface.",
	.max_operands = NO_OPERANDS,
	.run = version_run,
};
