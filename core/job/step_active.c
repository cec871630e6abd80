/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a step take part in a variant? */
#include "core/job/expr.h"
#include "core/job/job.h"

bool job_step_active(const struct job *job, size_t step, uint32_t variant)
{
	const struct job_step *s = &job->steps[step];
	const struct job_parallel *g = s->parallel;

	return (!s->when || expr_eval(s->when, job, variant)) &&
	       (!g || !g->when || expr_eval(g->when, job, variant));
}
