/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of the programs that a job's plugins run, and the plugins themselves, for the result. */
#pragma once

#include <jansson.h>

#include "core/job/job.h"
#include "core/plugin/registry.h"

/* {"mkfs.xfs": "6.1.0" or null when it is missing}: asks each program once. New reference. */
json_t *tools_collect(const struct job *job);
/* [{name, kind, version, abi, file, sha256}] of every plugin that the job uses, engines too. New reference. */
json_t *tools_plugins(const struct job *job, struct registry *reg);
/* "6.1.0" out of "mkfs.xfs version 6.1.0": the first word that starts with a digit, or after "v". */
char *tools_parse_version(const char *text);
