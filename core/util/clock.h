/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* CLOCK_MONOTONIC in ns. */
uint64_t clock_now_ns(void);
/* CLOCK_REALTIME in ns since the epoch. */
uint64_t clock_wall_ns(void);
/* "2026-11-30T13:23:33Z"; buf of at least 32 bytes. */
const char *clock_format_utc(uint64_t wall_ns, char *buf, size_t size);
