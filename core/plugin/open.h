/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens one plugin file. */
#pragma once

#include "core/plugin/registry.h"

/*
 * Checks who may write the file, maps it and checks its descriptor. The error does not name
 * the file. The file stays mapped in any case once it could be.
 */
int plugin_open(const char *file, struct plugin **out, struct err *e) _must_check_;
void plugin_free(struct plugin *p);
