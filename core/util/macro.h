/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiler attributes, scope cleanup and small arithmetic that every room uses. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define _must_check_ __attribute__((warn_unused_result))
#define _nonnull_(...) __attribute__((nonnull(__VA_ARGS__)))
#define _printf_(fmt, first) __attribute__((format(printf, fmt, first)))
#define _noreturn_ __attribute__((noreturn))
#define _unused_ __attribute__((unused))
/* Works on memory of one thread only, and so much that the thread sanitizer had better not watch. */
#define _one_thread_ __attribute__((no_sanitize("thread")))
#define _cleanup_(fn) __attribute__((cleanup(fn)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Is this a build for the thread sanitizer? */
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

/* Scope cleanup for one resource: the variable must be initialised. */
static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_ _cleanup_(cleanup_freep)
#define _cleanup_close_ _cleanup_(cleanup_closep)

/* Hands a pointer on and disarms its scope cleanup. */
#define TAKE_PTR(p)                     \
	({                              \
		__typeof__(p) _tp = (p); \
		(p) = NULL;             \
		_tp;                    \
	})
