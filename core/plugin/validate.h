/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of plugin_validate(). Each returns 0 or -EINVAL with the reason in e. */
#pragma once

#include <fstrial/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util/err.h"
#include "core/util/macro.h"

#define FIELD_END(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

#define VALIDATE_NEWER "uses fields that this fstrial does not know"

/* [a-z][a-z0-9_]*, at most 63 characters. */
bool validate_word(const char *s);
/* Parameters, metrics, operations, tools. */
int validate_tables(const struct fstrial_plugin *d, struct err *e) _must_check_;
/* One metric, of a table or declared by a check. */
int validate_metric(const struct fst_metric *m, struct err *e) _must_check_;
/* The operations of an engine plugin; raw may have another size than ours. */
int validate_engine(const struct fst_engine_ops *raw, struct err *e) _must_check_;
