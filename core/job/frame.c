/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job says once, for all variants. */
#include "core/job/frame.h"

#include <errno.h>

#include "core/job/subst.h"
#include "core/util/str.h"

struct value *frame_value(const struct job *job, const struct value *v, struct diag *d)
{
	struct value *put = NULL;

	if (subst_scan(job, v, NULL, d) || subst_value(job, SUBST_NO_VARIANT, v, &put, d))
		return NULL;
	return put;
}

int frame_set(const struct job *job, struct param_layer *l, uint32_t i, const struct value *v,
	      struct param_arena *a, struct diag *d)
{
	struct value *put = frame_value(job, v, d);
	int ret = put ? param_set(l, i, put, &job->names, job->dir, a, d) : -EINVAL;

	value_free(put);
	return ret;
}

void frame_unknown(const struct value *at, const char *key, const char *const *names, size_t n,
		   struct diag *d)
{
	const char *near = str_nearest(key, names, n);

	if (near)
		diag_add(d, at->file, at->line, "unknown key \"%s\"; did you mean \"%s\"?", key,
			 near);
	else
		diag_add(d, at->file, at->line, "unknown key \"%s\"", key);
}
