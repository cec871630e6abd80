/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way back of a target: images, loop devices and directories that a session made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/run/target.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* A loop device is let go of by the kernel a little after its last user has closed it. */
#define DETACH_WAIT_NS (10 * NSEC_PER_SEC)

struct detach {
	const char *image;
	const char *gone; /* how the kernel calls it once it is unlinked */
	struct err *e;
	int result;
};

static int detach_one(const char *name, void *arg)
{
	struct detach *d = arg;
	_cleanup_free_ char *device = xasprintf("/dev/%s", name);
	_cleanup_free_ char *behind = NULL;

	if (!str_starts(name, "loop"))
		return 0;
	behind = loop_backing_file(device);
	/* Somebody may have removed the image: the loop device is there all the same. */
	if (str_eq(behind, d->image) || str_eq(behind, d->gone))
		d->result = loop_detach(device, d->image, DETACH_WAIT_NS, d->e);
	return d->result;
}

static int scratch_revert(const char *image, char *what, size_t size, struct err *e)
{
	_cleanup_free_ char *gone = xasprintf("%s (deleted)", image);
	struct detach d = { .image = image, .gone = gone, .e = e };
	int r;

	snprintf(what, size, "scratch image %s and its loop device", image);
	r = dir_each("/sys/block", detach_one, &d);
	if (r < 0 || d.result < 0)
		return d.result < 0 ? d.result : err_sys(e, -r, "read /sys/block");
	if (unlink(image) < 0 && errno != ENOENT)
		return err_sys(e, errno, "remove %s", image);
	return 0;
}

static int directory_revert(const char *dir, char *what, size_t size, struct err *e)
{
	snprintf(what, size, "directory %s", dir);
	return dir_remove_tree(dir, e);
}

int target_revert(const struct undo_step *s, char *what, size_t size, struct err *e)
{
	static const struct {
		const char *key;
		int (*revert)(const char *value, char *what, size_t size, struct err *e);
	} kinds[] = {
		{ "image", scratch_revert },
		{ "directory", directory_revert },
	};

	snprintf(what, size, "%s", s->name);
	for (size_t i = 0; i < s->n_facts; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			if (str_eq(s->facts[i].key, kinds[k].key))
				return kinds[k].revert(s->facts[i].value, what, size, e);
	return 0;
}
