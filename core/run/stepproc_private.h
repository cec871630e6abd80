/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of step processes share. */
#pragma once

#include "core/run/stepproc.h"
#include "core/util/strbuf.h"

/* In the child: runs the step and leaves. Its account goes to `out`. */
_noreturn_ void stepproc_child(const struct stepproc *sp, int out, pid_t parent);
/* Takes the child's account into res; false when it is not whole. */
bool stepproc_account(struct stepproc_result *res, const struct strbuf *out);

/* Processes that go on after their step, as its record asks for under "kept". */
void sweep_keep(const json_t *record);
/* Ends all that have become ours because we are their reaper, and what these leave, but those to be kept. */
void sweep_all(void);
/* Are there any to be kept? */
bool sweep_keeps(void);
