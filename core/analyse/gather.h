/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One document's text into a set. */
#pragma once

#include <stddef.h>

#include "core/analyse/set.h"
#include "core/util/err.h"

int gather_text(struct set *s, const char *text, size_t len, const char *path, struct err *e) _must_check_;
