/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and times as they stand in tables that people keep. */
#pragma once

#include <stdbool.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/* A finite decimal number. A comma in it is refused with the reason. */
int import_number(const char *text, double *v, struct err *e) _must_check_;
/*
 * Seconds: "12:40.55", "1:13:45", "0m40.10s", "94511us", "40.1"; what time(1) puts behind it ("elapsed 91%CPU"), with or
 * without a blank, is passed over.
 */
int import_duration(const char *text, double *seconds, struct err *e) _must_check_;
/* "+++++" of three or more, and nothing else. */
bool import_is_censored(const char *text);
