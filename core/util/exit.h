/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exit codes of the program; scripts rely on them. */
#pragma once

enum {
	EXIT_GOOD = 0,
	EXIT_FAILED = 1,	 /* a trial failed, an expectation failed, a regression, interrupted */
	EXIT_USAGE = 2,		 /* command line or job */
	EXIT_INCONCLUSIVE = 3,
	EXIT_NOT_COMPARABLE = 4,
	EXIT_REFUSED = 5,	 /* by the device guard, or leftovers to recover first */
};
