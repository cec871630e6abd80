/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transactions: one worker's pool of files, and one action on it of each kind. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include "files_data.h"
#include "files_gate.h"
#include "files_remove.h"
#include "transactions_params.h"

enum {
	TRANSACTIONS_BUFFER = 256 * 1024,
	TRANSACTIONS_NAME = 20,
};

struct transactions_state {
	struct fst_ctx *ctx;
	struct files_size size;
	struct files_namer namer;
	int *dir;
	uint64_t n_dirs;
	bool made;
	char base[FILES_PATH];
};

struct transactions_worker {
	struct fst_worker *w;
	struct transactions_state *s;
	const struct transactions_cfg *cfg;
	bool timed;
	uint32_t *pool; /* numbers of the files that are there, in no order */
	uint64_t n, next;
	uint64_t done, bytes;
	struct files_data data;
	uint64_t dirno;
	char name[TRANSACTIONS_NAME + 1];
};

static int transactions_fail(struct transactions_worker *t, const char *what)
{
	int err = errno;
	char why[128];

	files_why(t->s->base, err, why, sizeof(why));
	return fst_error(t->w->ctx, err, "%s %s/d%llu/%s, after %llu of this worker's transactions%s", what,
			 t->s->base, (unsigned long long)t->dirno, t->name, (unsigned long long)t->done, why);
}

static int transactions_dir(struct transactions_worker *t, uint64_t number)
{
	const struct transactions_cfg *cfg = t->cfg;
	uint64_t d = files_mix(number) % (cfg->dirs ? cfg->dirs : 1);

	t->dirno = cfg->shared ? d : t->w->index * cfg->dirs + d;
	files_name(&t->s->namer, t->name, 'm', number * t->w->ctx->nworkers + t->w->index);
	return t->s->dir[t->dirno];
}

static int transactions_write(struct transactions_worker *t, int fd, uint64_t size)
{
	uint64_t begin;

	t->bytes += size;
	if (files_data_write(&t->data, fd, size))
		return transactions_fail(t, "write");
	if (!t->cfg->fsync)
		return 0;
	begin = fst_now(t->w->ctx);
	if (fsync(fd))
		return transactions_fail(t, "fsync");
	if (t->timed)
		fst_op(t->w, TRANSACTIONS_FSYNC, begin, 0);
	return 0;
}

static int transactions_read(struct transactions_worker *t, int fd)
{
	const int64_t n = files_data_read(&t->data, fd, -1);

	if (n < 0)
		return transactions_fail(t, "read");
	t->bytes += (uint64_t)n;
	return 0;
}

static int transactions_close(struct transactions_worker *t, int fd, int ret)
{
	if (close(fd) && !ret)
		ret = transactions_fail(t, "close");
	return ret;
}

static int transactions_create(struct transactions_worker *t)
{
	uint64_t number = t->next++;
	int dir = transactions_dir(t, number);
	int fd = openat(dir, t->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), ret;

	if (fd < 0)
		return transactions_fail(t, "create");
	t->pool[t->n++] = (uint32_t)number;
	ret = transactions_write(t, fd, files_size_at(&t->s->size, number * t->w->ctx->nworkers + t->w->index));
	return transactions_close(t, fd, ret);
}

static int transactions_delete(struct transactions_worker *t)
{
	uint64_t at = fst_random(t->w) % t->n;
	int dir = transactions_dir(t, t->pool[at]);

	t->pool[at] = t->pool[--t->n];
	return unlinkat(dir, t->name, 0) ? transactions_fail(t, "delete") : 0;
}

/* Opens one that is there, and reads it, adds to it, or both. */
static int transactions_use(struct transactions_worker *t, bool reads, bool appends)
{
	int dir = transactions_dir(t, t->pool[fst_random(t->w) % t->n]), ret = 0;
	int flags = (reads ? appends ? O_RDWR : O_RDONLY : O_WRONLY) | (appends ? O_APPEND : 0);
	int fd = openat(dir, t->name, flags | O_CLOEXEC);

	if (fd < 0)
		return transactions_fail(t, "open");
	if (reads)
		ret = transactions_read(t, fd);
	if (!ret && appends)
		ret = transactions_write(t, fd, 1 + fst_random(t->w) % t->cfg->append_size);
	return transactions_close(t, fd, ret);
}

static int transactions_stat(struct transactions_worker *t)
{
	int dir = transactions_dir(t, t->pool[fst_random(t->w) % t->n]);
	struct stat st;

	return fstatat(dir, t->name, &st, AT_SYMLINK_NOFOLLOW) ? transactions_fail(t, "stat") : 0;
}

/* By chance where the flow says so; never none left, and never more than twice as many as at first. */
static uint32_t transactions_choose(struct transactions_worker *t, uint32_t action)
{
	if (action == TRANSACTIONS_CREATE_OR_DELETE)
		action = fst_random(t->w) % 100 < t->cfg->create_percent ? TRANSACTIONS_CREATE
									 : TRANSACTIONS_DELETE;
	if (action == TRANSACTIONS_READ_OR_APPEND)
		action = fst_random(t->w) % 100 < t->cfg->read_percent ? TRANSACTIONS_READ
								       : TRANSACTIONS_APPEND;
	if (action == TRANSACTIONS_CREATE && t->n >= 2 * t->cfg->files)
		return TRANSACTIONS_DELETE;
	return action != TRANSACTIONS_CREATE && t->n < 2 && action == TRANSACTIONS_DELETE ? TRANSACTIONS_CREATE
											  : action;
}

static int transactions_act(struct transactions_worker *t, uint32_t action)
{
	switch (action) {
	case TRANSACTIONS_CREATE:
		return transactions_create(t);
	case TRANSACTIONS_DELETE:
		return transactions_delete(t);
	case TRANSACTIONS_APPEND:
		return transactions_use(t, false, true);
	case TRANSACTIONS_READ:
		return transactions_use(t, true, false);
	case TRANSACTIONS_READ_APPEND:
		return transactions_use(t, true, true);
	default:
		return transactions_stat(t);
	}
}

static int transactions_run(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;
	const uint64_t end = t->cfg->transactions ? t->cfg->transactions : UINT64_MAX;
	const int flow = t->cfg->flow;
	uint64_t begin = fst_now(w->ctx), now = begin;

	t->timed = true;
	for (; t->done < end && !fst_stopping(w); t->done++) {
		begin = now;
		t->bytes = 0;
		for (uint32_t i = 0; i < transactions_flows[flow].n; i++) {
			uint32_t action = transactions_choose(t, transactions_flows[flow].action[i]);
			int ret = transactions_act(t, action);

			if (ret)
				return ret;
			now = fst_op(w, action, now, 0);
		}
		now = fst_op(w, TRANSACTIONS_WHOLE, begin, t->bytes);
	}
	return 0;
}
