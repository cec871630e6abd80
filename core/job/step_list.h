/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a job as written: plugins, names, keys, `when`, and the factors they depend on. */
#pragma once

#include "core/job/job.h"

/*
 * job->steps from `once` and `steps`, and job->global. What is wrong goes to d, its step is broken.
 */
void step_list_load(struct job *job, const struct value *root, struct diag *d);
void step_list_release(struct job *job);
