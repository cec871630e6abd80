/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a device may be destroyed: the order of the checks, and the exclusive open around them.
 */
#include "core/run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/run/guard_internal.h"
#include "core/util/blockuse.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static int guard_check_device(struct guard *g, struct err *e)
{
	struct err inner = { 0 };
	_cleanup_free_ char *plain = NULL;

	if (!g->r->device || !*g->r->device)
		return err_set(e, EPERM, "no device is named in target");
	if (blockdev_get(g->r->device, &g->bd, &inner))
		return err_set(e, EPERM, "%s", inner.text);
	plain = xasprintf("/dev/%s", g->bd.name);
	if (str_eq(plain, g->r->device))
		snprintf(g->subject, sizeof(g->subject), "%s", plain);
	else
		snprintf(g->subject, sizeof(g->subject), "%.240s (%s)", g->r->device, g->bd.name);
	return guard_find_relatives(g, e);
}

/* udev holds its own lock on a device for the moment that it takes to look at it. */
#define GUARD_LOCK_TRIES 60
#define GUARD_LOCK_PAUSE_NS (50 * NSEC_PER_MSEC)

/* Before the claim, which would get in the way of another session's mkfs. */
static int guard_lock(struct guard *g, struct err *e)
{
	const struct timespec pause = { .tv_nsec = GUARD_LOCK_PAUSE_NS };
	int fd, tries = 0;

	if (!g->r->lock)
		return 0;
	fd = open(g->r->device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* the checks that follow say why */
	*g->r->lock = fd;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || ++tries == GUARD_LOCK_TRIES)
			return err_set(e, EPERM, "%s is in use by another session: its lock cannot be had: %s",
				       g->subject, strerror(errno));
		nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * Never refuses by itself: the mount table and its like say more than an EBUSY does, and they are
 * asked while nobody can take the device any more.
 */
static int guard_claim(struct guard *g, struct err *e _unused_)
{
	g->fd = open(g->r->device, O_RDONLY | O_EXCL | O_CLOEXEC);
	g->fd_err = g->fd < 0 ? errno : 0;
	return 0;
}

/* No file system fits on less: it is not the device that was meant. */
#define GUARD_SMALLEST (1ULL << 20)

static int guard_check_size(struct guard *g, struct err *e)
{
	if (g->bd.size && g->bd.size < GUARD_SMALLEST)
		return err_set(e, EPERM, "%s has %llu bytes: too small for a file system", g->subject,
			       (unsigned long long)g->bd.size);
	if (!g->bd.size)
		return err_set(e, EPERM, "%s has a size of zero: nothing is attached, or no medium",
			       g->subject);
	return 0;
}

static int guard_check_writable(struct guard *g, struct err *e)
{
	char node[64], text[16];
	_cleanup_free_ char *path = xasprintf("%s/ro",
					      blockdev_node(g->bd.dev, node, sizeof(node)));
	int ret = file_read_line(path, text, sizeof(text));

	if (ret)
		return err_set(e, EPERM, "%s: %s cannot be read: %s", g->subject, path,
			       strerror(-ret));
	if (!str_eq(text, "0"))
		return err_set(e, EPERM, "%s is read-only", g->subject);
	return 0;
}

static int guard_check_exclusive(struct guard *g, struct err *e)
{
	struct stat st;

	if (g->fd_err == EBUSY)
		return err_set(
			e, EPERM,
			"%s is held by the kernel or by a program (a mount in another "
			"mount namespace, an external log, a member of md or LVM): it cannot "
			"be opened exclusively: EBUSY",
			g->subject);
	if (g->fd < 0)
		return err_set(e, EPERM, "%s cannot be opened: %s", g->subject,
			       strerror(g->fd_err));
	if (fstat(g->fd, &st) || st.st_rdev != g->bd.dev)
		return err_set(e, EPERM, "%s became another device while it was looked at",
			       g->subject);
	return 0;
}

static int guard_check_medium(struct guard *g, struct err *e)
{
	return g->bd.size ? 0 : guard_check_size(g, e);
}

/* The first that refuses is the reason. */
/* clang-format off */
static int (*const guard_checks[])(struct guard *g, struct err *e) = {
	guard_check_device,
	guard_check_confirmed,
	guard_lock,
	guard_claim,
	guard_check_mounted,
	guard_check_swap,
	guard_check_holders,
	guard_check_loop,
	guard_check_size,
	guard_check_writable,
	guard_check_exclusive,
	guard_check_paths,
	guard_check_signature,
};

static int (*const guard_checks_to_read[])(struct guard *g, struct err *e) = {
	guard_check_device,
	guard_lock,
	guard_check_medium,
};
/* clang-format on */

int guard_check(const struct guard_request *r, struct blockdev *bd, struct err *e)
{
	struct guard g = { .r = r, .fd = -1 };
	int ret = 0;

	for (size_t i = 0; r->only_read && !ret && i < ARRAY_SIZE(guard_checks_to_read); i++)
		ret = guard_checks_to_read[i](&g, e);
	for (size_t i = 0; !r->only_read && !ret && i < ARRAY_SIZE(guard_checks); i++)
		ret = guard_checks[i](&g, e);
	if (g.fd >= 0)
		close(g.fd);
	vec_free(&g.relatives);
	*bd = g.bd;
	return ret;
}

/* The path still leads to the device that was looked at. */
static int guard_same(const char *path, const struct blockdev *bd, struct blockdev *now, struct err *e)
{
	struct err inner = { 0 };

	if (blockdev_get(path, now, &inner))
		return err_set(e, EPERM, "%s", inner.text);
	if (now->dev != bd->dev || now->diskseq != bd->diskseq || !str_eq(now->name, bd->name))
		return err_set(e, EPERM,
			       "%s leads to another device than the one that was checked (%s, "
			       "then %s)",
			       path, bd->name, now->name);
	if (now->size != bd->size)
		return err_set(e, EPERM,
			       "%s changed its size from %llu to %llu bytes since it was "
			       "checked",
			       path, (unsigned long long)bd->size, (unsigned long long)now->size);
	return 0;
}

static int guard_not_free(const char *path, dev_t dev, int open_err, struct err *e)
{
	_cleanup_free_ char *use = open_err == EBUSY ? blockuse_any(dev) : NULL;

	return err_set(e, EPERM, "%s cannot be opened exclusively: %s%s%s", path, strerror(open_err),
		       use ? ": it is " : "", use ? use : "");
}

int guard_recheck(const char *path, const struct blockdev *bd, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	int open_err = errno;
	struct blockdev now;
	int ret = guard_same(path, bd, &now, e);

	return ret || fd >= 0 ? ret : guard_not_free(path, now.dev, open_err, e);
}

/* Two paths to one medium, as with several cables to one disk, have one name that the hardware gave. */
static bool guard_same_medium(const struct blockdev *a, const struct blockdev *b)
{
	char one[256], two[256];

	return blockdev_wwid(a, one, sizeof(one)) && blockdev_wwid(b, two, sizeof(two)) && str_eq(one, two);
}

static int guard_distinct_pair(const struct blockdev *a, const char *x, const struct blockdev *b, const char *y,
			       struct err *e)
{
	if (!a->dev || !b->dev)
		return 0;
	if (a->dev == b->dev)
		return err_set(e, EPERM, "%s and %s are the same device, %s", x, y, a->name);
	if (!str_eq(a->disk, b->disk))
		return guard_same_medium(a, b) ?
			       err_set(e, EPERM, "%s and %s are two paths to the same disk", x, y) : 0;
	if (str_eq(a->name, a->disk))
		return err_set(e, EPERM, "%s is a partition of %s, which the target has too", y, x);
	if (str_eq(b->name, b->disk))
		return err_set(e, EPERM, "%s is a partition of %s, which the target has too", x, y);
	return 0;
}

int guard_distinct(const struct blockdev *v, const char *const *names, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			int ret = guard_distinct_pair(&v[k], names[k], &v[i], names[i], e);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int guard_stands_on(const char *path, const struct guard_ground *gr, bool free, struct err *e)
{
	struct err inner = { 0 };
	struct blockdev bd;
	int fd;

	if (blockdev_get(path, &bd, &inner))
		return err_set(e, EPERM, "%s", inner.text);
	if (guard_check_ground(&bd, gr, &inner))
		return err_set(e, EPERM,
			       "%s does not stand on the target alone (%s): only devices that the job names in "
			       "target.devices and confirms in target.destroy may be used",
			       path, inner.text);
	if (!free)
		return 0;
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return guard_not_free(path, bd.dev, errno, e);
	close(fd);
	return 0;
}
