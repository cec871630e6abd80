/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a trial share. */
#pragma once

#include "core/run/trial.h"

/* Steps live on the heap: their parameter layers point into them. */
void trial_step_free(struct step *s);
void trial_applied_free(struct applied *a);
/* Ends the trial; the first call counts. */
void trial_end(struct trial *t, const char *status, const char *step, const struct err *e);
/*
 * Resolves step index into a new record of the trial, and looks whether it may run here. The step, or NULL
 * when it may not: then the record says why, and *skipped is whether that is no failure.
 */
struct step *trial_open_step(struct trial *t, size_t index, json_t **rec, bool *skipped);
void trial_call_fill(struct call *c, struct trial *t, const struct step *s, size_t index,
		     const char *label);
/* Where the file system under trial is: dir, or NULL when that is none of the device's. */
const char *trial_facts_dir(const struct trial *t);
/* "ok", "failed", "skipped", "interrupted": how a step process ended. */
const char *trial_end_status(const struct stepproc_result *res);

/*
 * trial.c: announces the step and lets it act, from the places that a says; what it says of places counts for
 * the trial. 0 when there is a result.
 */
int trial_apply(struct trial *t, struct applied *a, const char *label, struct stepproc_result *res,
		struct err *e) _must_check_;
/* trial_undo.c: undoes what a did; twice if need be. */
int trial_undo_one(struct trial *t, struct applied *a, struct err *e) _must_check_;
/*
 * trial_cold.c: unmounts and mounts again what the trial's steps have mounted, reads back, and says so in the
 * records of the workloads that wait for it. A failure ends the trial at the step called name.
 */
int trial_cold(struct trial *t, const char *name, json_t *const *records, size_t n) _must_check_;

/* trial_parallel.c: all active members of a group. Returns the number of its last step. */
size_t trial_parallel(struct trial *t, const struct job_parallel *g);

/* trial_readback.c: reads the file system, then each setup step back. A failure ends the trial. */
int trial_readback(struct trial *t);
/* {key: {value, must}} becomes {key: value}: the document's form, once no read-back follows. */
void trial_plain_asked(json_t *record);
