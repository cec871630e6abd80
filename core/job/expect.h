/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `expect = "write.p99 < 10ms"` on a workload: what a step's numbers must be. On the left a metric
 * of the plugin, or LATENCY.FIELD as in the result, on the right a number with the unit of that.
 */
#pragma once

#include <stdbool.h>

#include "core/job/step_work.h"

enum expect_cmp { EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE, EXPECT_EQ, EXPECT_NE };

struct expect {
	const char *text;  /* as written, variables put in */
	const char *op;	   /* key of the latency in the result; NULL: it is a metric */
	const char *field; /* metric; "min" "max" "mean" "count"; of a percentile its key, "99.9" */
	bool percentile;
	enum expect_cmp cmp;
	double value; /* in unit */
	const char *unit; /* NULL: of a metric that the plugin's check declares; expect_settle() says it */
	const char *right; /* then the number's text, and what it may name */
	const struct param_names *names;
};

/* The step's `expect`, into w->out. What is wrong goes to w->d, and w->failed is set. */
void expect_resolve(struct step_work *w);
/* Makes a number of `right`, now that the unit is known: 0, or -EINVAL with the reason. Once is enough. */
int expect_settle(struct expect *x, const char *unit, struct err *e) _must_check_;
/* Does value meet it? */
bool expect_met(const struct expect *e, double value);
