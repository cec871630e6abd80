/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session writes down: who, where, with what; each trial; how it ended. */
#include "core/record/environment.h"
#include "core/record/result.h"
#include "core/run/judge.h"
#include "core/run/session_private.h"
#include "core/run/tools.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"
#include "config.h"

static json_t *session_json(const struct session *s)
{
	char when[32], boot[64] = "";
	json_t *o = js_object();

	if (file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) < 0)
		boot[0] = '\0';
	js_set(o, "id", js_str(s->id));
	js_set(o, "started", js_str(clock_format_utc(clock_wall_ns(), when, sizeof(when))));
	js_set(o, "ended", json_null());
	js_set(o, "boot_id", js_str(boot));
	js_set(o, "status", js_str("partial"));
	js_set(o, "seed", js_u64(s->seed));
	js_set(o, "order", js_str(s->job->order == ORDER_SHUFFLED ? "shuffled" : "listed"));
	js_set(o, "repeats", js_u64(s->job->repeats));
	js_set(o, "tool_version", js_str(FSTRIAL_VERSION));
	js_set(o, "target", target_json(&s->target));
	js_set(o, "resumed", js_array());
	js_set(o, "until", json_null());
	js_set(o, "once", js_array());
	return o;
}

static json_t *session_job_json(const struct job *job)
{
	json_t *o = js_object();

	js_set(o, "name", js_str(job->name));
	js_set(o, "description", js_str(job->description));
	js_set(o, "file", js_str(job->file));
	js_set(o, "text", js_strn(job->source.text, job->source.len));
	js_set(o, "sha256", js_str(job->sha256));
	return o;
}

static json_t *session_variants(const struct job *job)
{
	json_t *list = js_array();

	for (uint32_t i = 0; i < job->n_variants; i++) {
		_cleanup_free_ char *id = job_variant_id(job, i);
		json_t *o = js_object();

		js_set(o, "id", js_str(id));
		js_set(o, "values", job_variant_json(job, i));
		js_push(list, o);
	}
	return list;
}

int session_write_head(struct session *s, struct err *e)
{
	_cleanup_json_ json_t *head = js_object();
	_cleanup_free_ char *room = NULL;
	const struct target_device *first = s->target.n_devices ? &s->target.devices[0] : NULL;
	json_t *environment = environment_collect(first ? first->device : NULL, first ? first->bd.sysfs : NULL);

	room = target_room_warning(&s->job->target);
	if (room)
		js_push(json_object_get(environment, "warnings"), js_str(room));
	js_set(environment, "tools", json_incref(s->env.tools));
	js_set(head, "session", session_json(s));
	js_set(head, "job", session_job_json(s->job));
	js_set(head, "environment", environment);
	js_set(head, "plugins", tools_plugins(s->job, s->reg));
	js_set(head, "variants", session_variants(s->job));
	return journal_append(&s->journal, "session", head, e);
}

/* A session that is not the one that began: when, and in which boot. */
int session_write_resumed(struct session *s, struct err *e)
{
	_cleanup_json_ json_t *line = js_object(), *plugins = tools_plugins(s->job, s->reg);
	char when[32], boot[64] = "";
	json_t *o = js_object();

	js_set(line, "resumed", o);
	if (resume_check_plugins(s->resume, plugins, e) < 0)
		return -EINVAL;
	if (file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) < 0)
		boot[0] = '\0';
	js_set(o, "at", js_str(clock_format_utc(clock_wall_ns(), when, sizeof(when))));
	js_set(o, "boot_id", js_str(boot));
	return journal_append(&s->journal, "resumed", line, e);
}

int session_write_trial(struct session *s, const struct trial *t, uint32_t position, uint64_t started_wall,
			       uint64_t started, struct err *e)
{
	_cleanup_json_ json_t *line = js_object();
	_cleanup_free_ char *id = job_variant_id(s->job, t->variant);
	json_t *o = js_object();
	char when[32];

	js_set(o, "variant", js_str(id));
	js_set(o, "repeat", js_u64(t->block + 1));
	js_set(o, "block", js_u64(t->block + 1));
	js_set(o, "position", js_u64(position + 1));
	js_set(o, "status", js_str(t->status));
	js_set(o, "reason", js_str(t->reason));
	js_set(o, "started", js_str(clock_format_utc(started_wall, when, sizeof(when))));
	js_set(o, "elapsed_ns", js_u64(clock_now_ns() - started));
	js_set(o, "expectations", js_str(judge_trial(t->steps)));
	js_set(o, "filesystem", t->filesystem ? json_incref(t->filesystem) : json_null());
	js_set(o, "device_settings", t->settings ? json_incref(t->settings) : json_null());
	js_set(o, "canaries", s->canaries ? json_incref(s->canaries) : json_null());
	js_set(o, "layers", t->layers ? json_incref(t->layers) : json_null());
	js_set(o, "warnings", t->warnings ? json_incref(t->warnings) : js_array());
	js_set(o, "steps", json_incref(t->steps));
	js_set(line, "trial", o);
	return journal_append(&s->journal, "trial", line, e);
}

int session_write_end(struct session *s, struct err *e)
{
	_cleanup_json_ json_t *end = js_object();
	char when[32];
	int r;

	js_set(end, "ended", js_str(clock_format_utc(clock_wall_ns(), when, sizeof(when))));
	js_set(end, "status", js_str(s->status));
	js_set(end, "until", s->until ? json_incref(s->until) : json_null());
	r = journal_append(&s->journal, "end", end, e);
	return r < 0 ? r : result_write(s->out, e);
}
