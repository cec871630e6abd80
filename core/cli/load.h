/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands do first: options about plugins and jobs, the registry, the job. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "core/cli/args.h"
#include "core/job/job.h"
#include "core/plugin/registry.h"

struct load_args {
	struct arg_list plugin_dirs;
	struct arg_list set;
	struct arg_list destroy;
	uint32_t repeats;
	const char *directory;
};

/* Entries of an option table for a structure T with a `struct load_args load`. */
#define LOAD_ARG_PLUGIN_DIR(T)                                                                    \
	{                                                                                         \
		"plugin-dir", "DIR", "Look for plugins there first; may be given several times.", \
			ARG_LIST, offsetof(struct T, load.plugin_dirs), NULL                      \
	}
#define LOAD_ARGS_JOB(T)                                                                           \
	{ "set",                                                                                   \
	  "NAME=VALUE",                                                                            \
	  "Give a variable of the job another value, or fix a factor of its matrix; may be given " \
	  "several times.",                                                                        \
	  ARG_LIST,                                                                                \
	  offsetof(struct T, load.set),                                                            \
	  NULL },                                                                                  \
		{ "repeats",                                                                       \
		  "N",                                                                             \
		  "Repeat each variant N times instead of what the job says.",                     \
		  ARG_U32,                                                                         \
		  offsetof(struct T, load.repeats),                                                \
		  NULL },                                                                          \
		{ "directory",                                                                     \
		  "DIR",                                                                           \
		  "Work in a directory of its own below DIR instead of on the job's target: "      \
		  "needs no "                                                                      \
		  "root and destroys nothing.",                                                    \
		  ARG_TEXT,                                                                        \
		  offsetof(struct T, load.directory),                                              \
		  NULL },                                                                          \
		{ "destroy",                                                                       \
		  "NAME",                                                                          \
		  "Confirm that what is on the job's device may be lost; NAME is its kernel "      \
		  "name, serial "                                                                  \
		  "number or name in /dev/disk/by-id.",                                            \
		  ARG_LIST,                                                                        \
		  offsetof(struct T, load.destroy),                                                \
		  NULL },                                                                          \
		LOAD_ARG_PLUGIN_DIR(T)

void load_free(struct load_args *a);
/* 0, or the exit code after a message. The registry is to be released in either case. */
int load_registry(const struct load_args *a, struct registry *reg) _must_check_;
/*
 * Loads the job at path and lets the plugins check it. 0, or the exit code after all that is wrong
 * was said on stderr. The job is to be released in either case.
 */
int load_job(const char *path, const struct load_args *a, const struct registry *reg,
	     struct job *job) _must_check_;
/*
 * A result document for a command that shows it. 0, or the exit code after a message. doc is to be released in
 * either case.
 */
int load_result(const char *path, json_t **doc) _must_check_;
