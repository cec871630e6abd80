/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls into a plugin, each in a step process of its own. What comes back in the record: what the
 * host table gathered (warnings, notes, asked, in_force), a workload's measurements, and "dir", "device"
 * and "cgroups" where apply set them.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "core/io/live.h"
#include "core/job/job.h"
#include "core/plugin/host.h"
#include "core/run/stepproc.h"
#include "core/run/target.h"
#include "core/run/undo.h"

/* Everything that a call needs to know. */
struct call {
	const struct plugin *plugin;
	const struct step *step;     /* NULL in revert */
	const char *label;	     /* "v01 r2 mkfs", for commands.log */
	const char *dir, *device, *sysfs;
	const char *facts_dir;	     /* dir, unless that is on another device than device: then NULL */
	const char *subdir;	     /* workload: of dir, made if it is missing, and worked in; NULL: dir itself */
	uint64_t seed;
	const struct target *target; /* facts "target.*", devices, and whose further devices are judged by; NULL in revert */
	const json_t *filesystem;    /* facts, or NULL: collected when asked for */
	const json_t *cgroups;	     /* workload: cgroup.procs files to be entered, or NULL */
	const json_t *tools;	     /* {"mkfs.xfs": "6.1.0"} */
	const struct undo *undo;     /* apply */
	uint32_t undo_id;
	const struct undo_step *saved; /* revert, readback */
	struct live *live;	     /* workload */
	int commands_fd;	     /* commands.log, or -1 */
	int signal_fd;		     /* or -1 */
	void (*tick)(void *arg);
	void *tick_arg;
};

/* Did the job give this parameter of the step, in any of its layers? */
bool call_param_given(const struct step *s, const char *param);
/* probe, check, apply. record["skipped"] is true when probe says that it cannot work here. */
int call_apply(struct call *c, struct stepproc_result *res) _must_check_;
int call_readback(struct call *c, struct stepproc_result *res) _must_check_;
int call_revert(struct call *c, struct stepproc_result *res) _must_check_;
/* probe, check, then all of core/io/workload.h. */
int call_workload(struct call *c, struct stepproc_result *res) _must_check_;
/* The same as one of a group: what stepproc_run_group() takes. c must live as long. */
struct stepproc call_workload_proc(struct call *c);
