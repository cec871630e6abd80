/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effects as text and as JSON. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "core/analyse/effects.h"

void effects_print(const struct effects *e, size_t n, FILE *out);
json_t *effects_json(const struct effects *e, size_t n);
