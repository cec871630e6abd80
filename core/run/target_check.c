/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to a target while trials go on: is it still that one, may a step have this device, is nothing left? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/record/environment.h"
#include "core/run/target.h"
#include "core/util/blockuse.h"
#include "core/util/json.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static const struct target_device *target_find(const struct target *t, const char *device)
{
	for (uint32_t i = 0; device && i < t->n_devices; i++)
		if (str_eq(device, t->devices[i].device))
			return &t->devices[i];
	return NULL;
}

/* A scratch device is ours as long as our image is behind it. */
static int target_own_images(const struct target *t, struct err *e)
{
	for (uint32_t i = 0; t->job->kind == TARGET_SCRATCH && i < t->n_devices; i++) {
		const struct target_device *d = &t->devices[i];
		_cleanup_free_ char *behind = loop_backing_file(d->device);

		if (!str_eq(behind, d->image))
			return err_set(e, EPERM, "%s no longer belongs to this session's image %s", d->device, d->image);
	}
	return 0;
}

/* Which devices steps may bring; v to be freed. */
static struct guard_ground target_ground(const struct target *t, const char *dir)
{
	struct blockdev *v = xcalloc(t->n_devices + t->given.n + 1, sizeof(*v));
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_devices; i++)
		v[n++] = t->devices[i].bd;
	for (size_t i = 0; i < t->given.n; i++)
		v[n++] = t->given.v[i];
	return (struct guard_ground){ .v = v, .n = n, .own_dir = t->dir, .dir = dir, .began_ns = t->began_ns };
}

static int target_on_ground(const struct target *t, const char *dir, const char *device, bool free_too, struct err *e)
{
	const struct guard_ground gr = target_ground(t, dir);
	int r = guard_stands_on(device, &gr, free_too, e);

	free((void *)gr.v);
	return r;
}

static int target_recheck_own(const struct target_device *d, const char *path, struct err *e)
{
	_cleanup_free_ char *parts = guard_parts(&d->bd);

	if (d->parts && !str_eq(d->parts, parts))
		return err_set(e, EPERM, "%s leads to other devices than those that were checked (%s, then %s)", path,
			       d->parts, parts);
	return guard_recheck(path, &d->bd, e);
}

int target_recheck(const struct target *t, const char *dir, const char *device, struct err *e)
{
	const struct target_device *own = target_find(t, device);
	int r = target_own_images(t, e);

	if (r < 0)
		return r;
	return own ? target_recheck_own(own, device, e) : target_on_ground(t, dir, device, true, e);
}

void target_look(struct target *t)
{
	guard_forget(t->seen);
	t->seen = guard_see();
}

int target_take_given(struct target *t, const char *dir, const char *device, struct err *e)
{
	struct guard_ground gr = target_ground(t, dir);
	guard_blockdevs found = VEC_INIT;
	int r;

	gr.seen = t->seen;
	gr.found = &found;
	r = guard_stands_on(device, &gr, false, e);
	for (size_t i = 0; r == 0 && i < found.n; i++)
		vec_push(&t->given, found.v[i]);
	vec_free(&found);
	free((void *)gr.v);
	guard_forget(t->seen);
	t->seen = NULL;
	return r;
}

/* "target.2" is the number 1; UINT32_MAX for anything else. */
static uint32_t claim_number(const char *word)
{
	unsigned n;
	int end = 0;

	if (!str_starts(word, "target.") || sscanf(word, "target.%4u%n", &n, &end) != 1 || word[end] || !n)
		return UINT32_MAX;
	return n - 1;
}

static int claim_not_so_many(const struct job_target *jt, const char *claim, struct err *e)
{
	uint32_t n = job_target_count(jt);

	return err_set(e, EPERM, "%s: the target has %u device%s%s", claim, n, n == 1 ? "" : "s",
		       jt->kind == TARGET_SCRATCH ? ": say count in target" :
		       jt->kind == TARGET_DEVICE  ? ": add one to target.devices and confirm it in target.destroy" :
						    "");
}

/* By name, or by what the names lead to where that can be looked at. */
static bool claim_is_one_of(const struct job_target *jt, const char *claim)
{
	struct blockdev mine, own;
	bool there = blockdev_get(claim, &mine, NULL) == 0;

	for (uint32_t i = 0; jt->kind == TARGET_DEVICE && jt->devices[i]; i++) {
		if (str_eq(claim, jt->devices[i]))
			return true;
		if (there && blockdev_get(jt->devices[i], &own, NULL) == 0 && own.dev == mine.dev)
			return true;
	}
	return false;
}

/* 1: it is none of the target's; then the caller says so. */
static int claim_judge(const struct job_target *jt, const char *claim, bool made_before, struct err *e)
{
	struct blockdev bd;

	if (str_starts(claim, "target."))
		return claim_number(claim) < job_target_count(jt) ? 0 : claim_not_so_many(jt, claim, e);
	if (claim_is_one_of(jt, claim))
		return 0;
	/* A step before makes it, perhaps: looked at when that has been. */
	return made_before && blockdev_get(claim, &bd, NULL) < 0 ? 0 : 1;
}

int target_judge_claim(const struct job_target *jt, const char *claim, bool made_before, struct err *e)
{
	int r = claim_judge(jt, claim, made_before, e);

	if (r <= 0)
		return r;
	if (jt->kind == TARGET_DEVICE)
		return err_set(e, EPERM,
			       "%s is none of the target's devices: add it to target.devices and its name to "
			       "target.destroy",
			       claim);
	return err_set(e, EPERM,
		       "%s is none of the target's devices, and its contents would be lost: name it in target.devices "
		       "and confirm it in target.destroy%s",
		       claim, jt->kind == TARGET_SCRATCH ? ", or say count = 2 in target and \"target.2\" here" : "");
}

int target_judge_device(const struct job_target *jt, const char *word, bool made_before, struct err *e)
{
	/* The trial's own, whichever that is then. */
	int r = str_eq(word, "target") ? 0 : claim_judge(jt, word, made_before, e);

	if (r <= 0)
		return r;
	return err_set(e, EPERM, "filename = \"%s\": none of the target's devices: say target = { device = \"%s\"; }", word,
		       word);
}

int target_find_device(const struct target *t, const char *dir, const char *current, const char *word,
		       struct blockdev *bd, struct err *e)
{
	const char *path = str_eq(word, "target") ? current : word;
	struct err inner = { 0 };

	if (str_starts(word, "target.")) {
		uint32_t n = claim_number(word);

		if (n >= t->n_devices)
			return claim_not_so_many(t->job, word, e);
		path = t->devices[n].device;
	}
	if (!path)
		return err_set(e, ENOENT, "filename = \"%s\": there is no device", word);
	if (blockdev_get(path, bd, &inner) < 0)
		return err_set(e, EPERM, "%s", inner.text);
	for (uint32_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].bd.dev == bd->dev && t->devices[i].bd.diskseq == bd->diskseq)
			return target_own_images(t, e);
	return target_on_ground(t, dir, path, false, e);
}

uint64_t target_written(const struct target *t, const char *device)
{
	const struct target_device *own = target_find(t, device);
	_cleanup_close_ int fd = own && own->image ? open(own->image, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	uint64_t bytes = 0;
	off_t data, hole = 0;

	if (fd < 0)
		return UINT64_MAX;
	/* Where the file system below knows of no holes all of it is data. */
	while ((data = lseek(fd, hole, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			return UINT64_MAX;
		bytes += (uint64_t)(hole - data);
	}
	return errno == ENXIO ? bytes : UINT64_MAX;
}

int target_check_claim(const struct target *t, const char *dir, const char *claim, struct err *e)
{
	struct err inner = { 0 };
	struct blockdev bd;

	if (str_starts(claim, "target.")) {
		uint32_t n = claim_number(claim);

		if (n >= t->n_devices)
			return claim_not_so_many(t->job, claim, e);
		return target_recheck(t, dir, t->devices[n].device, e);
	}
	if (blockdev_get(claim, &bd, &inner) < 0)
		return err_set(e, EPERM, "%s", inner.text);
	for (uint32_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].bd.dev == bd.dev)
			return target_recheck_own(&t->devices[i], claim, e);
	return target_on_ground(t, dir, claim, true, e);
}

static bool device_is_gone(const struct target_device *d)
{
	struct blockdev now;

	return blockdev_get_dev(d->bd.dev, &now, NULL) < 0 || now.diskseq != d->bd.diskseq;
}

static int device_prove(const struct target_device *d, bool only_read, struct err *e)
{
	_cleanup_json_ json_t *now = NULL;
	/* Who had it before may have it still. */
	_cleanup_free_ char *use = only_read ? NULL : blockuse_mount(d->bd.dev);
	char text[4096];

	if (use)
		return err_set(e, EBUSY, "%s is still %s", d->device, use);
	use = only_read ? NULL : blockuse_holder(d->bd.dev);
	if (use)
		return err_set(e, EBUSY, "%s is still %s", d->device, use);
	if (device_is_gone(d))
		return err_set(e, ENODEV, "%s is gone: it was pulled out or detached, or its driver gave it up",
			       d->device);
	now = environment_settings(d->bd.sysfs);
	if (environment_differs(d->settings, now, text, sizeof(text)))
		return err_set(e, EBUSY, "%s is not as it was: %s", d->device, text);
	return 0;
}

int target_prove(const struct target *t, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < t->n_devices; i++)
		if (t->devices[i].device)
			r = device_prove(&t->devices[i], t->job->only_read, e);
	return r;
}
