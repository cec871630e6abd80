/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads on a device instead of files. */
#include "core/run/call_device.h"

#include <stdlib.h>

#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

int call_device_find(const struct call *c, struct call_device *d, struct err *e)
{
	struct blockdev bd;
	int r;

	if (!c->target || !c->step || !step_on_device(c->step))
		return 0;
	r = target_find_device(c->target, c->dir, c->device, c->step->io.filename, &bd, e);
	if (r < 0)
		return r;
	/* Where the kernel has no node of its own; that it is the right one is seen when it is opened. */
	d->path = blockdev_path(*c->step->io.filename == '/' ? c->step->io.filename : c->device, &bd);
	d->dev = (struct io_device){ .path = d->path, .dev = bd.dev, .size = bd.size };
	return 0;
}

int call_device_claim(const struct call *c, struct call_device *d, const char *claim, struct err *e)
{
	int r;

	if (!d->path || !str_eq(claim, c->step->io.filename))
		return target_check_claim(c->target, c->dir, claim, e);
	r = target_recheck(c->target, c->dir, d->path, e);
	d->dev.may_write = r == 0;
	return r;
}

/* Holes of a sparse image are read without any disk. */
char *call_device_warning(const struct call *c, const struct call_device *d)
{
	uint64_t written, size;
	char a[48], b[48];

	if (!d->path || d->dev.may_write)
		return NULL;
	size = c->step->io.size ? c->step->io.size : d->dev.size;
	written = target_written(c->target, d->path);
	if (written >= size)
		return NULL;
	return xasprintf("the scratch image behind %s is sparse: %s of it were ever written, and what is read beyond, of %s, "
			 "comes from no disk; write it before, or take a device",
			 d->path, units_format_metric((double)written, "bytes", a, sizeof(a)),
			 units_format_size(size, b, sizeof(b)));
}

void call_device_release(struct call_device *d)
{
	free(d->path);
	*d = (struct call_device){ 0 };
}
