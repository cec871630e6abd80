/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a text that libconfig calls a "syntax error". */
#pragma once

#include "core/job/flat.h"
#include "core/util/diag.h"

/* Adds the finding for libconfig's message at line (of the whole text) to d. */
void hint_add(const struct flat *f, const char *message, unsigned line, struct diag *d);
