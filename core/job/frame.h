/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a job says once, for all variants: its keys, variables and target, as against matrix and
 * steps.
 */
#pragma once

#include "core/job/job.h"

/*
 * Sets parameter i of the layer from v, which may hold variables but no factors. Errors go to d. 0
 * or -EINVAL.
 */
int frame_set(const struct job *job, struct param_layer *l, uint32_t i, const struct value *v,
	      struct param_arena *a, struct diag *d) _must_check_;
/* Substitutes v, which may hold no factors, into a new value; NULL with the findings in d. */
struct value *frame_value(const struct job *job, const struct value *v, struct diag *d);
/* `unknown key "fo"; did you mean "of"?` at v; names: what there is. */
void frame_unknown(const struct value *at, const char *key, const char *const *names, size_t n,
		   struct diag *d);

/* vars of the file with --set put in, into job->vars; pins for factors into job->pins. */
void frame_load_vars(struct job *job, const struct value *vars, const struct job_options *opt,
		     struct diag *d);
/* job->target and job->names.target_size. */
void frame_load_target(struct job *job, const struct value *target, const struct job_options *opt,
		       struct diag *d);
void frame_release_target(struct job_target *t);
