/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to plugins that change nothing (check, estimate), for each distinct step of a job, all in one child
 * process: a job of 100,000 variants must not cost 100,000 processes.
 */
#pragma once

#include "core/job/job.h"
#include "core/plugin/host.h"

struct ask_step {
	const struct job *job;
	const struct step *step;
	size_t index;
	uint32_t variant, n_variants; /* that share it */
	struct host host;	      /* its record gathers warnings, its err the reason */
};

/*
 * In a child process: calls fn for each distinct step, with a fresh host; fn adds what it finds to
 * record, which travels back. *record is a new reference; NULL with e set when the child died, the
 * step it died in named.
 */
json_t *ask_each(const struct job *job, void (*fn)(struct ask_step *a, json_t *record), struct err *e);
