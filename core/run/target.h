/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a session's trials take place: a scratch image on a loop device, a device that passed the guard, or a
 * directory of our own below the one the job names.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "core/job/job.h"
#include "core/run/undo.h"
#include "core/util/blockdev.h"

struct target {
	const struct job_target *job;
	char *device; /* NULL for a directory */
	char *dir;    /* our own directory, for TARGET_DIRECTORY */
	char *image;  /* behind the loop, for TARGET_SCRATCH */
	struct blockdev bd;
	int lock_fd;   /* flock on the device; -1 otherwise */
	uint64_t size; /* bytes */
	json_t *settings; /* environment_settings() before the first trial; NULL for a directory */
};

/*
 * Looks only: may the session have it? 0; -EPERM with the guard's reason; -EINVAL where a place that the job
 * names is none. Nothing is made, but a device is t's from here on, locked against other sessions. Names
 * that confirm a device: the job's and those of the command line. t is to be released in any case.
 */
int target_guard(const struct job_target *jt, const char *const *destroy, size_t n_destroy, struct target *t,
		 struct err *e) _must_check_;
/* What is to be warned of before a scratch image is used, or NULL; the caller frees it. */
char *target_room_warning(const struct job_target *jt);
/* Makes image, loop, directory; each is in the undo journal before it is made. After target_guard(). */
int target_begin(struct target *t, const char *session, struct undo *u, struct err *e) _must_check_;
/*
 * Before a step that destroys device, the target's own or what a step made of it: is it still the one
 * that was looked at?
 */
int target_recheck(const struct target *t, const char *device, struct err *e) _must_check_;
/* May trials go on on a device that a step names? Only when it stands on the target's. */
int target_check_given(const struct target *t, const char *device, struct err *e) _must_check_;
/* A fresh, empty place for one trial (directory targets). */
int target_begin_trial(struct target *t, struct err *e) _must_check_;
int target_end_trial(struct target *t, struct err *e) _must_check_;
/* Nothing mounted, every setting as before the first trial. 0, or -EBUSY naming what is left. */
int target_prove(const struct target *t, struct err *e) _must_check_;
/* {kind, device, directory, size_bytes, image_fs...}. New reference. */
json_t *target_json(const struct target *t);
void target_release(struct target *t);

/* Undoes what an undo step of owner "target" says, in any process, twice if need be. what: for people. */
int target_revert(const struct undo_step *s, char *what, size_t size, struct err *e) _must_check_;
