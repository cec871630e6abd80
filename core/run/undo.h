/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The undo journal: what must be known to put the machine back, on disk before each change. One file a
 * session under /var/lib/fstrial (root) or $XDG_STATE_HOME/fstrial, held by flock while the session lives,
 * removed when everything is undone. JSON lines:
 *   {"session", "boot_id", "pid", "out"}                          once
 *   {"step": id, "owner": "setup" or "target", "plugin", "file", "name"}   before a step acts
 *   {"save": id, "key", "value"}                                  a fact, before the change
 *   {"undone": id}
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/plugin/host.h"
#include "core/util/err.h"
#include "core/util/macro.h"

struct undo {
	int fd; /* O_APPEND: children write to it too */
	char *path;
	uint32_t next_id;
};

/* What one step saved, as read back. */
struct undo_step {
	uint32_t id;
	char *owner, *plugin, *file, *name;
	struct host_fact *facts; /* oldest first */
	size_t n_facts;
	bool undone;
};

struct undo_log {
	char *path, *session, *boot_id, *out;
	pid_t pid;
	struct undo_step *v; /* in the order they acted */
	size_t n;
	bool damaged; /* a line could not be read: what comes from there on is not in v */
};

/*
 * $FSTRIAL_STATE_DIR, else "/var/lib/fstrial" (root) or the user's; caller frees; NULL when there is no home
 * directory.
 */
char *undo_dir(void);
int undo_open(const char *session, const char *out, struct undo *u, struct err *e) _must_check_;
/* Announces a step; *id names it from now on. Durable. */
int undo_step(struct undo *u, const char *owner, const char *plugin, const char *file, const char *name,
	      uint32_t *id, struct err *e) _must_check_;
/* Durable when it returns 0. Works in a child of the process that opened u. */
int undo_save(const struct undo *u, uint32_t id, const char *key, const char *value, struct err *e) _must_check_;
int undo_done(struct undo *u, uint32_t id, struct err *e) _must_check_;
/* Offset to go back to by undo_rewind() once all after it is undone, so that the file does not grow. */
off_t undo_mark(const struct undo *u);
void undo_rewind(struct undo *u, off_t mark);
/* Step id with its facts, or all steps for id 0, read back from the file. To be released in either case. */
int undo_read(const struct undo *u, uint32_t id, struct undo_log *log, struct err *e) _must_check_;
/* All is undone: removes the file. */
void undo_close(struct undo *u);
/* Leaves the file for recover. */
void undo_abandon(struct undo *u);

/*
 * Reads a journal whose session is gone; a cut-off last line is ignored, as nothing was done after
 * it. *lock is the flock that keeps others off, to be closed by the caller; -EWOULDBLOCK when the session lives.
 */
int undo_load(const char *path, struct undo_log *log, int *lock, struct err *e) _must_check_;
void undo_log_release(struct undo_log *log);
