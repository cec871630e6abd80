/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One job of a JSON document of fio, of version 2 or 3, in the units of version 3. */
#pragma once

#include "core/import/model.h"

enum { FIO_DIRECTIONS = 3 };

struct fio_latency {
	double count, min, max, mean;
	json_t *percentiles; /* "99.9" -> ns; NULL: none */
};

struct fio_direction {
	const char *name; /* "read" */
	double bytes, ops, runtime_ms;
	double throughput, rate; /* NAN: none */
	struct fio_latency slat, clat, lat, sync;
};

/* Reads one direction. -EINVAL when what it says of itself cannot be. options: of the job, all of them. */
int fio_direction_read(const json_t *job, const json_t *options, int direction,
		       struct fio_direction *d, struct err *e) _must_check_;
void fio_direction_free(struct fio_direction *d);
/* Adds another clone's figures of the same direction. */
void fio_direction_add(struct fio_direction *sum, const struct fio_direction *d);
/* Its metrics and latencies into the step. */
void fio_direction_put(struct import_row *row, json_t *step, const struct fio_direction *d);
