/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The undo journal, writing side and reading side. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run/undo.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define UNDO_MAX_BYTES ((size_t)256 << 20)

char *undo_dir(void)
{
	const char *own = getenv("FSTRIAL_STATE_DIR"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (own && *own == '/')
		return xstrdup(own);
	if (geteuid() == 0)
		return xstrdup("/var/lib/fstrial");
	if (state && *state == '/')
		return xasprintf("%s/fstrial", state);
	if (home && *home == '/')
		return xasprintf("%s/.local/state/fstrial", home);
	return NULL;
}

/* One line, on disk when this returns 0. Takes line. */
static int undo_append(const struct undo *u, json_t *line, struct err *e)
{
	char *text = js_dump(line);
	size_t len = strlen(text);
	int r;

	json_decref(line);
	text[len] = '\n';
	r = file_append_synced(u->fd, text, len + 1);
	free(text);
	return r < 0 ? err_sys(e, -r, "write the undo journal %s", u->path) : 0;
}

int undo_open(const char *session, const char *out, struct undo *u, struct err *e)
{
	_cleanup_free_ char *dir = undo_dir();
	char boot[64] = "";
	json_t *head;
	int r;

	*u = (struct undo){ .fd = -1, .next_id = 1 };
	if (!dir)
		return err_set(e, ENOENT, "no place for the undo journal: set HOME or XDG_STATE_HOME");
	r = dir_make(dir, 0700, e);
	if (r < 0)
		return r;
	u->path = xasprintf("%s/%s.undo", dir, session);
	u->fd = open(u->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (u->fd < 0 || flock(u->fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(e, errno, "create the undo journal %s", u->path);
	r = file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	if (r < 0)
		return err_sys(e, -r, "read the boot id");
	head = js_object();
	js_set(head, "session", js_str(session));
	js_set(head, "boot_id", js_str(boot));
	js_set(head, "pid", js_u64((uint64_t)getpid()));
	js_set(head, "out", js_str(out));
	r = undo_append(u, head, e);
	return r < 0 ? r : dir_sync(dir);
}

int undo_step(struct undo *u, const char *owner, const char *plugin, const char *file, const char *name,
	      uint32_t *id, struct err *e)
{
	json_t *line = js_object();

	*id = u->next_id++;
	js_set(line, "step", js_u64(*id));
	js_set(line, "owner", js_str(owner));
	js_set(line, "plugin", js_str(plugin));
	js_set(line, "file", js_str(file));
	js_set(line, "name", js_str(name));
	return undo_append(u, line, e);
}

int undo_save(const struct undo *u, uint32_t id, const char *key, const char *value, struct err *e)
{
	json_t *line = js_object();

	js_set(line, "save", js_u64(id));
	js_set(line, "key", js_str(key));
	js_set(line, "value", js_str(value));
	return undo_append(u, line, e);
}

int undo_done(struct undo *u, uint32_t id, struct err *e)
{
	json_t *line = js_object();

	js_set(line, "undone", js_u64(id));
	return undo_append(u, line, e);
}

off_t undo_mark(const struct undo *u)
{
	return lseek(u->fd, 0, SEEK_END);
}

void undo_rewind(struct undo *u, off_t mark)
{
	/* Failing is harmless: the lines say that they are undone. */
	if (mark > 0 && ftruncate(u->fd, mark) < 0)
		return;
}

static void step_release_facts(struct undo_step *s)
{
	for (size_t k = 0; k < s->n_facts; k++) {
		free(s->facts[k].key);
		free(s->facts[k].value);
	}
	free(s->facts);
	free(s->owner);
	free(s->plugin);
	free(s->file);
	free(s->name);
}

static struct undo_step *log_find(struct undo_log *log, uint32_t id)
{
	for (size_t i = log->n; i-- > 0;)
		if (log->v[i].id == id)
			return &log->v[i];
	return NULL;
}

static void log_take_step(struct undo_log *log, const json_t *line, uint32_t id)
{
	log->v = xrealloc(log->v, (log->n + 1) * sizeof(*log->v));
	log->v[log->n++] = (struct undo_step){
		.id = id,
		.owner = xstrdup(js_get_str(line, "owner", "")),
		.plugin = xstrdup(js_get_str(line, "plugin", "")),
		.file = xstrdup(js_get_str(line, "file", "")),
		.name = xstrdup(js_get_str(line, "name", "")),
	};
}

static void log_take_fact(struct undo_step *s, const json_t *line)
{
	s->facts = xrealloc(s->facts, (s->n_facts + 1) * sizeof(*s->facts));
	s->facts[s->n_facts++] = (struct host_fact){
		.key = xstrdup(js_get_str(line, "key", "")),
		.value = xstrdup(js_get_str(line, "value", "")),
	};
}

static void log_take_line(struct undo_log *log, const json_t *line)
{
	uint32_t id;
	struct undo_step *s;

	if (json_object_get(line, "session")) {
		log->session = xstrdup(js_get_str(line, "session", ""));
		log->boot_id = xstrdup(js_get_str(line, "boot_id", ""));
		log->out = xstrdup(js_get_str(line, "out", ""));
		log->pid = (pid_t)js_get_u64(line, "pid", 0);
	} else if ((id = (uint32_t)js_get_u64(line, "step", 0))) {
		log_take_step(log, line, id);
	} else if ((id = (uint32_t)js_get_u64(line, "save", 0))) {
		s = log_find(log, id);
		if (s)
			log_take_fact(s, line);
	} else if ((id = (uint32_t)js_get_u64(line, "undone", 0))) {
		s = log_find(log, id);
		if (s)
			s->undone = true;
	}
}

/* Whole lines only: what follows the last line break was cut off before anything was done. */
static int log_parse(const char *path, char *text, size_t len, struct undo_log *log, struct err *e)
{
	char *end = text + len, *nl;
	unsigned number = 0;

	for (char *p = text; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		struct err parse = { 0 };
		json_t *line = js_parse(p, (size_t)(nl - p), path, &parse);

		number++;
		if (!line) {
			log->damaged = true;
			return err_set(e, EINVAL, "%s:%u is damaged", path, number);
		}
		log_take_line(log, line);
		json_decref(line);
	}
	return 0;
}

int undo_read(const struct undo *u, uint32_t id, struct undo_log *log, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t len, kept = 0;
	int r = file_read(u->path, UNDO_MAX_BYTES, &text, &len, e);

	*log = (struct undo_log){ 0 };
	if (r == 0)
		r = log_parse(u->path, text, len, log, e);
	for (size_t i = 0; i < log->n; i++) {
		if (!id || log->v[i].id == id)
			log->v[kept++] = log->v[i];
		else
			step_release_facts(&log->v[i]);
	}
	log->n = kept;
	return r;
}

static void undo_release(struct undo *u)
{
	if (u->fd >= 0)
		close(u->fd);
	free(u->path);
	*u = (struct undo){ .fd = -1 };
}

void undo_close(struct undo *u)
{
	if (u->path)
		unlink(u->path);
	undo_release(u);
}

void undo_abandon(struct undo *u)
{
	undo_release(u);
}

int undo_load(const char *path, struct undo_log *log, int *lock, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r;

	*log = (struct undo_log){ .path = xstrdup(path) };
	*lock = open(path, O_RDWR | O_CLOEXEC);
	if (*lock < 0)
		return err_sys(e, errno, "open %s", path);
	if (flock(*lock, LOCK_EX | LOCK_NB) < 0) {
		r = errno;
		close(*lock);
		*lock = -1;
		return err_set(e, r, "%s belongs to a session that is running", path);
	}
	r = file_read(path, UNDO_MAX_BYTES, &text, &len, e);
	return r < 0 ? r : log_parse(path, text, len, log, e);
}

void undo_log_release(struct undo_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		step_release_facts(&log->v[i]);
	free(log->v);
	free(log->path);
	free(log->session);
	free(log->boot_id);
	free(log->out);
	*log = (struct undo_log){ 0 };
}
