/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a text like "2*(ram + 1GiB)", with its dimension. */
#pragma once

#include <stdbool.h>

#include "core/param/param_names.h"
#include "core/util/err.h"
#include "core/util/macro.h"

enum number_dim { NUMBER_PLAIN, NUMBER_SIZE, NUMBER_TIME };

struct number {
	long double v; /* bytes, ns, or just so many */
	enum number_dim dim;
	bool part; /* of ram or the target: not exact by nature */
};

/* want: "5m" is 5 MiB, or 5 minutes where a time is wanted. */
int number_eval(const char *text, const struct param_names *names, enum number_dim want,
		struct number *out, struct err *e) _must_check_;
