/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One trial, or a session's once-steps: its steps in order, read-back, and undo in reverse, with a record
 * of each for the result.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/job/job.h"
#include "core/run/call.h"
#include "core/run/progress.h"
#include "core/run/target.h"
#include "core/run/undo.h"

/* What the trials of a session share. */
struct trial_env {
	const struct job *job;
	struct undo *undo;
	struct target *target;
	json_t *tools;
	uint64_t seed;
	int signal_fd;
	int commands_fd;
	struct progress *progress;
};

/* A setup step that acted, to be undone. */
struct applied {
	size_t index; /* in job->steps */
	struct step *step; /* owned */
	uint32_t undo_id;
	json_t *record; /* borrowed from the trial's steps */
	char *dir, *device, *sysfs; /* of the trial when it acted */
	char *gave;		    /* the directory that it gave to the trial, or NULL */
};

struct trial {
	struct trial_env *env;
	uint32_t variant, block; /* block from 0 */
	const char *status;	 /* "ok", "failed", "interrupted" */
	char *reason;		 /* "mkfs: ..." or NULL */
	char *label;		 /* "v01 r2" */
	char *dir, *device, *sysfs; /* as they are now */
	bool moved;	     /* a step made the device since dir was set: dir is none of it */
	bool made;	     /* a step made a file system on the device: what is there is this trial's */
	const char *without; /* the skipped step that would have made the device, or NULL */
	json_t *filesystem, *settings; /* after the last setup step, or NULL */
	json_t *layers;	  /* {data, log}, as layers_collect(), or NULL */
	json_t *warnings; /* about the trial as a whole: texts, or NULL */
	json_t *cgroups; /* that workloads run in: texts */
	json_t *steps;
	struct applied *applied;
	size_t n_applied;
	bool changed; /* a setup step acted since the last read-back */
};

/* base: the once-steps' trial, whose directory and device this one starts from, or NULL. */
void trial_begin(struct trial *t, struct trial_env *env, uint32_t variant, uint32_t block,
		 const struct trial *base);
/* Runs the job's steps [first, last) that are active in the variant. */
void trial_run(struct trial *t, size_t first, size_t last);
/* Ends the trial as failed before its first step. */
void trial_fail(struct trial *t, const struct err *e);
/* Undoes in reverse; what fails is kept for the rest to be tried. 0, or -errno with the first reason. */
int trial_undo(struct trial *t, struct err *e) _must_check_;
void trial_release(struct trial *t);
/* A step's `asked` and `in_force` held against each other; warnings are added. -EINVAL when a must differs. */
int trial_compare_asked(json_t *record, struct err *e);
