/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Undoes what sessions that were killed left behind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run/call.h"
#include "core/run/recover.h"
#include "core/run/target.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

struct found {
	const char *dir;
	VEC(char *) paths;
};

static int found_one(const char *name, void *arg)
{
	struct found *f = arg;

	if (str_ends(name, ".undo"))
		vec_push(&f->paths, xasprintf("%s/%s", f->dir, name));
	return 0;
}

static void found_collect(struct found *f, const char *dir)
{
	*f = (struct found){ .dir = dir };
	if (dir && dir_each(dir, found_one, f) < 0)
		return;
}

static void found_release(struct found *f)
{
	for (size_t i = 0; i < f->paths.n; i++)
		free(f->paths.v[i]);
	vec_free(&f->paths);
}

/* How many journals there are whose session is gone, and how many are in use. */
static void recover_count(FILE *out, int *pending, int *running)
{
	_cleanup_free_ char *dir = undo_dir();
	struct found f;

	*pending = *running = 0;
	found_collect(&f, dir);
	for (size_t i = 0; i < f.paths.n; i++) {
		struct undo_log log;
		struct err e = { 0 };
		int lock, r = undo_load(f.paths.v[i], &log, &lock, &e);

		*running += r == -EWOULDBLOCK;
		if (r != -EWOULDBLOCK) {
			++*pending;
			if (out)
				fprintf(out, "fstrial: left by session %s: %s%s%s\n", log.session ? log.session : "?",
					f.paths.v[i], r < 0 ? ": " : "", r < 0 ? e.text : "");
		}
		if (lock >= 0)
			close(lock);
		undo_log_release(&log);
	}
	found_release(&f);
}

int recover_pending(FILE *out)
{
	int pending, running;

	recover_count(out, &pending, &running);
	return pending;
}

int recover_running(void)
{
	int pending, running;

	recover_count(NULL, &pending, &running);
	return running;
}

static bool same_boot(const struct undo_log *log)
{
	char boot[64];

	return file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) == 0 &&
	       str_eq(boot, log->boot_id);
}

/* What the way back left open without failing: for somebody who reads it. */
static void recover_warn(const struct stepproc_result *res, FILE *out)
{
	json_t *w;
	size_t i;

	json_array_foreach(json_object_get(res->record, "warnings"), i, w)
	{
		fprintf(out, "  warning: %s\n", json_string_value(w));
	}
}

static int recover_setup(struct registry *reg, const struct undo_log *log, const struct undo_step *s,
			 char *what, size_t size, FILE *out, struct err *e)
{
	const struct plugin *p = registry_find(reg, FST_SETUP, s->plugin);
	struct call c = { .plugin = p, .label = "recover", .saved = s, .commands_fd = -1, .signal_fd = -1 };
	struct stepproc_result res;
	int r;

	snprintf(what, size, "%s", s->name);
	if (!s->n_facts)
		return 0;
	if (!p || !p->desc.revert)
		return err_set(e, ENOENT, "plugin %s is needed (it was %s): give its --plugin-dir", s->plugin, s->file);
	if ((p->desc.flags & FST_VOLATILE) && !same_boot(log)) {
		snprintf(what, size, "%s: gone with the reboot", s->name);
		return 0;
	}
	r = call_revert(&c, &res);
	if (r < 0)
		return err_sys(e, -r, "fork");
	r = res.result;
	if (r < 0)
		err_set(e, res.err.code, "%s", res.err.text);
	recover_warn(&res, out);
	stepproc_result_release(&res);
	return r;
}

/* Facts as "key = value" lines: what was put back, or what somebody needs who has to do it by hand. */
static void print_facts(const struct undo_step *s, FILE *out)
{
	for (size_t i = 0; i < s->n_facts; i++)
		fprintf(out, "      %s = %s\n", s->facts[i].key, s->facts[i].value);
}

/* A step that had not changed anything is not worth a line. */
static void recover_say(const struct undo_step *s, const char *what, FILE *out)
{
	bool target = str_eq(s->owner, "target");

	if (!target && !s->n_facts)
		return;
	fprintf(out, "  put back: %s\n", what);
	if (!target)
		print_facts(s, out);
}

static int recover_log(struct registry *reg, struct undo_log *log, FILE *out)
{
	int first = 0;

	fprintf(out, "session %s (%s)\n", log->session ? log->session : "?", log->path);
	for (size_t i = log->n; i-- > 0;) {
		const struct undo_step *s = &log->v[i];
		struct err e = { 0 };
		char what[512];
		int r;

		if (s->undone)
			continue;
		if (str_eq(s->owner, "target"))
			r = first ? -EBUSY : target_revert(s, what, sizeof(what), &e);
		else
			r = recover_setup(reg, log, s, what, sizeof(what), out, &e);
		if (r == 0) {
			recover_say(s, what, out);
			continue;
		}
		err_set(&e, -r, "something that stands on it could not be put back");
		fprintf(out, "  NOT put back: %s: %s\n", s->name, e.text);
		print_facts(s, out);
		first = first ? first : r;
	}
	return first;
}

/* Put out of the way of later runs, for somebody to look at. */
static int recover_keep_damaged(const char *path, struct err *e)
{
	_cleanup_free_ char *kept = xasprintf("%s.damaged", path);

	if (rename(path, kept) < 0)
		return err_sys(e, errno, "rename %s", path);
	err_prefix(e, "what could be read was put back, the rest is not known; %s is kept to be looked at", kept);
	return -EINVAL;
}

/* The file goes when everything that it says was put back. */
static int recover_one(struct registry *reg, struct undo_log *log, FILE *out, struct err *e)
{
	int r = recover_log(reg, log, out);

	if (r == 0 && log->damaged)
		return recover_keep_damaged(log->path, e);
	if (r == 0 && unlink(log->path) < 0)
		r = err_sys(e, errno, "remove %s", log->path);
	return r < 0 ? err_set(e, -r, "not everything could be put back; %s is kept", log->path) : 0;
}

int recover_all(struct registry *reg, FILE *out, struct err *e)
{
	_cleanup_free_ char *dir = undo_dir();
	struct found f;
	int first = 0;

	found_collect(&f, dir);
	for (size_t i = 0; i < f.paths.n; i++) {
		struct undo_log log;
		int lock, r = undo_load(f.paths.v[i], &log, &lock, e);

		if (r == -EWOULDBLOCK) {
			err_clear(e);
			r = 0;
		} else if (r == 0 || log.damaged) {
			r = recover_one(reg, &log, out, e);
		}
		first = first ? first : r;
		if (lock >= 0)
			close(lock);
		undo_log_release(&log);
	}
	found_release(&f);
	return first;
}
