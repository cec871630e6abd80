/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Canaries: small fixed work measured before each block, of which no trial changes anything. When a result moves
 * and one of them moved too, it was not the file system: the processor (compute), what is below file systems
 * (raw), or the kernel's memory and names (tmpfs). They leave nothing behind, whatever ends the process.
 */
#pragma once

#include <jansson.h>

struct canary {
	int fd; /* a nameless file of random bytes, beside the scratch image or in the directory; -1: none */
	const char *device; /* or a device, which is only read */
};

/*
 * place: directory for the file that is read as `raw`; device: what is read instead, or NULL. What cannot be had
 * is a canary without a value, no error.
 */
void canary_begin(struct canary *c, const char *place, const char *device);
/* {"compute": {value, unit, better}, "raw": ..., "tmpfs": ...}; some 100 ms. New reference. */
json_t *canary_measure(const struct canary *c);
void canary_end(struct canary *c);
