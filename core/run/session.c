/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The course of a session: guard, target, once-steps, blocks of trials, results, and the way back. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/run/recover.h"
#include "core/run/session_private.h"
#include "core/run/signals.h"
#include "core/run/tools.h"
#include "core/run/until.h"
#include "core/util/clock.h"
#include "core/util/exit.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"
#include "config.h"


/* ---- names and numbers ------------------------------------------------------------------------ */

static uint64_t random_u64(void)
{
	uint64_t v;

	return getrandom(&v, sizeof(v), 0) == (ssize_t)sizeof(v) ? v : clock_wall_ns();
}

/* "20261130T132333Z-1a2b3c4d" */
static char *session_make_id(void)
{
	char when[32], *id, *w;
	const char *s = clock_format_utc(clock_wall_ns(), when, sizeof(when));

	id = xasprintf("%s-%08x", s, (unsigned)random_u64());
	w = id;
	for (char *p = id; *p; p++)
		if (*p != ':' && !(*p == '-' && p < id + 10))
			*w++ = *p;
	*w = '\0';
	return id;
}

/* A seed that survives JSON readers which keep numbers as doubles. */
static uint64_t session_seed(const struct session *s)
{
	if (s->opt->seed)
		return s->opt->seed;
	return s->job->seed ? s->job->seed : (random_u64() >> 11) | 1;
}

static int session_make_out(struct session *s, struct err *e)
{
	_cleanup_free_ char *journal = NULL;
	int r;

	if (s->resume) {
		s->out = xstrdup(s->opt->resume);
		return journal_reopen(s->out, s->resume->end, &s->journal, e);
	}
	s->out = s->opt->out ? xstrdup(s->opt->out) :
			       xasprintf("fstrial-results/%s/%s", s->job->name, s->id);
	journal = xasprintf("%s/journal.jsonl", s->out);
	if (file_exists(journal))
		return err_set(e, EEXIST, "%s holds the results of another run", s->out);
	s->made_out = !file_exists(s->out);
	r = dir_make(s->out, 0755, e);
	if (r < 0)
		return r;
	return journal_open(s->out, &s->journal, e);
}

static int session_open_commands(struct session *s, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/commands.log", s->out);

	s->env.commands_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return s->env.commands_fd < 0 ? err_sys(e, errno, "create %s", path) : 0;
}

/* ---- trials ----------------------------------------------------------------------------------- */

uint32_t session_repeats(const struct session *s)
{
	return s->opt->until ? s->opt->until->max_repeats : s->job->repeats;
}

void session_stop(struct session *s, const char *status, const char *why)
{
	if (!str_eq(s->status, "complete"))
		return;
	s->status = status;
	s->stop_reason = xstrdup(why);
}

/* Steps of `once`: before the first trial, undone after the last. */
static int session_once(struct session *s, struct err *e)
{
	_cleanup_json_ json_t *line = js_object();

	if (!s->job->n_once)
		return 0;
	trial_begin(&s->once, &s->env, 0, 0, NULL);
	progress_trial(&s->progress, xstrdup("once"));
	trial_run(&s->once, 0, s->job->n_once);
	js_set(line, "steps", json_incref(s->once.steps));
	if (journal_append(&s->journal, "once", line, e) < 0)
		return -EIO;
	if (str_eq(s->once.status, "ok"))
		return 0;
	session_stop(s, str_eq(s->once.status, "interrupted") ? "interrupted" : "stopped", s->once.reason);
	return err_set(e, EIO, "once: %s", s->once.reason);
}

/* ---- the way back of the session --------------------------------------------------------------- */

static int session_undo_target(struct session *s, struct err *e)
{
	struct undo_log log;
	char what[512];
	int r = undo_read(&s->undo, 0, &log, e);

	for (size_t i = log.n; r == 0 && i-- > 0;)
		if (str_eq(log.v[i].owner, "target") && !log.v[i].undone)
			r = target_revert(&log.v[i], what, sizeof(what), e);
	undo_log_release(&log);
	return r;
}

static void session_end(struct session *s)
{
	struct err e = { 0 };
	int r = s->once.n_applied ? trial_undo(&s->once, &e) : 0;

	if (r == 0)
		r = target_prove(&s->target, &e);
	if (r == 0)
		r = session_undo_target(s, &e);
	if (r < 0) {
		session_stop(s, "stopped", e.text);
		s->dirty = true;
	}
	/* What could not be undone in the trials is in the journal still. */
	if (!s->dirty) {
		undo_close(&s->undo);
		return;
	}
	undo_abandon(&s->undo);
	log_error("the machine is not as it was; `fstrial recover` puts back what is left");
}

static int session_begin(struct session *s, struct err *e)
{
	int r = session_make_out(s, e);

	if (r == 0)
		r = session_open_commands(s, e);
	if (r == 0)
		r = undo_open(s->id, s->out, &s->undo, e);
	if (r == 0)
		r = target_begin(&s->target, s->id, &s->undo, e);
	if (r == 0)
		r = s->resume ? session_write_resumed(s, e) : session_write_head(s, e);
	s->begun = r == 0;
	return r;
}

/* A run that could not begin leaves no results directory, unless something else is in it. */
static void session_unmake_out(const struct session *s)
{
	static const char *const ours[] = { "journal.jsonl", "commands.log" };

	if (s->resume)
		return; /* what was measured before stays */
	for (size_t i = 0; s->journal.path && i < ARRAY_SIZE(ours); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", s->out, ours[i]);

		if (unlink(path) < 0 && errno != ENOENT)
			return;
	}
	/* With the folders above it that were made for it. */
	for (char *end = s->out + strlen(s->out); s->made_out && rmdir(s->out) == 0 && !s->opt->out;) {
		while (end > s->out && *end != '/')
			end--;
		if (end == s->out)
			break;
		*end = '\0';
	}
}

static void session_release(struct session *s)
{
	trial_release(&s->once);
	progress_end(&s->progress);
	journal_close(&s->journal);
	target_release(&s->target);
	if (s->env.commands_fd >= 0)
		close(s->env.commands_fd);
	json_decref(s->env.tools);
	json_decref(s->canaries);
	json_decref(s->until);
	free(s->order);
	free(s->stop_reason);
	free(s->id);
	free(s->out);
}

static int session_exit_code(const struct session *s)
{
	if (s->stop_reason && !str_eq(s->status, "complete"))
		log_error("%s: %s", s->begun ? s->status : "cannot begin", s->stop_reason);
	if (!s->begun && !s->journal.path)
		return EXIT_USAGE; /* the results directory is none */
	if (s->failed)
		log_info("%llu of %llu trials did not succeed", (unsigned long long)s->failed,
			 (unsigned long long)s->done);
	if (s->unmet)
		log_info("%llu of %llu trials did not meet what is expected of them", (unsigned long long)s->unmet,
			 (unsigned long long)s->done);
	return s->failed || s->unmet || s->unwritten || !str_eq(s->status, "complete") ? EXIT_FAILED : EXIT_GOOD;
}

/* Everything between the guard's yes and the exit code. */
static int session_main(struct session *s)
{
	struct err e = { 0 };
	int r = session_begin(s, &e);

	progress_begin(&s->progress, s->opt->quiet, (uint64_t)s->job->n_variants * session_repeats(s));
	if (r == 0)
		r = session_once(s, &e);
	if (r == 0)
		session_blocks(s);
	else
		session_stop(s, "stopped", e.text);
	if (s->undo.path)
		session_end(s);
	err_clear(&e);
	if (!s->begun)
		session_unmake_out(s);
	else if (session_write_end(s, &e) < 0) {
		log_error("%s", e.text);
		s->unwritten = true;
	}
	return session_exit_code(s);
}

static const char *session_was(const struct session *s, const char *key)
{
	return js_get_str(json_object_get(s->resume->head, "session"), key, "");
}

/* On a target like the one it began on? Its size is known when it is there. */
static int session_same_target(const struct session *s, struct err *e)
{
	const json_t *was = json_object_get(json_object_get(s->resume->head, "session"), "target");
	_cleanup_json_ json_t *is = target_json(&s->target);

	if (str_eq(js_get_str(was, "kind", ""), js_get_str(is, "kind", "?")) &&
	    (s->job->target.kind != TARGET_DEVICE ||
	     str_eq(js_get_str(was, "device", ""), js_get_str(is, "device", "?"))) &&
	    (s->job->target.kind != TARGET_DIRECTORY ||
	     str_eq(js_get_str(was, "directory", ""), js_get_str(is, "directory", "?"))))
		return 0;
	return err_set(e, EINVAL, "%s cannot be resumed: it was begun on another target", s->opt->resume);
}

/* May it, and can it? Nothing is made yet. */
static int session_guard(struct session *s)
{
	const struct session_options *opt = s->opt;
	struct err e = { 0 };
	int r = target_guard(&s->job->target, opt->destroy, opt->n_destroy, &s->target, &e);

	if (r == 0 && s->resume)
		r = session_same_target(s, &e);
	if (r < 0) {
		log_error("%s", e.text);
		return r == -EPERM ? EXIT_REFUSED : EXIT_USAGE;
	}
	s->id = s->resume ? xstrdup(session_was(s, "id")) : session_make_id();
	s->seed = s->resume ? js_get_u64(json_object_get(s->resume->head, "session"), "seed", 0) : session_seed(s);
	s->env = (struct trial_env){ .job = s->job, .undo = &s->undo, .target = &s->target, .seed = s->seed,
				     .progress = &s->progress, .commands_fd = -1, .tools = tools_collect(s->job) };
	s->env.signal_fd = signals_begin(&e);
	if (s->env.signal_fd >= 0)
		return EXIT_GOOD;
	log_error("%s", e.text);
	return EXIT_FAILED;
}

/* How far did it come? 0, or the exit code. */
static int session_resume(struct session *s, struct resume *was)
{
	struct err e = { 0 };

	if (!s->opt->resume)
		return EXIT_GOOD;
	s->resume = was;
	if (resume_read(s->opt->resume, s->job, was, &e) == 0)
		return EXIT_GOOD;
	log_error("%s", e.text);
	return EXIT_USAGE;
}

int session_run(const struct job *job, struct registry *reg, const struct session_options *opt, char **dir)
{
	struct session s = { .job = job, .reg = reg, .opt = opt, .status = "complete", .env.commands_fd = -1 };
	struct resume was = { 0 };
	int code;

	*dir = NULL;
	if (recover_pending(stderr) > 0) {
		log_error("an earlier session did not end cleanly: run `fstrial recover` first");
		return EXIT_REFUSED;
	}
	s.undo.fd = -1;
	s.journal.fd = -1;
	code = session_resume(&s, &was);
	if (code == EXIT_GOOD)
		code = session_guard(&s);
	if (code == EXIT_GOOD)
		code = session_main(&s);
	if (s.begun)
		*dir = TAKE_PTR(s.out);
	session_release(&s);
	resume_release(&was);
	return code;
}
