/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of results as text and as JSON. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "core/analyse/calibrate.h"

void calibrate_print(const struct calibrate *c, size_t n, FILE *out);
json_t *calibrate_json(const struct calibrate *c, size_t n);
