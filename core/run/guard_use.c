/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device guard: the confirmation, and everybody who uses the device or a relative of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/run/guard_internal.h"
#include "core/util/blockuse.h"
#include "core/util/file.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

#define GUARD_DEPTH_MAX 16
#define GUARD_RELATIVES_MAX 4096 /* against a loop in what sysfs shows */

/* ---- relatives ------------------------------------------------------------------------------- */

int guard_relative_add(struct guard *g, const char *sysfs, enum guard_relation relation)
{
	_cleanup_free_ char *path = xasprintf("%s/dev", sysfs);
	struct guard_relative r = { .relation = relation };
	struct blockdev bd;
	unsigned int ma, mi;
	char text[32];

	if (file_read_line(path, text, sizeof(text)) || sscanf(text, "%u:%u", &ma, &mi) != 2)
		return -ENODEV;
	r.dev = makedev(ma, mi);
	for (size_t i = 0; i < g->relatives.n; i++) {
		if (g->relatives.v[i].dev == r.dev)
			return 0;
	}
	if (g->relatives.n >= GUARD_RELATIVES_MAX || blockdev_get_dev(r.dev, &bd, NULL))
		return -ENODEV;
	memcpy(r.name, bd.name, sizeof(r.name));
	vec_push(&g->relatives, r);
	return 0;
}

struct guard_walk {
	struct guard *g;
	const char *dir;
};

static int guard_add_partition(const char *name, void *arg)
{
	struct guard_walk *w = arg;
	_cleanup_free_ char *mark = xasprintf("%s/%s/partition", w->dir, name);
	_cleanup_free_ char *sysfs = xasprintf("%s/%s", w->dir, name);

	return file_exists(mark) ? guard_relative_add(w->g, sysfs, GUARD_PARTITION) : 0;
}

static int guard_add_slave(const char *name, void *arg)
{
	struct guard_walk *w = arg;
	_cleanup_free_ char *sysfs = xasprintf("%s/%s", w->dir, name);

	return guard_relative_add(w->g, sysfs, GUARD_BELOW);
}

/* What lies below relative i; those are appended and get their turn in the caller's loop. */
static int guard_add_below(struct guard *g, size_t i)
{
	char node[64];
	_cleanup_free_ char *dir = xasprintf("%s/slaves", blockdev_node(g->relatives.v[i].dev, node,
									sizeof(node)));
	struct guard_walk w = { g, dir };

	return file_exists(dir) ? dir_each(dir, guard_add_slave, &w) : 0;
}

int guard_find_relatives(struct guard *g, struct err *e)
{
	struct guard_walk w = { g, g->bd.sysfs };
	char node[64];
	int ret = guard_relative_add(g, blockdev_node(g->bd.dev, node, sizeof(node)), GUARD_SELF);

	if (!ret && str_eq(g->bd.name, g->bd.disk))
		ret = dir_each(g->bd.sysfs, guard_add_partition, &w);
	else if (!ret)
		ret = guard_relative_add(g, g->bd.sysfs, GUARD_DISK);
	for (size_t i = 0; !ret && i < g->relatives.n; i++) {
		if (g->relatives.v[i].relation != GUARD_PARTITION)
			ret = guard_add_below(g, i);
	}
	if (!ret)
		ret = guard_find_paths(g);
	if (ret)
		return err_set(e, EPERM, "%s: its disk and partitions cannot be found in /sys: %s",
			       g->subject, strerror(-ret));
	return 0;
}

struct guard_parts_walk {
	struct strbuf text;
	unsigned int depth;
};

static int guard_parts_of(const char *name, void *arg)
{
	struct guard_parts_walk *w = arg;
	_cleanup_free_ char *dir = xasprintf("/sys/class/block/%s/slaves", name);
	_cleanup_free_ char *seq = xasprintf("/sys/class/block/%s/diskseq", name);
	char number[32] = "";
	int ret = 0;

	if (file_read_line(seq, number, sizeof(number)))
		number[0] = '\0';
	strbuf_addf(&w->text, "%s%s%s%s", w->text.len ? " " : "", name, *number ? "#" : "", number);
	if (file_exists(dir) && w->depth < GUARD_DEPTH_MAX) {
		w->depth++;
		ret = dir_each(dir, guard_parts_of, w);
		w->depth--;
	}
	return ret;
}

char *guard_parts(const struct blockdev *bd)
{
	struct guard_parts_walk w = { STRBUF_INIT, 0 };
	char node[64];
	_cleanup_free_ char *dir = xasprintf("%s/slaves", blockdev_node(bd->dev, node, sizeof(node)));

	if (file_exists(dir) && dir_each(dir, guard_parts_of, &w) < 0)
		strbuf_addstr(&w.text, " ?");
	return strbuf_steal(&w.text);
}

/* "/dev/sdb is mounted on /x", "/dev/sdb1, a partition of /dev/sdb, is mounted on /x" */
static int guard_refuse_use(const struct guard *g, const struct guard_relative *r, const char *use,
			    struct err *e)
{
	static const char *const relation[] = {
		[GUARD_PARTITION] = "a partition of",
		[GUARD_DISK] = "the disk of",
		[GUARD_BELOW] = "a part of",
		[GUARD_PATH] = "another path to",
	};

	if (r->relation == GUARD_SELF)
		return err_set(e, EPERM, "%s is %s", g->subject, use);
	return err_set(e, EPERM, "/dev/%s, %s %s, is %s", r->name, relation[r->relation],
		       g->subject, use);
}

/* skip: a relation that says nothing in this question; what is below is held by us, for example. */
static int guard_ask_all(const struct guard *g, char *(*ask)(dev_t), enum guard_relation skip,
			 struct err *e)
{
	for (size_t i = 0; i < g->relatives.n; i++) {
		const struct guard_relative *r = &g->relatives.v[i];
		_cleanup_free_ char *use = NULL;

		if (skip != GUARD_SELF && r->relation == skip)
			continue;
		use = ask(r->dev);
		if (use)
			return guard_refuse_use(g, r, use, e);
	}
	return 0;
}

int guard_check_mounted(struct guard *g, struct err *e)
{
	return guard_ask_all(g, blockuse_mount, GUARD_SELF, e);
}

int guard_check_swap(struct guard *g, struct err *e)
{
	return guard_ask_all(g, blockuse_swap, GUARD_SELF, e);
}

int guard_check_holders(struct guard *g, struct err *e)
{
	return guard_ask_all(g, blockuse_holder, GUARD_BELOW, e);
}

/* ---- loop devices ---------------------------------------------------------------------------- */

struct guard_loop {
	const struct guard *g;
	struct err *e;
	const struct guard_relative *relative;
	bool attached; /* relative is itself a loop device, with this behind it */
	struct loop_file file;
};

static const char *guard_loop_where(const char *name, char **mount)
{
	_cleanup_free_ char *device = xasprintf("/dev/%s", name);
	struct stat st;

	*mount = stat(device, &st) ? NULL : blockuse_mount(st.st_rdev);
	return *mount ? *mount : "not mounted";
}

/* Is another loop device attached to the relative, or to the image that the relative shows? */
static int guard_loop_other(const char *name, const struct loop_file *lf, void *arg)
{
	const struct guard_loop *l = arg;
	_cleanup_free_ char *device = NULL, *image = NULL, *mount = NULL, *use = NULL;

	if (str_eq(name, l->relative->name))
		return 0;
	device = xasprintf("/dev/%s", name);
	if (lf->rdev && lf->rdev == l->relative->dev) {
		use = xasprintf("behind the loop device %s (%s)", device,
				guard_loop_where(name, &mount));
		return guard_refuse_use(l->g, l->relative, use, l->e);
	}
	if (!l->attached || lf->dev != l->file.dev || lf->ino != l->file.ino)
		return 0;
	image = loop_backing_file(device);
	use = xasprintf("a loop device whose image %s is also behind %s (%s)", image ? image : "?",
			device, guard_loop_where(name, &mount));
	return guard_refuse_use(l->g, l->relative, use, l->e);
}

/* A loop device over a block device destroys that one: it must not be in use either. */
static int guard_loop_over_device(const struct guard_loop *l)
{
	_cleanup_free_ char *use = NULL, *text = NULL;
	struct blockdev below;

	if (!l->attached || !l->file.rdev)
		return 0;
	use = blockuse_mount(l->file.rdev);
	if (!use)
		use = blockuse_swap(l->file.rdev);
	if (!use)
		use = blockuse_holder(l->file.rdev);
	if (!use)
		return 0;
	text = xasprintf("a loop device over %s, which is %s",
			 blockdev_get_dev(l->file.rdev, &below, NULL) ? "a device" : below.name,
			 use);
	return guard_refuse_use(l->g, l->relative, text, l->e);
}

int guard_check_loop(struct guard *g, struct err *e)
{
	for (size_t i = 0; i < g->relatives.n; i++) {
		struct guard_loop l = { .g = g, .e = e, .relative = &g->relatives.v[i] };
		int ret = loop_get(l.relative->name, &l.file);

		if (ret && ret != -ENXIO)
			return err_set(e, EPERM, "/dev/%s: what is behind it cannot be found: %s",
				       l.relative->name, strerror(-ret));
		l.attached = !ret;
		ret = guard_loop_over_device(&l);
		if (!ret)
			ret = loop_each(guard_loop_other, &l);
		if (ret)
			return err_set(e, EPERM, "%s: loop devices cannot be listed: %s",
				       g->subject, strerror(-ret));
	}
	return 0;
}

/* ---- confirmation ---------------------------------------------------------------------------- */

static bool guard_is_same_device(const char *path, dev_t dev)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

/* A link that the system made out of the hardware's or the volume's own name. */
static bool guard_is_link(const struct guard *g, const char *word, const char *dir)
{
	_cleanup_free_ char *path = NULL;

	if (str_starts(word, dir))
		word += strlen(dir);
	if (!*word || strchr(word, '/'))
		return false;
	path = xasprintf("%s%s", dir, word);
	return guard_is_same_device(path, g->bd.dev);
}

/* What device mapper calls it: its kernel name, "dm-0", is another one after the next boot. */
static bool guard_dm_name(const struct guard *g, char *name, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/dm/name", g->bd.sysfs);

	return str_eq(g->bd.name, g->bd.disk) && !file_read_line(path, name, size) && *name;
}

/*
 * Paths are taken in the places where names are stable only: any other link is not a confirmation.
 */
static bool guard_is_confirmed_by(const struct guard *g, const char *word)
{
	char text[128];

	if (!word || !*word)
		return false;
	if (str_eq(str_starts(word, "/dev/") ? word + 5 : word, g->bd.name))
		return true;
	if (guard_is_link(g, word, "/dev/disk/by-id/") || guard_is_link(g, word, "/dev/mapper/"))
		return true;
	if (guard_dm_name(g, text, sizeof(text)) && str_eq(word, text))
		return true;
	return blockdev_serial(&g->bd, text, sizeof(text)) && str_eq(word, text);
}

int guard_check_confirmed(struct guard *g, struct err *e)
{
	_cleanup_strbuf_ struct strbuf said = STRBUF_INIT;
	char best[128];

	for (size_t i = 0; i < g->r->n_confirmed; i++) {
		const char *word = g->r->confirmed[i];

		if (guard_is_confirmed_by(g, word))
			return 0;
		strbuf_addf(&said, "%s\"%s\"", i ? ", " : "", word ? word : "");
	}
	if (!guard_dm_name(g, best, sizeof(best)))
		snprintf(best, sizeof(best), "%s", g->bd.name);
	if (!g->r->n_confirmed)
		return err_set(e, EPERM, "%s is not confirmed: add destroy = \"%s\" to target",
			       g->subject, best);
	return err_set(e, EPERM,
		       "%s is not confirmed: destroy says %s, not \"%s\" or its serial number or "
		       "by-id name",
		       g->subject, strbuf_str(&said), best);
}
