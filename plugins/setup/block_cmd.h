/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the tools of the block layer, and saying why one refused. */
#pragma once

#include <stdarg.h>

#include "block_sys.h"
#include "mkfs_message.h"

#define BLOCK_MAX_ARGS 80
#define BLOCK_MAX_TEXT 8192

struct block_args {
	const char *v[BLOCK_MAX_ARGS + 1];
	size_t n;
	char text[BLOCK_MAX_TEXT]; /* what v points into */
	size_t used;
	bool full;
};

static inline void FST_PRINTF(2, 3) block_arg(struct block_args *a, const char *fmt, ...)
{
	size_t room = sizeof(a->text) - a->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(a->text + a->used, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room || a->n == BLOCK_MAX_ARGS) {
		a->full = true;
		return;
	}
	a->v[a->n++] = a->text + a->used;
	a->v[a->n] = NULL;
	a->used += (size_t)n + 1;
}

/* A size in bytes where the tool takes "NAME VALUEb"; nothing for 0. */
static inline void block_arg_bytes(struct block_args *a, const char *option, uint64_t bytes)
{
	if (!bytes)
		return;
	block_arg(a, "%s", option);
	block_arg(a, "%" PRIu64 "b", bytes);
}

/* As somebody would type it, but for settings of the tool that only make it look at nothing else. */
static inline void block_join(const struct block_args *a, char *text, size_t size)
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < a->n && n < size; i++) {
		const char *quote = a->v[i][strcspn(a->v[i], " \t\"'\\|[](){}$&;<>*?")] ? "'" : "";

		if (strcmp(a->v[i], "--config") == 0) {
			i++;
			continue;
		}
		n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", n ? " " : "", quote, a->v[i],
				      quote);
	}
}

/*
 * Without a udev daemon the tools have to make device nodes by themselves and wait for nobody. They only see that
 * it is not running when its directory is missing too, so they are told.
 */
static inline const char *const *block_env(void)
{
	static const char *const plain[] = { "LVM_SUPPRESS_FD_WARNINGS=1", NULL };
	static const char *const no_udev[] = { "LVM_SUPPRESS_FD_WARNINGS=1", "DM_DISABLE_UDEV=1",
					       "MDADM_NO_UDEV=1", NULL };

	return access("/run/udev/control", F_OK) == 0 ? plain : no_udev;
}

/* Runs a command whose exit status the caller looks at. */
static inline int block_try(struct fst_ctx *ctx, struct block_args *a, struct fst_cmd_result *res)
{
	struct fst_cmd cmd = { .argv = a->v, .env = block_env() };
	const char *program = a->v[0], *path = fst_find_tool(ctx, program);
	int r;

	*res = (struct fst_cmd_result){ .struct_size = sizeof(*res) };
	if (!path)
		return fst_error(ctx, ENOENT, "%s is not installed", program);
	if (a->full)
		return fst_error(ctx, E2BIG, "%s: too many arguments", program);
	a->v[0] = path;
	r = fst_run_cmd(ctx, &cmd, res);
	a->v[0] = program;
	return r;
}

static inline const char *block_err(const struct fst_cmd_result *res)
{
	return res->err ? res->err : "";
}

static inline const char *block_out(const struct fst_cmd_result *res)
{
	return res->out ? res->out : "";
}

static inline bool block_says_busy(const struct fst_cmd_result *res)
{
	static const char *const words[] = { "busy", "in use", "is used by", "still in use",
					     "open count" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(block_err(res), words[i]) || strcasestr(block_out(res), words[i]))
			return true;
	return false;
}

/* Without the warnings, which come first and are about something else; all of it when there is nothing more. */
static inline const char *block_no_warnings(const char *text, char *buf, size_t size)
{
	const char *p = text;
	char line[512];
	size_t n = 0;

	buf[0] = '\0';
	while (said_next_line(&p, line, sizeof(line)) && n < size)
		if (strncasecmp(line, "warning", 7) != 0)
			n += (size_t)snprintf(buf + n, size - n, "%s\n", line);
	return n ? buf : text;
}

/* A program that ended badly: its reason and the command, in one line. */
static inline int block_refused(struct fst_ctx *ctx, const struct block_args *a,
				const struct fst_cmd_result *res)
{
	char text[1200], command[2048], err[2048];

	block_join(a, command, sizeof(command));
	if (res->exit_status < 0)
		return fst_error(ctx, 0, "%s was ended by signal %d (command: %s)", a->v[0],
				 res->signal, command);
	mkfs_message(a->v[0], block_out(res), block_no_warnings(block_err(res), err, sizeof(err)),
		     text, sizeof(text));
	return fst_error(ctx, 0, "%s (command: %s)", text, command);
}

/* Runs a command that has to go well. res may be NULL. */
static inline int block_run(struct fst_ctx *ctx, struct block_args *a, struct fst_cmd_result *res)
{
	struct fst_cmd_result own;
	int r;

	if (!res)
		res = &own;
	r = block_try(ctx, a, res);
	if (r < 0)
		return r;
	return res->exit_status == 0 ? 0 : block_refused(ctx, a, res);
}

/* Keeps the command for the result. */
static inline void block_note_command(struct fst_ctx *ctx, const struct block_args *a)
{
	char text[BLOCK_MAX_TEXT];

	block_join(a, text, sizeof(text));
	fst_note(ctx, "command", text);
}

/* probe: is the program there? */
static inline int block_need_tool(struct fst_ctx *ctx, const char *program, const char *package)
{
	if (fst_find_tool(ctx, program))
		return 0;
	return fst_error(ctx, EOPNOTSUPP, "%s is not installed: install the package %s", program,
			 package);
}
