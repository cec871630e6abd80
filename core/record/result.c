/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result document, made out of the journal line by line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/record/result.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* The journal's lines, one after the other. A last line that was cut off by a crash ends the file. */
struct reader {
	FILE *in;
	const char *path;
	char *line;
	size_t cap;
	unsigned number;
};

static int reader_open(struct reader *rd, const char *path, struct err *e)
{
	*rd = (struct reader){ .path = path, .in = fopen(path, "re") };
	return rd->in ? 0 : err_sys(e, errno, "open %s", path);
}

static void reader_close(struct reader *rd)
{
	if (rd->in)
		fclose(rd->in);
	free(rd->line);
}

/* 1 and a new reference; 0 at the end; -errno. Lines that begin with skip are passed over unread. */
static int reader_next(struct reader *rd, const char *skip, json_t **out, struct err *e)
{
	ssize_t n;

	do {
		n = getline(&rd->line, &rd->cap, rd->in);
		if (n < 0)
			return ferror(rd->in) ? err_sys(e, errno, "read %s", rd->path) : 0;
		rd->number++;
	} while (skip && str_starts(rd->line, skip));
	if (rd->line[n - 1] != '\n')
		return 0;
	*out = js_parse_from(rd->line, (size_t)n - 1, rd->path, rd->number, e);
	return *out ? 1 : -EINVAL;
}

/* Everything of the document but the trials: the first line's members, and the last line's verdict. */
static int result_head(const char *path, json_t **head, struct err *e)
{
	struct reader rd;
	json_t *line = NULL, *session = NULL;
	int r = reader_open(&rd, path, e);

	*head = NULL;
	while (r == 0 && (r = reader_next(&rd, "{\"type\":\"trial\",", &line, e)) == 1) {
		const char *type = js_get_str(line, "type", "");

		if (str_eq(type, "session") && !*head) {
			*head = json_incref(line);
			json_object_del(line, "type");
			session = json_object_get(*head, "session");
		} else if (str_eq(type, "once") && *head) {
			js_set(session, "once", json_incref(json_object_get(line, "steps")));
		} else if (str_eq(type, "resumed") && *head) {
			js_push(json_object_get(session, "resumed"), json_incref(json_object_get(line, "resumed")));
			js_set(session, "ended", json_null());
			js_set(session, "status", js_str("partial"));
		} else if (str_eq(type, "end") && *head) {
			js_set(session, "ended", json_incref(json_object_get(line, "ended")));
			js_set(session, "status", json_incref(json_object_get(line, "status")));
			if (json_object_get(line, "until"))
				js_set(session, "until", json_incref(json_object_get(line, "until")));
		}
		json_decref(line);
		r = 0;
	}
	reader_close(&rd);
	if (r < 0)
		return r;
	if (!*head)
		return err_set(e, EINVAL, "%s holds no session", path);
	return 0;
}

/* {"format": ..., head members ... without the closing brace. */
static int result_put_head(json_t *head, FILE *out)
{
	const char *key;
	json_t *value;

	fprintf(out, "{\n\"format\": \"%s\"", RESULT_FORMAT);
	json_object_foreach(head, key, value)
	{
		_cleanup_free_ char *text = js_dump(value);

		fprintf(out, ",\n\"%s\": %s", key, text);
	}
	return ferror(out) ? -EIO : 0;
}

static int result_put_trials(const char *path, FILE *out, struct err *e)
{
	struct reader rd;
	json_t *line = NULL;
	const char *sep = "";
	char *interrupted = NULL; /* is done again where the session was resumed */
	int r = reader_open(&rd, path, e);

	fputs(",\n\"trials\": [", out);
	while (r == 0 && (r = reader_next(&rd, NULL, &line, e)) == 1) {
		const char *type = js_get_str(line, "type", "");
		json_t *trial = json_object_get(line, "trial");

		if (str_eq(type, "trial") && str_eq(js_get_str(trial, "status", ""), "interrupted")) {
			free(interrupted);
			interrupted = js_dump(trial);
		} else if (str_eq(type, "trial")) {
			_cleanup_free_ char *text = js_dump(trial);

			fprintf(out, "%s\n%s", sep, text);
			sep = ",";
		} else if (str_eq(type, "resumed")) {
			free(interrupted);
			interrupted = NULL;
		}
		json_decref(line);
		r = 0;
	}
	if (interrupted)
		fprintf(out, "%s\n%s", sep, interrupted);
	free(interrupted);
	fputs("\n]\n}\n", out);
	reader_close(&rd);
	return r;
}

int result_print(const char *dir, FILE *out, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/journal.jsonl", dir);
	_cleanup_json_ json_t *head = NULL;
	int r = result_head(path, &head, e);

	if (r == 0)
		r = result_put_head(head, out);
	if (r == 0)
		r = result_put_trials(path, out, e);
	if (r == 0 && (fflush(out) == EOF || ferror(out)))
		r = err_sys(e, errno ? errno : EIO, "write the result document");
	return r;
}

int result_write(const char *dir, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/result.json", dir);
	_cleanup_free_ char *tmp = xasprintf("%s/.result.json.tmp", dir);
	FILE *out = fopen(tmp, "we");
	int r;

	if (!out)
		return err_sys(e, errno, "create %s", tmp);
	r = result_print(dir, out, e);
	if (r == 0 && fsync(fileno(out)) < 0)
		r = err_sys(e, errno, "fsync %s", tmp);
	if (fclose(out) == EOF && r == 0)
		r = err_sys(e, errno, "write %s", tmp);
	if (r == 0 && rename(tmp, path) < 0)
		r = err_sys(e, errno, "rename %s to %s", tmp, path);
	if (r < 0)
		unlink(tmp);
	else
		r = dir_sync(dir);
	return r;
}

static bool result_has(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);

	return file_exists(path);
}

static bool result_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool result_is_at(const char *path)
{
	if (result_is_dir(path))
		return result_has(path, "result.json") || result_has(path, "journal.jsonl");
	return str_ends(path, ".json") && file_exists(path);
}

/* The document that the journal of a session without a result makes. */
static int result_text_journal(const char *dir, char **text, size_t *len, struct err *e)
{
	FILE *mem = open_memstream(text, len);
	int r;

	if (!mem)
		return err_sys(e, errno, "open_memstream");
	r = result_print(dir, mem, e);
	if (fclose(mem) == EOF && r == 0)
		r = err_sys(e, errno, "%s", dir);
	return r;
}

int result_text(const char *path, char **text, size_t *len, struct err *e)
{
	_cleanup_free_ char *inside = xasprintf("%s/result.json", path);
	struct stat st;

	*text = NULL;
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return file_read(path, (size_t)4 << 30, text, len, e);
	if (file_exists(inside))
		return file_read(inside, (size_t)4 << 30, text, len, e);
	if (!result_has(path, "journal.jsonl"))
		return err_set(e, ENOENT, "%s holds neither result.json nor journal.jsonl", path);
	return result_text_journal(path, text, len, e);
}

int result_load(const char *path, json_t **doc, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = result_text(path, &text, &len, e);

	*doc = NULL;
	if (r < 0)
		return r;
	*doc = js_parse(text, len, path, e);
	if (!*doc)
		return -EINVAL;
	if (!str_eq(js_get_str(*doc, "format", ""), RESULT_FORMAT)) {
		json_decref(*doc);
		*doc = NULL;
		return err_set(e, EINVAL, "%s is not a result document of format %s", path, RESULT_FORMAT);
	}
	return 0;
}
