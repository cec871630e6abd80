/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a unit outside the list. */
#include "common.h"

static const struct fst_metric bad_metric_unit_metrics[] = {
	{ .name = "rate", .unit = "MB per sec", .better = FST_HIGHER, .doc = "How fast." },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "bad_metric_unit", COMMON_TEXTS,
	       FST_METRICS(bad_metric_unit_metrics), .run = common_run);
