/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `{ parallel = ( {workload...}, ... ); stop = "first"; }`: the group's own keys. Its members are
 * steps of the job like others.
 */
#pragma once

#include "core/job/job.h"

/* Is it a group of steps, rather than a step? */
bool parallel_is(const struct value *v);
/* Members that v has, 0 when it is no group. */
size_t parallel_count(const struct value *v);
/*
 * A new group of the job from v, with its own keys; what they name is looked at by
 * parallel_settle(). NULL, with the findings in d, when it has no members to be read.
 */
struct job_parallel *parallel_read(struct job *job, const struct value *v, bool once,
				   struct diag *d);
/* May the step stand in the group? Else that is in d. */
bool parallel_takes(const struct job_step *s, struct diag *d);
/* All groups, once the names of all steps are known. */
void parallel_settle(struct job *job, struct diag *d);
void parallel_release(struct job *job);
