/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test of the device guard expects. */
#include "guard_expect.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/run/guard.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

#define SIZE (320ULL << 20) /* the smallest that mkfs.xfs takes, and a bit */

/* Replaces @ by the device's kernel name. */
static char *guard_expand(const char *text, const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *text; text++) {
		if (*text == '@')
			strbuf_addstr(&sb, name);
		else
			strbuf_addch(&sb, *text);
	}
	return strbuf_steal(&sb);
}

void guard_expect_path(const char *path, const char *device, const char *name,
		       const char *confirmed, bool overwrite, const char *want)
{
	_cleanup_free_ char *word = guard_expand(confirmed ? confirmed : "", name);
	_cleanup_free_ char *parts = want ? guard_expand(want, name) : NULL;
	const char *const words[] = { word };
	const struct guard_request r = { .device = path, .confirmed = words,
					  .n_confirmed = confirmed ? 1 : 0, .overwrite = overwrite };
	char before[65], after[65], *rest = parts, *part;
	struct blockdev bd;
	struct err e = { 0 };
	int ret;

	scratch_digest(device, before);
	ret = guard_check(&r, &bd, &e);
	scratch_digest(device, after);
	CU_ASSERT_STRING_NOT_EQUAL(before, "");
	CU_ASSERT_STRING_EQUAL(before, after);
	CU_ASSERT_EQUAL(ret, want ? -EPERM : 0);
	CU_ASSERT_EQUAL(e.code, want ? EPERM : 0);
	if (!want)
		CU_ASSERT_STRING_EQUAL(bd.name, name);
	while ((part = strsep(&rest, "|"))) {
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, part));
		if (!strstr(e.text, part))
			printf("\n\"%s\" lacks \"%s\"\n", e.text, part);
	}
	if (!want && ret)
		printf("\n%s\n", e.text);
}

void guard_expect(const struct scratch *s, size_t i, const char *confirmed, bool overwrite,
		  const char *want)
{
	guard_expect_path(s->device[i], s->device[i], scratch_name(s, i), confirmed, overwrite,
			  want);
}

bool guard_begin(struct scratch *s, const char *test, const char *program, size_t devices)
{
	bool good;

	if (scratch_skip(test, program))
		return false;
	good = scratch_open(s);
	for (size_t i = 0; good && i < devices; i++)
		good = scratch_attach(s, i, SIZE, 512);
	CU_ASSERT_TRUE(good);
	if (!good)
		scratch_close(s);
	return good;
}

bool guard_mkfs_xfs(const struct scratch *s, size_t i, const char *label)
{
	return scratch_run("mkfs.xfs", "-q", "-f", "-L", label, s->device[i], NULL);
}

void guard_put(const struct scratch *s, size_t i, off_t at, const void *data, size_t len)
{
	int fd = open(s->device[i], O_WRONLY | O_CLOEXEC);

	CU_ASSERT_EQUAL(pwrite(fd, data, len, at), (ssize_t)len);
	CU_ASSERT_EQUAL(fsync(fd), 0);
	close(fd);
}
