/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factors of a job, the cells of their product, and those that skip leaves. */
#pragma once

#include "core/job/job.h"

/* Factors and their values as written, so that names can be found. */
void matrix_read(struct job *job, const struct value *matrix, struct diag *d);
/* Then, with variables and target known: substitutes and checks values, pins those of --set. */
void matrix_settle(struct job *job, struct diag *d);
/* Then: variants. skip may be NULL. */
void matrix_expand(struct job *job, const struct value *skip, struct diag *d);
