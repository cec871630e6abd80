/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way back of a trial: its setup steps undone in reverse. */
#include <errno.h>

#include "core/run/steprec.h"
#include "core/run/trial.h"
#include "core/run/trial_private.h"
#include "core/util/log.h"

int trial_undo_one(struct trial *t, struct applied *a, struct err *e)
{
	struct undo_log one;
	struct stepproc_result res;
	struct err note = { 0 };
	struct call c = {
		.plugin = a->step->plugin,
		.label = t->label,
		.commands_fd = t->env->commands_fd,
		.signal_fd = t->env->signal_fd,
		.tick = progress_tick,
		.tick_arg = t->env->progress,
	};
	int r;

	if (!a->undo_id)
		return 0; /* it was never announced, so it did nothing */
	r = undo_read(t->env->undo, a->undo_id, &one, e);
	if (r < 0)
		goto out;
	if (one.n && one.v[0].n_facts) {
		if (!c.plugin->desc.revert) {
			r = err_set(e, ENOTSUP, "plugin %s saved undo facts and has no revert", c.plugin->desc.name);
			goto out;
		}
		c.saved = &one.v[0];
		r = call_revert(&c, &res);
		if (r < 0) {
			err_sys(e, -r, "no process for undoing could be made");
			goto out;
		}
		steprec_take(a->record, &res);
		r = res.result;
		if (r < 0)
			err_set(e, res.err.code, "%s", res.err.text);
		stepproc_result_release(&res);
	}
	/* Undone it is, and once more would do no harm: a full disk under the journal is no reason to stop. */
	if (r == 0 && undo_done(t->env->undo, a->undo_id, &note) < 0)
		steprec_warn(a->record, "%s", note.text);
out:
	undo_log_release(&one);
	return r;
}

int trial_undo(struct trial *t, struct err *e)
{
	int first = 0;

	while (t->n_applied) {
		struct applied *a = &t->applied[t->n_applied - 1];
		struct err one = { 0 };
		int r = trial_undo_one(t, a, &one);

		if (r < 0) {
			steprec_warn(a->record, "undo failed: %s", one.text);
			log_error("%s: undoing %s: %s", t->label, t->env->job->steps[a->index].name, one.text);
			err_set(e, one.code, "%s could not be undone: %s", t->env->job->steps[a->index].name,
				one.text);
			first = first ? first : r;
		}
		trial_applied_free(a);
		t->n_applied--;
	}
	return first;
}
