/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: the parameters that setup and workload share, and the call that they make. */
#pragma once

#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec_places.h"

struct exec_cfg {
	struct fst_list argv, env, path, exit_status;
	const char *cwd, *user, *version_arg;
};

#define EXEC_PARAMS(cfg, member)                                                                                    \
	{ .name = "argv", .type = FST_LIST, FST_AT(cfg, member.argv), .flags = FST_REQUIRED,                         \
	  .doc = "The program and its arguments, a text each; no shell: for one say [\"sh\", \"-c\", \"...\"]." },   \
	{ .name = "env", .type = FST_LIST, FST_AT(cfg, member.env),                                                  \
	  .doc = "Further variables for it, as \"NAME=VALUE\"." },                                                   \
	{ .name = "path", .type = FST_LIST, FST_AT(cfg, member.path),                                                \
	  .doc = "Directories to put in front of PATH; of a pattern (\"/usr/lib/postgresql/*/bin\") the one "        \
		 "with the highest version." },                                                                      \
	{ .name = "cwd", .type = FST_STR, FST_AT(cfg, member.cwd),                                                   \
	  .doc = "Where it runs; relative to, and without it, the trial's directory." },                             \
	{ .name = "user", .type = FST_STR, FST_AT(cfg, member.user),                                                 \
	  .doc = "Who it runs as, with that user's groups and HOME; needs root." },                                  \
	{ .name = "exit_status", .type = FST_LIST, FST_AT(cfg, member.exit_status),                                  \
	  .doc = "Exit statuses that are no failure; without it [\"0\"]." },                                         \
	{ .name = "version_arg", .type = FST_STR, FST_AT(cfg, member.version_arg),                                   \
	  .doc = "Argument that makes the program print its version, which is then kept in the step's notes." }

/* What is run, with all places filled in. */
struct exec_call {
	struct exec_words argv, env;
	char *cwd;
};

static inline void exec_call_free(struct exec_call *c)
{
	exec_words_free(&c->argv);
	exec_words_free(&c->env);
	free(c->cwd);
	c->cwd = NULL;
}

/* ---- check ----------------------------------------------------------------------------------- */

static inline int exec_check_list(struct fst_ctx *ctx, const char *param, const struct fst_list *l)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->n && r == 0; i++)
		r = exec_places_check(ctx, param, l->v[i]);
	return r;
}

/* One text with blanks is what a shell would take apart. */
static inline int exec_check_argv(struct fst_ctx *ctx, const char *param, const struct fst_list *argv)
{
	if (!argv->n || !*argv->v[0])
		return fst_error(ctx, 0, "%s: no program is named", param);
	if (argv->n == 1 && strpbrk(argv->v[0], " \t"))
		return fst_error(ctx, 0,
				 "%s = \"%s\" is one word with blanks, not a program with arguments: write a list, "
				 "[\"mkdir\", \"-p\", \"a\"], or [\"sh\", \"-c\", \"...\"] for a shell",
				 param, argv->v[0]);
	return exec_check_list(ctx, param, argv);
}

static inline int exec_check_env(struct fst_ctx *ctx, const struct exec_cfg *cfg)
{
	size_t i;

	for (i = 0; i < cfg->env.n; i++) {
		const char *eq = strchr(cfg->env.v[i], '=');

		if (!eq || eq == cfg->env.v[i])
			return fst_error(ctx, 0, "env: \"%s\" is not of the form NAME=VALUE", cfg->env.v[i]);
	}
	return exec_check_list(ctx, "env", &cfg->env);
}

/* 0 to 255 in full, or -1. */
static inline int exec_status_number(const char *text)
{
	char *end;
	unsigned long v;

	if (*text < '0' || *text > '9')
		return -1;
	v = strtoul(text, &end, 10);
	return *end || v > 255 ? -1 : (int)v;
}

static inline int exec_check(struct fst_ctx *ctx, const struct exec_cfg *cfg)
{
	int r = exec_check_argv(ctx, "argv", &cfg->argv);
	size_t i;

	if (r == 0)
		r = exec_check_env(ctx, cfg);
	if (r == 0)
		r = exec_check_list(ctx, "path", &cfg->path);
	if (r == 0 && cfg->cwd)
		r = exec_places_check(ctx, "cwd", cfg->cwd);
	for (i = 0; i < cfg->exit_status.n && r == 0; i++)
		if (exec_status_number(cfg->exit_status.v[i]) < 0)
			r = fst_error(ctx, 0, "exit_status: \"%s\" is no number from 0 to 255",
				      cfg->exit_status.v[i]);
	return r;
}

/* ---- making the call ------------------------------------------------------------------------- */

/* The directory that a pattern means: the last by version. Fresh; NULL: none, which is said. */
static inline char *exec_path_glob(struct fst_ctx *ctx, const char *pattern)
{
	const char *best = NULL;
	char *out = NULL;
	glob_t g;
	size_t i;

	if (glob(pattern, GLOB_ONLYDIR, NULL, &g) == 0) {
		for (i = 0; i < g.gl_pathc; i++)
			if (!best || strverscmp(g.gl_pathv[i], best) > 0)
				best = g.gl_pathv[i];
		out = best ? strdup(best) : NULL;
	}
	globfree(&g);
	if (!out)
		fst_error(ctx, ENOENT, "path: %s", pattern);
	return out;
}

/* PATH=... with the directories of `path` in front, which go to dirs. */
static inline int exec_path_env(struct fst_ctx *ctx, const struct exec_cfg *cfg, struct exec_words *dirs,
				struct exec_words *env)
{
	const char *old = getenv("PATH");
	char *out = NULL;
	size_t size = 0, i;
	FILE *f;
	int r = 0;

	if (!cfg->path.n)
		return 0;
	for (i = 0; i < cfg->path.n && r == 0; i++) {
		char *full = exec_places_fill(ctx, "path", cfg->path.v[i]);
		char *dir = full ? exec_path_glob(ctx, full) : NULL;

		free(full);
		r = dir ? exec_words_take(dirs, dir) : -EINVAL;
	}
	f = r == 0 ? open_memstream(&out, &size) : NULL;
	if (!f)
		return r ? r : -ENOMEM;
	fputs("PATH=", f);
	for (i = 0; i < dirs->n; i++)
		fprintf(f, "%s:", dirs->v[i]);
	fputs(old ? old : "/usr/bin:/bin", f);
	if (fclose(f) != 0) {
		free(out);
		return -ENOMEM;
	}
	return exec_words_take(env, out);
}

/* The program by its full path where one of `path` has it. */
static inline char *exec_program(const struct exec_words *dirs, const char *name)
{
	char *full;
	size_t i;

	for (i = 0; i < dirs->n && !strchr(name, '/'); i++) {
		if (asprintf(&full, "%s/%s", dirs->v[i], name) < 0)
			return NULL;
		if (access(full, X_OK) == 0)
			return full;
		free(full);
	}
	return strdup(name);
}

/* setpriv in front, and the user's own HOME. */
static inline int exec_as_user(struct fst_ctx *ctx, const char *user, struct exec_call *c)
{
	const struct passwd *pw = getpwnam(user);
	int r;

	if (!pw)
		return fst_error(ctx, 0, "user = \"%s\": there is no such user", user);
	if (geteuid() == pw->pw_uid)
		return 0;
	if (geteuid() != 0)
		return fst_error(ctx, EPERM, "user = \"%s\"", user);
	r = exec_words_add(&c->argv, "setpriv");
	if (r == 0)
		r = exec_words_add(&c->argv, "--reuid=%u", (unsigned int)pw->pw_uid);
	if (r == 0)
		r = exec_words_add(&c->argv, "--regid=%u", (unsigned int)pw->pw_gid);
	if (r == 0)
		r = exec_words_add(&c->argv, "--init-groups");
	/* Another user would forget who it is to die with. */
	if (r == 0)
		r = exec_words_add(&c->argv, "--pdeathsig=keep");
	if (r == 0)
		r = exec_words_add(&c->argv, "--");
	if (r == 0)
		r = exec_words_add(&c->env, "HOME=%s", pw->pw_dir);
	if (r == 0)
		r = exec_words_add(&c->env, "USER=%s", pw->pw_name);
	if (r == 0)
		r = exec_words_add(&c->env, "LOGNAME=%s", pw->pw_name);
	return r;
}

static inline int exec_call_cwd(struct fst_ctx *ctx, const struct exec_cfg *cfg, struct exec_call *c)
{
	const char *base = ctx->dir ? ctx->dir : "/";
	char *given = cfg->cwd ? exec_places_fill(ctx, "cwd", cfg->cwd) : NULL;
	int r = 0;

	if (cfg->cwd && !given)
		return -EINVAL;
	if (given && *given != '/')
		r = asprintf(&c->cwd, "%s/%s", base, given) < 0 ? -ENOMEM : 0;
	else
		c->cwd = strdup(given ? given : base);
	free(given);
	return r < 0 || !c->cwd ? -ENOMEM : 0;
}

/* Fills *c, to be freed in either case, for one of the step's commands: argv, undo, ready. */
static inline int exec_call_make(struct fst_ctx *ctx, const struct exec_cfg *cfg, const char *param,
				 const struct fst_list *argv, struct exec_call *c)
{
	struct exec_words dirs = { NULL, 0 };
	size_t i;
	int r = exec_places_env(ctx, &c->env);

	if (r == 0)
		r = exec_path_env(ctx, cfg, &dirs, &c->env);
	if (r == 0 && cfg->user)
		r = exec_as_user(ctx, cfg->user, c);
	for (i = 0; i < argv->n && r == 0; i++) {
		char *text = exec_places_fill(ctx, param, argv->v[i]);
		char *full = text && i == 0 ? exec_program(&dirs, text) : NULL;

		if (full) {
			free(text);
			text = full;
		}
		r = text ? exec_words_take(&c->argv, text) : -EINVAL;
	}
	for (i = 0; i < cfg->env.n && r == 0; i++) {
		char *text = exec_places_fill(ctx, "env", cfg->env.v[i]);

		r = text ? exec_words_take(&c->env, text) : -EINVAL;
	}
	if (r == 0)
		r = exec_call_cwd(ctx, cfg, c);
	exec_words_free(&dirs);
	return r;
}

/* ---- running it ------------------------------------------------------------------------------ */

static inline int exec_call_run(struct fst_ctx *ctx, const struct exec_call *c, const int *stop,
				struct fst_cmd_result *res)
{
	const struct fst_cmd cmd = { .argv = (const char *const *)c->argv.v,
				     .env = (const char *const *)c->env.v,
				     .cwd = c->cwd,
				     .stop = stop };

	res->struct_size = sizeof(*res);
	return fst_run_cmd(ctx, &cmd, res);
}

/* The program itself, without what was put in front of it. */
static inline const char *exec_call_program(const struct exec_call *c)
{
	size_t i = 0, k;
	const char *slash;

	for (k = 0; k < c->argv.n; k++)
		if (strcmp(c->argv.v[k], "--") == 0 && strcmp(c->argv.v[0], "setpriv") == 0) {
			i = k + 1;
			break;
		}
	slash = strrchr(c->argv.v[i], '/');
	return slash ? slash + 1 : c->argv.v[i];
}

static inline bool exec_status_is_good(const struct exec_cfg *cfg, int status)
{
	size_t i;

	if (!cfg || !cfg->exit_status.n)
		return status == 0;
	for (i = 0; i < cfg->exit_status.n; i++)
		if (exec_status_number(cfg->exit_status.v[i]) == status)
			return true;
	return false;
}

/* 0 when it ended as it should; cfg NULL: with status 0. */
static inline int exec_judge(struct fst_ctx *ctx, const struct exec_cfg *cfg, const struct exec_call *c,
			     const struct fst_cmd_result *res)
{
	const char *program = exec_call_program(c);
	char line[1024];

	if (res->exit_status >= 0 && exec_status_is_good(cfg, res->exit_status))
		return 0;
	said_message(res->out, res->err, line, sizeof(line));
	if (res->signal)
		return fst_error(ctx, 0, "%s was ended by signal %d (SIG%s): %s", program, res->signal,
				 sigabbrev_np(res->signal), line);
	return fst_error(ctx, 0, "%s: exit status %d: %s", program, res->exit_status, line);
}

/* Its version, as it says it itself; what it prints first. A program that will not say is no failure. */
static inline void exec_note_version(struct fst_ctx *ctx, const struct exec_cfg *cfg)
{
	const char *words[2] = { cfg->argv.v[0], cfg->version_arg };
	const struct fst_list argv = { 2, words };
	struct fst_cmd_result res = { 0 };
	struct exec_call c = { { NULL, 0 }, { NULL, 0 }, NULL };
	const char *text;
	char line[256];

	if (!cfg->version_arg)
		return;
	if (exec_call_make(ctx, cfg, "version_arg", &argv, &c) == 0 && exec_call_run(ctx, &c, NULL, &res) == 0) {
		text = *res.out ? res.out : res.err;
		if (said_next_line(&text, line, sizeof(line)))
			fst_note(ctx, "program_version", line);
	}
	exec_call_free(&c);
}
