/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a workload's process: the device that it names instead of files, and whether it may write there. */
#pragma once

#include "core/io/device.h"
#include "core/run/call.h"

struct call_device {
	char *path; /* NULL: the step works on files */
	struct io_device dev;
};

/* Which one is it? It is one of the target's, or of those that steps made. */
int call_device_find(const struct call *c, struct call_device *d, struct err *e) _must_check_;
/* What check named: if it is this device and the guard lets it go, it may be written from here on. */
int call_device_claim(const struct call *c, struct call_device *d, const char *claim, struct err *e) _must_check_;
/* What is to be warned of before it is read, or NULL; the caller frees it. */
char *call_device_warning(const struct call *c, const struct call_device *d);
void call_device_release(struct call_device *d);
