/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices for unit tests. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/loop.h"
#include "core/util/proc.h"
#include "core/util/sha256.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

#define SCRATCH_WAIT_NS (10 * NSEC_PER_SEC)
#define SCRATCH_MIB (1u << 20)

bool scratch_skip(const char *test, const char *program)
{
	_cleanup_free_ char *path = program ? proc_find(program) : NULL;

	if (geteuid())
		printf("skipped: %s: needs root\n", test);
	else if (access("/dev/loop-control", R_OK | W_OK))
		printf("skipped: %s: no /dev/loop-control\n", test);
	else if (program && !path)
		printf("skipped: %s: no %s\n", test, program);
	else
		return false;
	return true;
}

bool scratch_open(struct scratch *s)
{
	const char *tmp = getenv("TMPDIR");

	memset(s, 0, sizeof(*s));
	s->dir = xasprintf("%s/fstrial-unit-XXXXXX", tmp && *tmp == '/' ? tmp : "/var/tmp");
	if (mkdtemp(s->dir))
		return true;
	printf("%s: %s\n", s->dir, strerror(errno));
	free(s->dir);
	s->dir = NULL;
	return false;
}

static bool scratch_attach_image(struct scratch *s, size_t i, uint32_t sector)
{
	struct err e = { 0 };

	if (!loop_attach(s->image[i], sector, &s->device[i], &e))
		return true;
	printf("%s\n", e.text);
	return false;
}

bool scratch_attach(struct scratch *s, size_t i, uint64_t size, uint32_t sector)
{
	int fd, ret;

	s->image[i] = xasprintf("%s/%zu.img", s->dir, i);
	fd = open(s->image[i], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ret = fd < 0 ? -1 : ftruncate(fd, (off_t)size);
	if (fd >= 0)
		close(fd);
	if (!ret)
		return scratch_attach_image(s, i, sector);
	printf("%s: cannot be made\n", s->image[i]);
	return false;
}

bool scratch_attach_file(struct scratch *s, size_t i, const char *file)
{
	s->image[i] = xstrdup(file);
	return scratch_attach_image(s, i, 512);
}

const char *scratch_name(const struct scratch *s, size_t i)
{
	return strrchr(s->device[i], '/') + 1;
}

const char *scratch_mount(struct scratch *s, const char *device, const char *type,
			  const char *options)
{
	char *dir;

	if (s->n_mounts == SCRATCH_MAX)
		return NULL;
	dir = xasprintf("%s/mnt%zu", s->dir, s->n_mounts);
	if ((mkdir(dir, 0700) && errno != EEXIST) ||
	    mount(device, dir, type, MS_NOATIME, options)) {
		printf("mount %s %s: %s\n", type, device, strerror(errno));
		free(dir);
		return NULL;
	}
	s->mount[s->n_mounts++] = dir;
	return dir;
}

bool scratch_umount(struct scratch *s)
{
	bool good = true;

	while (s->n_mounts) {
		char *dir = s->mount[--s->n_mounts];

		if (umount2(dir, 0) && (printf("umount %s: %s\n", dir, strerror(errno)), true))
			good = false;
		free(dir);
		s->mount[s->n_mounts] = NULL;
	}
	return good;
}

void scratch_close(struct scratch *s)
{
	struct err e = { 0 };

	if (!s->dir)
		return;
	scratch_umount(s);
	/* From the last: one may be attached to another. */
	for (size_t i = SCRATCH_MAX; i-- > 0;) {
		if (s->device[i] && loop_detach(s->device[i], s->image[i], SCRATCH_WAIT_NS, &e)) {
			printf("%s\n", e.text);
			err_clear(&e);
		}
		free(s->device[i]);
		free(s->image[i]);
	}
	if (dir_remove_tree(s->dir, &e))
		printf("%s\n", e.text);
	free(s->dir);
	memset(s, 0, sizeof(*s));
}

bool scratch_run(const char *program, ...)
{
	VEC(const char *) argv = VEC_INIT;
	struct proc_result res = { 0 };
	struct err e = { 0 };
	const char *arg = program;
	struct proc_cmd cmd = { .timeout_ns = 60 * NSEC_PER_SEC };
	va_list ap;
	bool good;

	va_start(ap, program);
	for (; arg; arg = va_arg(ap, const char *))
		vec_push(&argv, arg);
	va_end(ap);
	vec_push(&argv, NULL);
	cmd.argv = argv.v;
	good = !proc_run(&cmd, &res, &e) && res.exit_status == 0;
	if (!good)
		printf("%s: %s%.*s\n", program, e.text, (int)strcspn(strbuf_str(&res.err), "\n"),
		       strbuf_str(&res.err));
	proc_result_release(&res);
	vec_free(&argv);
	return good;
}

void scratch_digest(const char *device, char hex[65])
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *buf = xmalloc(2 * SCRATCH_MIB);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	ssize_t a, b;

	hex[0] = '\0';
	if (size < 0)
		return;
	a = pread(fd, buf, SCRATCH_MIB, 0);
	b = pread(fd, buf + SCRATCH_MIB, SCRATCH_MIB, size > SCRATCH_MIB ? size - SCRATCH_MIB : 0);
	if (a >= 0 && a == b)
		sha256_hex(buf, (size_t)a, hex);
	if (a == SCRATCH_MIB)
		sha256_hex(buf, 2 * (size_t)SCRATCH_MIB, hex);
}
