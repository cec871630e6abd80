/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `fstrial plugins` shows of plugins and of the core's own parameter tables. */
#pragma once

#include <jansson.h>

#include "core/job/job.h"
#include "core/plugin/registry.h"
#include "core/util/strbuf.h"

/* Everything about a plugin: description, needs, parameters, metrics, programs. */
void plugins_describe(const struct plugin *p, struct strbuf *out);
/* A table of the core: what it is for, its parameters. */
void plugins_describe_table(const struct core_table *t, struct strbuf *out);

/* The same as objects. New references. */
json_t *plugins_json(const struct plugin *p);
json_t *plugins_json_table(const struct core_table *t);
