/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a session's trials take place: scratch images on loop devices, devices that passed the guard, or a
 * directory of our own below the one the job names.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "core/job/job.h"
#include "core/run/guard.h"
#include "core/run/undo.h"
#include "core/util/blockdev.h"

struct target_device {
	const char *named; /* as the job names it; NULL for a scratch device */
	char *device;	   /* the kernel's own node */
	char *image;	   /* behind the loop, for TARGET_SCRATCH */
	struct blockdev bd;
	char *parts;	   /* guard_parts() when it was guarded; NULL for a scratch device */
	int lock_fd;	   /* flock on the device; -1 otherwise */
	json_t *settings;  /* environment_settings() before the first trial */
};

struct target {
	const struct job_target *job;
	struct target_device *devices; /* the first is the trials' until a step makes another one */
	uint32_t n_devices;	       /* 0 for a directory */
	const char **paths;	       /* devices[i].device */
	char *dir;		       /* our own directory, for TARGET_DIRECTORY */
	uint64_t size;		       /* bytes, of the first device */
	int64_t began_ns;	       /* wall clock, as files have it */
	/* Disks in memory that steps brought with them: once-steps first, then those of the trial. */
	guard_blockdevs given;
	size_t n_given_once;
	struct ground_seen *seen; /* disks there were before the step that is under way, or NULL */
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
 * that was looked at, and free? dir: where the trial works, or NULL; likewise below.
 */
int target_recheck(const struct target *t, const char *dir, const char *device, struct err *e) _must_check_;
/* Before a step that may bring a device with it: which disks are there? */
void target_look(struct target *t);
/*
 * May trials go on on a device that a step hands over? Only when it stands on the target's, or is new and empty
 * since target_look().
 */
int target_take_given(struct target *t, const char *dir, const char *device, struct err *e) _must_check_;
/*
 * At load: may a step have this further device, a path or "target.2"? -EPERM with what to write in the job.
 * made_before: a step before it makes devices, so one that is not there yet may come.
 */
int target_judge_claim(const struct job_target *jt, const char *claim, bool made_before, struct err *e) _must_check_;
/* The same when the step begins: is it one of ours, the same as ever, and free? */
int target_check_claim(const struct target *t, const char *dir, const char *claim, struct err *e) _must_check_;
/* At load: may a workload have this device in the place of files? -EPERM where it is none of the target's. */
int target_judge_device(const struct job_target *jt, const char *word, bool made_before, struct err *e) _must_check_;
/*
 * Which device does a workload mean that names one in the place of files? current: the trial's, or NULL. It is one of
 * ours, in use or not; before it is written there is target_recheck().
 */
int target_find_device(const struct target *t, const char *dir, const char *current, const char *word,
		       struct blockdev *bd, struct err *e) _must_check_;
/* Bytes of a scratch image that were ever written, the rest are holes; UINT64_MAX: it is none of these. */
uint64_t target_written(const struct target *t, const char *device);
/* A fresh, empty place for one trial (directory targets). */
int target_begin_trial(struct target *t, struct err *e) _must_check_;
int target_end_trial(struct target *t, struct err *e) _must_check_;
/* Nothing mounted or held, every setting as before the first trial. 0, or -EBUSY naming what is left. */
int target_prove(const struct target *t, struct err *e) _must_check_;
/* {kind, device, directory, image, size_bytes, count, devices: [...]}. New reference. */
json_t *target_json(const struct target *t);
void target_release(struct target *t);

/* Undoes what an undo step of owner "target" says, in any process, twice if need be. what: for people. */
int target_revert(const struct undo_step *s, char *what, size_t size, struct err *e) _must_check_;
