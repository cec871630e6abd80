/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a step know the keys that it and `global` give it, and which factors do their values depend
 * on?
 */
#pragma once

#include "core/job/job.h"

/* Keys and names in values of one step; adds to its factors. */
void step_keys_check(const struct job *job, struct job_step *s, struct diag *d);
/* Keys of `global`, each of which some workload must know. */
void step_keys_check_global(const struct job *job, struct diag *d);
/*
 * Does global's key mean this step? What I/O is made of (size, bs, fsync, nrfiles, ...) means data workloads alone where
 * the job has any: another workload's own parameter of that name is about something else, as metadata's size is that of
 * each file.
 */
bool step_keys_is_meant(const struct job *job, const struct job_step *s, const char *key);
/*
 * The engine of a data workload, where it is the same in all variants; NULL with *any set where it
 * varies or is not there.
 */
const struct plugin *step_keys_engine(const struct job *job, const struct job_step *s, bool *any);
