/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processors a worker may run on. */
#pragma once

#include <sched.h>
#include <stdint.h>

#include "core/io/options.h"
#include "core/util/err.h"
#include "core/util/macro.h"

/* "0,2-3": -EINVAL with the text when it is no such list. */
int cpus_parse(const char *text, cpu_set_t *set, struct err *e) _must_check_;
/* Those of worker number index: all of them, or one, in turn. */
void cpus_of_worker(const cpu_set_t *all, int policy, uint32_t index, cpu_set_t *own);
/* Binds the calling thread as o says. */
int cpus_bind(const struct step_options *o, uint32_t index, struct err *e) _must_check_;
