/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step while it is resolved. */
#pragma once

#include "core/job/job.h"

/* Where the value of a parameter stands: in the step, in global, in the matrix. */
struct step_place {
	const char *name, *file;
	unsigned line;
	bool bad; /* it could not be set, and that was said */
};

struct step_work {
	const struct job *job;
	const struct job_step *def;
	uint32_t variant;
	struct step *out;
	struct diag *d;
	bool failed;
	struct step_place places[64]; /* of what was given */
	size_t n_places;
	struct step_place none;
};

/* The parameter's place, the step's where it was not given. */
const struct step_place *step_place(struct step_work *w, const char *name);
/* Does the job give it, right or wrong? */
bool step_is_given(const struct step_work *w, const char *name);
bool step_is_bad(const struct step_work *w, const char *name);
/* Adds a finding at name's place; sets w->failed. */
void step_fail(struct step_work *w, const char *name, const char *fmt, ...) _printf_(3, 4);
