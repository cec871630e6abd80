/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a program: where it is, and the environment it gets. */
#include "core/util/proc_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/proc.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* ---- finding it ---- */

static bool proc_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *proc_find(const char *program)
{
	const char *path = getenv("PATH");
	_cleanup_free_ char *where = NULL;
	char **dirs, *found = NULL;

	if (!*program)
		return NULL;
	if (strchr(program, '/'))
		return proc_is_program(program) ? xstrdup(program) : NULL;
	/* A plain user's PATH lacks the folders where mkfs and mount helpers live. */
	where = xasprintf("%s:/usr/local/sbin:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	dirs = str_split(where, ":", NULL);
	for (size_t i = 0; dirs[i] && !found; i++) {
		_cleanup_free_ char *full = xasprintf("%s/%s", dirs[i], program);

		/* Relative entries would make the result depend on where we are. */
		if (dirs[i][0] == '/' && proc_is_program(full))
			found = TAKE_PTR(full);
	}
	str_freev(dirs);
	return found;
}

/* ---- environment ---- */

static bool proc_same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && (b[n] == '=' || !b[n]);
}

static bool proc_env_has(const char *const *env, const char *entry)
{
	for (; env && *env; env++) {
		if (proc_same_name(*env, entry))
			return true;
	}
	return false;
}

const char **proc_environ(const char *const *extra)
{
	static const char *const fixed[] = { "LC_ALL=C", NULL };
	VEC(const char *) env = VEC_INIT;

	for (char **p = environ; p && *p; p++) {
		if (!proc_env_has(extra, *p) && !proc_env_has(fixed, *p))
			vec_push(&env, *p);
	}
	for (; extra && *extra; extra++) {
		if (!proc_env_has(fixed, *extra))
			vec_push(&env, *extra);
	}
	vec_push(&env, fixed[0]);
	vec_push(&env, NULL);
	return env.v;
}
