/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/run/steady: what is said of a series. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "core/run/steady.h"
#include "core/util/json.h"
#include "core/util/macro.h"

void test_run_steady(void);

static json_t *record_of(const char *ops)
{
	json_t *record = js_object(), *series = js_object(), *list = json_loads(ops, 0, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(list);
	js_set(series, "ops", list);
	js_set(record, "series", series);
	js_set(record, "measured", js_object());
	js_set(record, "warnings", js_array());
	return record;
}

static void test_series(void)
{
	static const struct {
		const char *ops;
		bool steady;
		const char *warning; /* NULL: none */
	} cases[] = {
		{ "[100, 100, 100, 100, 100]", true, NULL },
		{ "[110, 90, 100, 90, 110]", true, NULL },
		/* 21 % of the mean, and no trend. */
		{ "[110, 89, 101, 89, 110]", false,
		  "range over 21 % of their mean (20 at most) and go one way by 0 %" },
		/* 12 % all in one way. */
		{ "[106, 103, 100, 97, 94]", false,
		  "range over 12 % of their mean (20 at most) and go one way by 12 %" },
		{ "[104, 102, 100, 98, 96]", true, NULL },
		/* Seconds may differ by any amount within a fifth. */
		{ "[50, 150, 50, 150, 50, 150, 50, 150, 50, 150]", true, NULL },
		/* A beginning that ramp_time should have left out: in the first of eleven seconds. */
		{ "[300, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100]", false,
		  "a longer ramp_time" },
		{ "[100, 100, 100, 100]", false,
		  "4 whole seconds with operations cannot show one: 5 at least" },
		{ "[]", false, "0 whole seconds" },
		{ "[0, 0, 0, 0, 0, 0]", false, "6 whole seconds with operations cannot show one" },
	};
	const struct step step = { .opt.steady_state = true };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *record = record_of(cases[i].ops);
		const json_t *warnings = json_object_get(record, "warnings");
		const char *warning;

		steady_judge(&step, record);
		warning = json_string_value(json_array_get(warnings, 0));
		CU_ASSERT_PTR_EQUAL(json_object_get(json_object_get(record, "measured"), "steady"),
				    cases[i].steady ? json_true() : json_false());
		CU_ASSERT_EQUAL(json_array_size(warnings), cases[i].warning ? 1 : 0);
		if (cases[i].warning)
			CU_ASSERT_PTR_NOT_NULL(warning ? strstr(warning, cases[i].warning) : NULL);
		json_decref(record);
	}
}

static void test_not_asked(void)
{
	const struct step step = { 0 }, asked = { .opt.steady_state = true };
	json_t *record = record_of("[1, 100, 1, 100, 5]");

	steady_judge(&step, record);
	CU_ASSERT_PTR_NULL(json_object_get(json_object_get(record, "measured"), "steady"));
	CU_ASSERT_EQUAL(json_array_size(json_object_get(record, "warnings")), 0);
	/* Nothing was measured at all. */
	js_set(record, "measured", json_null());
	steady_judge(&asked, record);
	CU_ASSERT_PTR_EQUAL(json_object_get(record, "measured"), json_null());
	json_decref(record);
}

void test_run_steady(void)
{
	CU_pSuite s = CU_add_suite("core/run/steady", NULL, NULL);

	CU_add_test(s, "series and what they show", test_series);
	CU_add_test(s, "not asked for, and nothing to look at", test_not_asked);
}
