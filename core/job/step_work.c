/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step while it is resolved: where its parameters stand, and what was found wrong. */
#include "core/job/step_work.h"

#include <stdarg.h>

#include "core/util/str.h"

bool step_is_given(const struct step_work *w, const char *name)
{
	for (size_t i = 0; i < w->n_places; i++) {
		if (str_eq(w->places[i].name, name))
			return true;
	}
	return false;
}

bool step_is_bad(const struct step_work *w, const char *name)
{
	for (size_t i = 0; i < w->n_places; i++) {
		if (str_eq(w->places[i].name, name) && w->places[i].bad)
			return true;
	}
	return false;
}

const struct step_place *step_place(struct step_work *w, const char *name)
{
	for (size_t i = 0; i < w->n_places; i++) {
		if (str_eq(w->places[i].name, name))
			return &w->places[i];
	}
	w->none = (struct step_place){ name, w->def->file, w->def->line, false };
	return &w->none;
}

void step_fail(struct step_work *w, const char *name, const char *fmt, ...)
{
	const struct step_place *at = step_place(w, name);
	va_list ap;

	va_start(ap, fmt);
	diag_addv(w->d, at->file, at->line, fmt, ap);
	va_end(ap);
	w->failed = true;
}
