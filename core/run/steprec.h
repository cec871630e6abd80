/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step's record in the result document. */
#pragma once

#include <jansson.h>

#include "core/job/job.h"
#include "core/run/stepproc.h"
#include "core/util/err.h"

/* A record with every key that a step has, status "not run". New reference. */
json_t *steprec_new(const struct job_step *def, const struct step *step);
/* status: "ok" "failed" "skipped" "interrupted"; e: why, or NULL. */
void steprec_status(json_t *rec, const char *status, const struct err *e);
/* Takes over what a step process brought back: measurements, warnings, notes, CPU time. */
void steprec_take(json_t *rec, const struct stepproc_result *res);
/* Adds a line to the record's warnings, once. */
void steprec_warn(json_t *rec, const char *fmt, ...) _printf_(2, 3);

/* The machine's CPU time so far, from /proc/stat. */
struct steprec_cpu {
	uint64_t busy_ns, steal_ns;
};
void steprec_cpu_read(struct steprec_cpu *c);
void steprec_cpu_add(json_t *rec, const struct steprec_cpu *before);
