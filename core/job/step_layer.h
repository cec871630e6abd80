/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tables a step's parameters come from. */
#pragma once

#include "core/job/job.h"

/* Keys of a step that are no parameters: setup, workload, name, when, expect. */
bool step_is_reserved(const char *key);
extern const char *const step_reserved[5];

/*
 * Fills layers (STEP_MAX_LAYERS) with the tables, without configurations: "step", then for
 * workloads "workload", for data workloads "io", for those that can do without files "device", then
 * the plugin's, then the engine's when there is one. Returns their number.
 */
uint32_t step_layers(const struct plugin *plugin, const struct plugin *engine,
		     struct param_layer *layers);
/* Is it the core's table of I/O parameters? */
bool step_is_io(const struct param_layer *l);
/* Is it the name of one of these? */
bool step_is_io_key(const char *key);
/* Is it the core's table of those that say on which device? They stand in struct io_params, too. */
bool step_is_device(const struct param_layer *l);
/* Layer and entry of a key: 0 or -ENOENT. */
int step_find(const struct param_layer *layers, uint32_t n, const char *key, uint32_t *layer,
	      uint32_t *entry) _must_check_;
/*
 * No name of a later table may be one of an earlier, or reserved: -EINVAL with the text
 * `parameter "bs" of workload foo is already one of "io"`.
 */
int step_check_layers(const struct param_layer *layers, uint32_t n, struct err *e) _must_check_;
