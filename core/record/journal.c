/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal.jsonl: what is measured is on disk before the next trial starts. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/record/result.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

int journal_open(const char *dir, struct journal *j, struct err *e)
{
	j->path = xasprintf("%s/journal.jsonl", dir);
	j->fd = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (j->fd < 0) {
		int r = err_sys(e, errno, "create %s", j->path);

		free(j->path);
		j->path = NULL;
		return r;
	}
	return dir_sync(dir);
}

int journal_reopen(const char *dir, off_t whole, struct journal *j, struct err *e)
{
	j->path = xasprintf("%s/journal.jsonl", dir);
	j->fd = open(j->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (j->fd >= 0 && ftruncate(j->fd, whole) == 0)
		return 0;
	return err_sys(e, errno, "open %s to go on with it", j->path);
}

int journal_append(struct journal *j, const char *type, const json_t *members, struct err *e)
{
	_cleanup_json_ json_t *line = js_object();
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r;

	js_set(line, "type", js_str(type));
	if (json_object_update(line, (json_t *)members) < 0)
		return err_set(e, ENOMEM, "%s", j->path);
	text = js_dump(line);
	len = strlen(text);
	text[len] = '\n'; /* the NUL gives way: one write(2) a line */
	r = file_append_synced(j->fd, text, len + 1);
	return r < 0 ? err_sys(e, -r, "write %s", j->path) : 0;
}

void journal_close(struct journal *j)
{
	if (j->path && j->fd >= 0)
		close(j->fd);
	free(j->path);
	j->path = NULL;
	j->fd = -1;
}
