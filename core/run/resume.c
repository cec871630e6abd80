/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads how far a session came. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/record/result.h"
#include "core/run/resume.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "config.h"

static char *trial_key(const char *variant_id, uint64_t block)
{
	return xasprintf("%s %llu", variant_id, (unsigned long long)block);
}

static void keep_trial(struct resume *r, json_t *trial)
{
	_cleanup_free_ char *key =
		trial_key(js_get_str(trial, "variant", ""), js_get_u64(trial, "block", 0));

	if (!str_eq(js_get_str(trial, "status", ""), "interrupted"))
		js_set(r->trials, key, json_incref(trial));
}

/* The last "end" line counts: a session may have been resumed before. */
static void keep_line(struct resume *r, json_t *line, const char **status)
{
	const char *type = js_get_str(line, "type", "");

	if (str_eq(type, "session") && !r->head)
		r->head = json_incref(line);
	else if (str_eq(type, "trial"))
		keep_trial(r, json_object_get(line, "trial"));
	else if (str_eq(type, "end"))
		*status = str_eq(js_get_str(line, "status", ""), "complete") ? "complete" : "ended";
}

static int read_lines(struct resume *r, const char *path, const char **status, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0, at = 0;
	unsigned number = 1;
	int ret = file_read(path, (size_t)4 << 30, &text, &len, e);

	while (ret == 0 && at < len) {
		const char *nl = memchr(text + at, '\n', len - at);
		json_t *line;

		if (!nl)
			break; /* a line that was cut off is no line */
		line = js_parse_from(text + at, (size_t)(nl - text) - at, path, number++, e);
		if (!line)
			return -EINVAL;
		keep_line(r, line, status);
		json_decref(line);
		at = (size_t)(nl - text) + 1;
	}
	r->end = (off_t)at;
	return ret;
}

/* What has to be the same, as the journal has it and as it is. */
static int check_same(const char *dir, const char *what, const char *was, const char *is, struct err *e)
{
	if (str_eq(was, is))
		return 0;
	return err_set(e, EINVAL, "%s cannot be resumed: its %s is %s, and now it is %s", dir, what, was, is);
}

static int check_variants(const char *dir, const json_t *was, const struct job *job, struct err *e)
{
	bool same = json_array_size(was) == job->n_variants;

	for (uint32_t i = 0; same && i < job->n_variants; i++) {
		_cleanup_json_ json_t *values = job_variant_json(job, i);

		same = json_equal(json_object_get(json_array_get(was, i), "values"), values);
	}
	return same ? 0 : err_set(e, EINVAL, "%s cannot be resumed: its variants are others than those of the job now; "
					     "give the same --set", dir);
}

static int check_head(const char *dir, const struct resume *r, const struct job *job, struct err *e)
{
	const json_t *session = json_object_get(r->head, "session");
	const json_t *kernel = json_object_get(json_object_get(r->head, "environment"), "kernel");
	char was[32], is[32];
	struct utsname u;
	int ret;

	uname(&u);
	snprintf(was, sizeof(was), "%llu", (unsigned long long)js_get_u64(session, "repeats", 0));
	snprintf(is, sizeof(is), "%u", job->repeats);
	ret = check_same(dir, "job's SHA-256", js_get_str(json_object_get(r->head, "job"), "sha256", ""), job->sha256, e);
	if (ret == 0)
		ret = check_same(dir, "number of repeats", was, is, e);
	if (ret == 0)
		ret = check_same(dir, "version of fstrial", js_get_str(session, "tool_version", ""), FSTRIAL_VERSION, e);
	if (ret == 0)
		ret = check_same(dir, "kernel", js_get_str(kernel, "release", ""), u.release, e);
	return ret == 0 ? check_variants(dir, json_object_get(r->head, "variants"), job, e) : ret;
}

int resume_read(const char *dir, const struct job *job, struct resume *r, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/journal.jsonl", dir);
	const char *status = "";
	int ret;

	*r = (struct resume){ .trials = js_object() };
	if (!file_exists(path))
		return err_set(e, EINVAL, "%s holds no journal.jsonl to go on with", dir);
	ret = read_lines(r, path, &status, e);
	if (ret < 0)
		return -EINVAL;
	if (!r->head)
		return err_set(e, EINVAL, "%s holds no session", path);
	if (str_eq(status, "complete"))
		return err_set(e, EINVAL, "%s is complete: there is nothing to resume", dir);
	return check_head(dir, r, job, e);
}

/* The SHA-256 of the plugin that does the same. */
static const char *plugin_sha(const json_t *plugins, const json_t *like)
{
	json_t *p;
	size_t i;

	json_array_foreach((json_t *)plugins, i, p)
	{
		if (str_eq(js_get_str(p, "name", ""), js_get_str(like, "name", "?")) &&
		    str_eq(js_get_str(p, "kind", ""), js_get_str(like, "kind", "?")))
			return js_get_str(p, "sha256", "");
	}
	return "";
}

int resume_check_plugins(const struct resume *r, const json_t *plugins, struct err *e)
{
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(r->head, "plugins"), i, p)
	{
		if (!str_eq(plugin_sha(plugins, p), js_get_str(p, "sha256", "?")))
			return err_set(e, EINVAL, "the session cannot be resumed: plugin %s is not the one that it was begun with",
				       js_get_str(p, "name", ""));
	}
	return 0;
}

const json_t *resume_trial(const struct resume *r, const char *variant_id, uint32_t block)
{
	_cleanup_free_ char *key = trial_key(variant_id, (uint64_t)block + 1);

	return json_object_get(r->trials, key);
}

void resume_release(struct resume *r)
{
	json_decref(r->head);
	json_decref(r->trials);
	*r = (struct resume){ 0 };
}
