/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands. */
#include "core/cli/command.h"

static const struct command *const commands[] = {
	&command_run,	  &command_check,  &command_plan,    &command_plugins, &command_show,
	&command_compare, &command_effects, &command_import, &command_calibrate,
	&command_recover, &command_config, &command_version, &command_help,
};

int main(int argc, char **argv)
{
	return command_main(commands, ARRAY_SIZE(commands), argc, argv);
}
