/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program of the job's own as a setup step: once, or in the background until the end of the trial. */
#include <sys/prctl.h>

#include "exec_undo.h"

struct exec_setup_cfg {
	struct exec_cfg call;
	struct fst_list undo, ready;
	const char *log;
	uint64_t ready_timeout, stop_timeout;
	int stop_signal;
	bool background, until_reboot;
};

static const struct fst_choice exec_signals[] = {
	{ "SIGTERM", SIGTERM, "What most servers end by." },
	{ "SIGINT", SIGINT, "As by Ctrl-C; PostgreSQL disconnects everybody and ends." },
	{ "SIGQUIT", SIGQUIT, "PostgreSQL ends at once, without a checkpoint." },
	{ "SIGHUP", SIGHUP, "As when a terminal is closed." },
	{ "SIGKILL", SIGKILL, "Without any say of the program's." },
};

#define EXEC_AT(field) FST_AT(struct exec_setup_cfg, field)

static const struct fst_param exec_params[] = {
	EXEC_PARAMS(struct exec_setup_cfg, call),
	{ .name = "undo", .type = FST_LIST, EXEC_AT(undo),
	  .doc = "The program and arguments that put back what argv did; kept before argv is run, and run at the end "
		 "of the trial or by `fstrial recover`, in the same place, as the same user." },
	{ .name = "until_reboot", .type = FST_BOOL, EXEC_AT(until_reboot), .def = "false",
	  .doc = "What argv did is gone after a reboot, so that undo is not run then." },
	{ .name = "background", .type = FST_BOOL, EXEC_AT(background), .def = "false",
	  .doc = "argv is a server: it goes on in the background and is ended at the end of the trial. It must stay "
		 "in the foreground of its own session, and not turn itself into a daemon." },
	{ .name = "ready", .type = FST_LIST, EXEC_AT(ready),
	  .doc = "With background: a program and arguments, run again and again until it ends with status 0; the next "
		 "step waits for that." },
	{ .name = "ready_timeout", .type = FST_TIME, EXEC_AT(ready_timeout), .def = "60s",
	  .doc = "How long ready may take." },
	{ .name = "log", .type = FST_STR, EXEC_AT(log),
	  .doc = "With background: file for what the server prints, relative to cwd; without it that is kept in memory, "
		 "and is in commands.log at the end." },
	{ .name = "stop_signal", .type = FST_ENUM, EXEC_AT(stop_signal), .def = "SIGTERM", FST_CHOICES(exec_signals),
	  .doc = "With background: the signal that the server is asked to end by." },
	{ .name = "stop_timeout", .type = FST_TIME, EXEC_AT(stop_timeout), .def = "60s", .max = "9m",
	  .doc = "With background: how long it may take to end before it is killed." },
};

static const struct fst_tool exec_tools[] = {
	{ "setpriv", "--version", "util-linux" },
};

static int exec_setup_check(struct fst_ctx *ctx)
{
	static const char *const of_servers[] = { "ready", "ready_timeout", "log", "stop_signal", "stop_timeout" };
	const struct exec_setup_cfg *cfg = ctx->cfg;
	int r = exec_check(ctx, &cfg->call);
	size_t i;

	for (i = 0; i < FST_COUNT(of_servers) && r == 0 && !cfg->background; i++)
		if (fst_is_set(ctx, of_servers[i]))
			r = fst_error(ctx, 0, "%s is for background = true", of_servers[i]);
	if (r == 0 && cfg->undo.n)
		r = exec_check_argv(ctx, "undo", &cfg->undo);
	if (r == 0 && cfg->ready.n)
		r = exec_check_argv(ctx, "ready", &cfg->ready);
	if (r == 0 && cfg->log)
		r = exec_places_check(ctx, "log", cfg->log);
	if (r == 0 && cfg->until_reboot && !cfg->undo.n)
		r = fst_error(ctx, 0, "until_reboot says something of undo, which is not given");
	return r;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static void exec_plan_words(struct fst_ctx *ctx, const char *what, const struct fst_list *argv)
{
	char text[1024] = "";
	size_t n = 0, i;

	for (i = 0; i < argv->n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", argv->v[i]);
	fst_plan(ctx, NULL, "%s: %s", what, text);
}

static int exec_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct exec_setup_cfg *cfg = ctx->cfg;

	/* A host of the first version has no room for it. */
	if (est->struct_size > offsetof(struct fst_estimate, stays))
		est->stays = !cfg->undo.n && !cfg->background;
	exec_plan_words(ctx, cfg->background ? "starts a server" : "runs", &cfg->call.argv);
	if (cfg->undo.n)
		exec_plan_words(ctx, "and at the end", &cfg->undo);
	return 0;
}

/* ---- apply ----------------------------------------------------------------------------------- */

static int exec_keep_undo(struct fst_ctx *ctx)
{
	const struct exec_setup_cfg *cfg = ctx->cfg;
	struct exec_call c = { { NULL, 0 }, { NULL, 0 }, NULL };
	char boot[64];
	int r = 0;

	if (!cfg->undo.n)
		return 0;
	if (cfg->until_reboot) {
		exec_boot_id(boot);
		r = fst_save(ctx, EXEC_FACT_BOOT, boot);
	}
	if (r == 0)
		r = exec_call_make(ctx, &cfg->call, "undo", &cfg->undo, &c);
	if (r == 0)
		r = exec_undo_save(ctx, &c);
	exec_call_free(&c);
	return r;
}

/* Where the server's output goes: a descriptor, or -errno. */
static int exec_open_log(struct fst_ctx *ctx, const struct exec_call *c)
{
	const struct exec_setup_cfg *cfg = ctx->cfg;
	char *name, *path = NULL;
	int fd;

	if (!cfg->log) {
		fd = memfd_create(EXEC_LOG_NAME, MFD_CLOEXEC);
		return fd < 0 ? fst_error(ctx, errno, "memfd_create") : fd;
	}
	name = exec_places_fill(ctx, "log", cfg->log);
	if (!name)
		return -EINVAL;
	if (asprintf(&path, "%s%s%s", *name == '/' ? "" : c->cwd, *name == '/' ? "" : "/", name) < 0)
		path = NULL;
	free(name);
	fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644) : -1;
	if (fd < 0)
		fd = fst_error(ctx, path ? errno : ENOMEM, "log %s", path ? path : "");
	free(path);
	return fd;
}

static int exec_start(struct fst_ctx *ctx, struct exec_call *c)
{
	const struct exec_setup_cfg *cfg = ctx->cfg;
	struct exec_server s = { .pid = -1, .log = -1, .go = -1, .said = -1 };
	struct exec_call ready = { { NULL, 0 }, { NULL, 0 }, NULL };
	char text[32];
	int r = exec_call_make(ctx, &cfg->call, "ready", &cfg->ready, &ready);

	if (r == 0)
		r = s.log = exec_open_log(ctx, c);
	if (r >= 0)
		r = exec_server_fork(ctx, &s, c);
	if (r == 0)
		r = exec_server_save(ctx, &s, cfg->stop_signal, cfg->stop_timeout);
	if (r == 0)
		r = exec_server_begin(ctx, &s, c);
	if (r == 0)
		r = exec_server_wait(ctx, &s, c, cfg->ready.n ? &ready : NULL, cfg->ready_timeout);
	if (r == 0) {
		snprintf(text, sizeof(text), "%ld", (long)s.pid);
		fst_note(ctx, "server_pid", text);
		fst_note(ctx, "server", c->argv.v[0]);
	}
	/* Without the pipe one that waits for its go ends. */
	if (s.go >= 0)
		close(s.go);
	if (s.said >= 0)
		close(s.said);
	if (s.log >= 0)
		close(s.log);
	exec_call_free(&ready);
	return r;
}

/* A program that turned itself into a daemon is going to be missed: it ends with the step. */
static void exec_warn_left(struct fst_ctx *ctx, const struct exec_call *c)
{
	char path[64], text[512] = "", name[64] = "?", *end;
	long pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(text, sizeof(text), f)) {
		pid = strtol(text, &end, 10);
		fclose(f);
		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = '\0';
		if (end != text && exec_start_time(pid))
			fst_warning(ctx,
				    "%s left %s (process %ld) running, which is killed now: a server is to stay in the "
				    "foreground, with background = true",
				    exec_call_program(c), name, pid);
	}
	if (f)
		fclose(f);
}

static int exec_apply(struct fst_ctx *ctx)
{
	const struct exec_setup_cfg *cfg = ctx->cfg;
	struct exec_call c = { { NULL, 0 }, { NULL, 0 }, NULL };
	struct fst_cmd_result res = { 0 };
	int r = exec_call_make(ctx, &cfg->call, "argv", &cfg->call.argv, &c);

	if (r == 0)
		r = exec_keep_undo(ctx);
	if (r < 0)
		goto out;
	exec_note_version(ctx, &cfg->call);
	if (cfg->background) {
		r = exec_start(ctx, &c);
		goto out;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what it leaves becomes ours, and is seen */
	r = exec_call_run(ctx, &c, NULL, &res);
	if (r == 0)
		r = exec_judge(ctx, &cfg->call, &c, &res);
	if (r == 0)
		exec_warn_left(ctx, &c);
out:
	exec_call_free(&c);
	return r;
}

/* The way back of the job's own first: it may be how the server is to be ended. */
static int exec_revert(struct fst_ctx *ctx)
{
	const char *boot = fst_saved(ctx, EXEC_FACT_BOOT);
	char now[64];
	int r = 0, r2;

	exec_boot_id(now);
	if (!boot || strcmp(boot, now) == 0)
		r = exec_undo_run(ctx);
	r2 = exec_server_end(ctx);
	return r ? r : r2;
}

FSTRIAL_PLUGIN(
	.kind = FST_SETUP, .name = "exec", .version = "1",
	.summary = "runs a program of your own, once or as a server in the background",
	.description =
		"Runs argv, without a shell, in the trial's directory (or cwd), with nothing to read, and fails with its exit "
		"status and the first line of its output that names an error. The output is in commands.log.\n"
		"In argv, undo, ready, env, path, cwd and log stand %{dir} for the trial's directory, %{device} for its block "
		"device, %{devices} for all of the target's, %{sysfs} for that disk's directory in sysfs, %{size} for the target's bytes, %{seed} for the step's "
		"seed, below 2^31; the program finds them as FSTRIAL_DIR, FSTRIAL_DEVICE, FSTRIAL_DEVICES, FSTRIAL_SYSFS, FSTRIAL_SIZE and FSTRIAL_SEED "
		"too. (${name} is a variable of the job, as everywhere; %%{ stands for %{.)\n"
		"What it changed is put back by undo. That is run also when argv failed half way, and twice if the machine "
		"goes down in between, so it must bear both.\n"
		"All that argv left running is killed at the end of the step. A server is said to be one by background = "
		"true: it is kept until the end of the trial, then asked to end by stop_signal, and killed if it does not.\n"
		"The guard knows nothing of what a program does to a device: that is between you and it.",
	FST_PARAMS(exec_params), FST_TOOLS(exec_tools), .cfg_size = sizeof(struct exec_setup_cfg),
	.check = exec_setup_check, .estimate = exec_estimate, .apply = exec_apply, .revert = exec_revert);
