/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device guard: other paths to the same medium. What is mounted by one of them is lost by way of any. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/run/guard_internal.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

struct guard_paths {
	struct guard *g;
	char wwid[256];
	char number[16]; /* of the partition that the target is; "": it is the whole disk */
	const char *dir; /* of the other disk */
};

static int guard_path_partition(const char *name, void *arg)
{
	const struct guard_paths *p = arg;
	_cleanup_free_ char *sysfs = xasprintf("%s/%s", p->dir, name);
	_cleanup_free_ char *mark = xasprintf("%s/partition", sysfs);
	char number[16];

	if (file_read_line(mark, number, sizeof(number)) ||
	    (*p->number && !str_eq(number, p->number)))
		return 0;
	return guard_relative_add(p->g, sysfs, GUARD_PATH);
}

static int guard_path_disk(const char *name, void *arg)
{
	struct guard_paths *p = arg;
	struct blockdev other = { .size = 0 };
	_cleanup_free_ char *node = xasprintf("/sys/block/%s/dev", name);
	char wwid[256];
	int ret;

	if ((size_t)snprintf(other.sysfs, sizeof(other.sysfs), "/sys/block/%s", name) >=
		    sizeof(other.sysfs) ||
	    str_eq(other.sysfs, p->g->bd.sysfs) || !blockdev_wwid(&other, wwid, sizeof(wwid)) ||
	    !str_eq(wwid, p->wwid))
		return 0;
	/* Paths that the kernel keeps to itself, as NVMe's, nobody can have open. */
	if (!file_exists(node))
		return 0;
	p->dir = other.sysfs;
	ret = guard_relative_add(p->g, other.sysfs, GUARD_PATH);
	return ret ? ret : dir_each(other.sysfs, guard_path_partition, p);
}

int guard_find_paths(struct guard *g)
{
	struct guard_paths p = { .g = g };
	_cleanup_free_ char *mark = NULL;
	char node[64];

	if (!blockdev_wwid(&g->bd, p.wwid, sizeof(p.wwid)))
		return 0;
	mark = xasprintf("%s/partition", blockdev_node(g->bd.dev, node, sizeof(node)));
	if (file_read_line(mark, p.number, sizeof(p.number)))
		p.number[0] = '\0';
	return dir_each("/sys/block", guard_path_disk, &p);
}

int guard_check_paths(struct guard *g, struct err *e)
{
	for (size_t i = 0; i < g->relatives.n; i++) {
		const struct guard_relative *r = &g->relatives.v[i];
		_cleanup_free_ char *path = xasprintf("/dev/%s", r->name);
		int fd, busy;

		if (r->relation != GUARD_PATH)
			continue;
		fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
		busy = fd < 0 && errno == EBUSY;
		if (fd >= 0)
			close(fd);
		if (busy)
			return err_set(e, EPERM,
				       "%s, another path to %s, is held by the kernel or by a "
				       "program: it cannot be "
				       "opened exclusively: EBUSY",
				       path, g->subject);
	}
	return 0;
}
