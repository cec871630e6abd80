/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that have become ours when a step's process ended: to be kept, or to be ended. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run/stepproc_private.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/vec.h"

/*
 * Leaders of sessions that go on after their step, as a step's record asked for. Their numbers stay theirs while
 * they are our children, so none is taken for another.
 */
static VEC(pid_t) kept;

static bool kept_has(pid_t leader)
{
	for (size_t i = 0; i < kept.n; i++)
		if (kept.v[i] == leader)
			return true;
	return false;
}

void sweep_keep(const json_t *record)
{
	json_t *pid;
	size_t i;

	json_array_foreach(json_object_get(record, "kept"), i, pid)
		if (!kept_has((pid_t)json_integer_value(pid)))
			vec_push(&kept, (pid_t)json_integer_value(pid));
}

/* Those that have ended are nobody's any more. */
static void sweep_forget(void)
{
	for (size_t i = kept.n; i-- > 0;)
		if (waitpid(kept.v[i], NULL, WNOHANG) != 0)
			kept.v[i] = kept.v[--kept.n];
}

/* One round over the processes that have become ours; false when there are none but those to be kept. */
static bool sweep_children(void)
{
	char path[64], *text = NULL, *save = NULL;
	bool any = false;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (file_read(path, 1 << 20, &text, NULL, NULL) < 0)
		return false;
	for (char *t = strtok_r(text, " \n", &save); t; t = strtok_r(NULL, " \n", &save)) {
		pid_t pid = (pid_t)strtol(t, NULL, 10);

		if (pid > 0 && kept_has(getsid(pid)))
			continue;
		if (pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid)
			any = true;
	}
	free(text);
	return any;
}

void sweep_all(void)
{
	sweep_forget();
	while (sweep_children())
		;
}

bool sweep_keeps(void)
{
	return kept.n > 0;
}
