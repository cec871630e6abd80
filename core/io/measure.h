/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up what the workers counted, and says it in the record. */
#pragma once

#include <jansson.h>

#include "core/io/metrics.h"
#include "core/io/step.h"

/* After the workers are joined; failed: what they returned. */
void measure_take(const struct io_step *s, int failed, struct measured *m);
void measure_release(struct measured *m);
/* latency, series, measured, engine, data, metrics, and warnings that follow from the numbers. */
void measure_record(const struct io_step *s, const struct measured *m, json_t *record);
/* Do latencies count from when an I/O should have begun? Then "schedule", new reference. */
bool measure_scheduled(const struct io_step *s);
json_t *measure_schedule(const struct io_step *s, const struct measured *m);
/* "engine"; new reference. */
json_t *measure_engine(const struct io_step *s, const struct measured *m);
/* A line in record's warnings. */
void measure_warn(json_t *record, const char *text);
