/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages to stderr, one line each, "fstrial: warning: ..."; levels are set by the command line. */
#pragma once

#include "core/util/macro.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Highest level printed; LOG_INFO at start. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);
void log_error(const char *fmt, ...) _printf_(1, 2);
void log_warning(const char *fmt, ...) _printf_(1, 2);
void log_info(const char *fmt, ...) _printf_(1, 2);
void log_debug(const char *fmt, ...) _printf_(1, 2);
