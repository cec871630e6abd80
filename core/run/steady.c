/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steady states, from the series of a step. */
#include "core/run/steady.h"

#include "core/analyse/drift.h"
#include "core/run/steprec.h"
#include "core/util/json.h"

enum { STEADY_ROUNDS = 5 };

/* Mean operations a second of each round; false: there are fewer seconds than rounds, or nothing was counted. */
static bool steady_rounds(const json_t *ops, double *round)
{
	size_t n = json_array_size(ops);
	double all = 0;

	for (size_t i = 0; n >= STEADY_ROUNDS && i < STEADY_ROUNDS; i++) {
		size_t from = i * n / STEADY_ROUNDS, to = (i + 1) * n / STEADY_ROUNDS;

		round[i] = 0;
		for (size_t k = from; k < to; k++)
			round[i] += json_number_value(json_array_get(ops, k)) / (double)(to - from);
		all += round[i];
	}
	return all > 0;
}

void steady_judge(const struct step *step, json_t *record)
{
	const json_t *ops = json_object_get(json_object_get(record, "series"), "ops");
	json_t *measured = json_object_get(record, "measured");
	double round[STEADY_ROUNDS];
	struct drift_steady s = { .steady = false };

	if (!step->opt.steady_state || !json_is_object(measured))
		return;
	if (steady_rounds(ops, round)) {
		drift_steady_state(round, STEADY_ROUNDS, &s);
		if (!s.steady)
			steprec_warn(record,
				     "steady_state: not reached: the fifths of the measured time "
				     "range over %.0f %% of "
				     "their mean (20 at most) and go one way by %.0f %% (10 at "
				     "most); a longer ramp_time "
				     "leaves out how it begins",
				     100 * s.excursion, 100 * s.slope_excursion);
	} else {
		steprec_warn(record,
			     "steady_state: %zu whole seconds with operations cannot show one: %d "
			     "at least are needed, set "
			     "a longer runtime",
			     json_array_size(ops), STEADY_ROUNDS);
	}
	js_set(measured, "steady", js_bool(s.steady));
}
