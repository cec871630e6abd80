/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch images, devices and directories that trials take place on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/record/environment.h"
#include "core/run/guard.h"
#include "core/run/target.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* A loop device is let go of by the kernel a little after its last user has closed it. */
#define DETACH_WAIT_NS (10 * NSEC_PER_SEC)

static int place_check(const char *what, const char *dir, struct err *e)
{
	struct stat st;
	int code = stat(dir, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	if (!code && access(dir, W_OK | X_OK) < 0)
		code = errno;
	if (!code)
		return 0;
	err_sys(e, code, "%s %s", what, dir);
	return -EINVAL;
}

static int device_guard(const struct job_target *jt, const char *const *destroy, size_t n_destroy,
			struct target *t, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	struct guard_request rq = { .device = jt->device, .overwrite = jt->overwrite, .lock = &t->lock_fd };
	int r;

	for (char **d = jt->destroy; d && *d; d++)
		vec_push(&names, *d);
	for (size_t i = 0; i < n_destroy; i++)
		vec_push(&names, destroy[i]);
	rq.confirmed = names.v;
	rq.n_confirmed = names.n;
	r = guard_check(&rq, &t->bd, e);
	if (r == 0)
		t->device = blockdev_path(jt->device, &t->bd);
	vec_free(&names);
	return r;
}

int target_guard(const struct job_target *jt, const char *const *destroy, size_t n_destroy, struct target *t,
		 struct err *e)
{
	*t = (struct target){ .job = jt, .lock_fd = -1 };
	if (jt->kind == TARGET_DIRECTORY)
		return place_check("target directory", jt->directory, e);
	if (jt->kind == TARGET_DEVICE)
		return device_guard(jt, destroy, n_destroy, t, e);
	if (geteuid() != 0)
		return err_set(e, EPERM,
			       "a scratch image needs root for its loop device; as a plain user give --directory DIR");
	return place_check("scratch_dir", jt->scratch_dir, e);
}

char *target_room_warning(const struct job_target *jt)
{
	char room[48], want[48];
	struct statvfs vfs;
	uint64_t bytes;

	if (jt->kind != TARGET_SCRATCH || statvfs(jt->scratch_dir, &vfs) < 0)
		return NULL;
	bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (bytes >= jt->scratch_size)
		return NULL;
	return xasprintf("only %s are free in scratch_dir %s: when the sparse image, %s, grows beyond that, "
			 "writes fail",
			 units_format_metric((double)bytes, "bytes", room, sizeof(room)), jt->scratch_dir,
			 units_format_size(jt->scratch_size, want, sizeof(want)));
}

/* Something of that name was there before us: it is not ours to remove. */
static int begin_refused(struct undo *u, uint32_t id, int code, const char *path, struct err *e)
{
	err_sys(e, code, "make %s", path);
	return undo_done(u, id, e) < 0 ? -EIO : -code;
}

static int scratch_make_image(struct target *t, struct undo *u, uint32_t id, struct err *e)
{
	_cleanup_close_ int fd = open(t->image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return begin_refused(u, id, errno, t->image, e);
	if (ftruncate(fd, (off_t)t->job->scratch_size) < 0)
		return err_sys(e, errno, "make the scratch image %s %llu bytes long", t->image,
			       (unsigned long long)t->job->scratch_size);
	return 0;
}

static int scratch_begin(const char *session, struct undo *u, struct target *t, struct err *e)
{
	/* As the kernel names what is behind a loop: without links and dots. */
	_cleanup_free_ char *dir = realpath(t->job->scratch_dir, NULL);
	uint32_t id;
	int r;

	if (!dir)
		return err_sys(e, errno, "scratch_dir %s", t->job->scratch_dir);
	t->image = xasprintf("%s/fstrial-%s.img", dir, session);
	r = undo_step(u, "target", "scratch", "", "scratch image", &id, e);
	if (r == 0)
		r = undo_save(u, id, "image", t->image, e);
	if (r == 0)
		r = scratch_make_image(t, u, id, e);
	if (r == 0)
		r = loop_attach(t->image, t->job->scratch_sector, &t->device, e);
	return r;
}

static int directory_begin(const char *session, struct undo *u, struct target *t, struct err *e)
{
	uint32_t id;
	int r;

	t->dir = xasprintf("%s/fstrial-%s", t->job->directory, session);
	r = undo_step(u, "target", "directory", "", "directory", &id, e);
	if (r == 0)
		r = undo_save(u, id, "directory", t->dir, e);
	if (r == 0 && mkdir(t->dir, 0700) < 0)
		r = begin_refused(u, id, errno, t->dir, e);
	return r;
}

static int directory_size(struct target *t, struct err *e)
{
	struct statvfs vfs;

	if (statvfs(t->dir, &vfs) < 0)
		return err_sys(e, errno, "statvfs %s", t->dir);
	t->size = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	return 0;
}

int target_begin(struct target *t, const char *session, struct undo *u, struct err *e)
{
	int r = 0;

	if (t->job->kind == TARGET_DIRECTORY) {
		r = directory_begin(session, u, t, e);
		return r < 0 ? r : directory_size(t, e);
	}
	if (t->job->kind == TARGET_SCRATCH) {
		r = scratch_begin(session, u, t, e);
		if (r == 0)
			r = blockdev_get(t->device, &t->bd, e);
	}
	if (r < 0)
		return r;
	t->size = t->bd.size;
	t->settings = environment_settings(t->bd.sysfs);
	return 0;
}

int target_recheck(const struct target *t, const char *device, struct err *e)
{
	_cleanup_free_ char *behind = NULL;

	if (t->job->kind == TARGET_SCRATCH) {
		behind = loop_backing_file(t->device);
		if (!str_eq(behind, t->image))
			return err_set(e, EPERM, "%s no longer belongs to this session's image %s", t->device,
				       t->image);
	}
	if (str_eq(device, t->device))
		return guard_recheck(device, &t->bd, e);
	return guard_stands_on(device, t->device ? &t->bd : NULL, true, e);
}

int target_check_given(const struct target *t, const char *device, struct err *e)
{
	return guard_stands_on(device, t->device ? &t->bd : NULL, false, e);
}

int target_begin_trial(struct target *t, struct err *e)
{
	_cleanup_free_ char *work = NULL;

	if (!t->dir)
		return 0;
	work = xasprintf("%s/work", t->dir);
	return mkdir(work, 0700) < 0 ? err_sys(e, errno, "make %s", work) : 0;
}

int target_end_trial(struct target *t, struct err *e)
{
	_cleanup_free_ char *work = NULL;

	if (!t->dir)
		return 0;
	work = xasprintf("%s/work", t->dir);
	return dir_remove_tree(work, e);
}

/* Is anything mounted from this device? The mount point into where. */
static bool device_is_mounted(dev_t dev, char *where, size_t size)
{
	_cleanup_free_ char *text = NULL;
	char want[64], *save = NULL;

	if (file_read("/proc/self/mountinfo", 64 << 20, &text, NULL, NULL) < 0)
		return false;
	snprintf(want, sizeof(want), " %u:%u ", major(dev), minor(dev));
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char point[4096];

		if (strstr(l, want) && sscanf(l, "%*s %*s %*s %*s %4095s", point) == 1) {
			snprintf(where, size, "%s", point);
			return true;
		}
	}
	return false;
}

int target_prove(const struct target *t, struct err *e)
{
	_cleanup_json_ json_t *now = NULL;
	char text[4096];

	if (!t->device)
		return 0;
	if (device_is_mounted(t->bd.dev, text, sizeof(text)))
		return err_set(e, EBUSY, "%s is still mounted on %s", t->device, text);
	now = environment_settings(t->bd.sysfs);
	if (environment_differs(t->settings, now, text, sizeof(text)))
		return err_set(e, EBUSY, "%s is not as it was: %s", t->device, text);
	return 0;
}

json_t *target_json(const struct target *t)
{
	static const char *const kinds[] = { [TARGET_SCRATCH] = "scratch",
					     [TARGET_DEVICE] = "device",
					     [TARGET_DIRECTORY] = "directory" };
	json_t *o = js_object();

	js_set(o, "kind", js_str(kinds[t->job->kind]));
	js_set(o, "device", js_str(t->job->kind == TARGET_DEVICE ? t->job->device : t->device));
	js_set(o, "directory", js_str(t->job->directory));
	js_set(o, "image", js_str(t->image));
	js_set(o, "size_bytes", js_u64(t->size));
	return o;
}

void target_release(struct target *t)
{
	free(t->device);
	free(t->dir);
	free(t->image);
	json_decref(t->settings);
	if (t->job && t->lock_fd >= 0)
		close(t->lock_fd);
	*t = (struct target){ .lock_fd = -1 };
}

/* ---- the way back, from the undo journal alone ------------------------------------------------- */

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
