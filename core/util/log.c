/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages to stderr, one line each. */
#include "core/util/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/util/strbuf.h"
#include "core/util/text.h"

static atomic_int log_level_max = LOG_INFO;

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&log_level_max, (int)level, memory_order_relaxed);
}

enum log_level log_get_level(void)
{
	return (enum log_level)atomic_load_explicit(&log_level_max, memory_order_relaxed);
}

/* The whole line goes out in one call, so that lines of several processes do not mix. */
static void _printf_(2, 0) log_line(enum log_level level, const char *fmt, va_list ap)
{
	static const char *const names[] = {
		[LOG_ERROR] = "error: ", [LOG_WARNING] = "warning: ", [LOG_INFO] = "",
		[LOG_DEBUG] = "debug: ",
	};
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, clean = STRBUF_INIT;
	int saved = errno;

	if (level > log_get_level())
		return;
	strbuf_addf(&line, "fstrial: %s", names[level]);
	strbuf_addvf(&line, fmt, ap);
	while (line.len && line.buf[line.len - 1] == '\n')
		strbuf_truncate(&line, line.len - 1);
	/* What a job, a file's name or a program said may hold anything. */
	text_add_clean(&clean, strbuf_str(&line));
	strbuf_addch(&clean, '\n');
	fwrite(clean.buf, 1, clean.len, stderr);
	fflush(stderr);
	errno = saved;
}

#define LOG_FUNCTION(name, level)            \
	void name(const char *fmt, ...)      \
	{                                    \
		va_list ap;                  \
                                             \
		va_start(ap, fmt);           \
		log_line(level, fmt, ap);    \
		va_end(ap);                  \
	}

LOG_FUNCTION(log_error, LOG_ERROR)
LOG_FUNCTION(log_warning, LOG_WARNING)
LOG_FUNCTION(log_info, LOG_INFO)
LOG_FUNCTION(log_debug, LOG_DEBUG)
