/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/file: reading, writing, directories. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* A directory of its own for a test; in(dir, name) is a path inside, valid for four calls. */
static char *make_dir(void)
{
	char *dir = xstrdup("/tmp/test-file-XXXXXX");

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	return dir;
}

static const char *in(const char *dir, const char *name)
{
	static char buf[4][512];
	static unsigned int turn;
	char *at = buf[turn++ % 4];

	snprintf(at, sizeof(buf[0]), "%s/%s", dir, name);
	return at;
}

static void done(char *dir)
{
	struct err e = { 0, "" };

	CU_ASSERT_EQUAL(dir_remove_tree(dir, &e), 0);
	CU_ASSERT_FALSE(file_exists(dir));
	free(dir);
}

static void put(const char *path, const char *text)
{
	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void test_read(void)
{
	char *dir = make_dir(), *data = NULL;
	size_t len = 0;
	struct err e = { 0, "" };

	CU_ASSERT_EQUAL(file_write_atomic(in(dir, "f"), "ab\0c", 4, &e), 0);
	CU_ASSERT_EQUAL(file_read(in(dir, "f"), 4, &data, &len, &e), 0);
	CU_ASSERT_EQUAL(len, 4);
	CU_ASSERT_EQUAL(memcmp(data, "ab\0c", 5), 0);
	free(data);
	CU_ASSERT_EQUAL(file_read(in(dir, "f"), 3, &data, &len, &e), -EFBIG);
	CU_ASSERT_PTR_NULL(data);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "larger than 3 bytes"));
	err_clear(&e);
	CU_ASSERT_EQUAL(file_read(in(dir, "none"), 3, &data, NULL, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "none: cannot open"));
	err_clear(&e);
	CU_ASSERT_EQUAL(file_read(dir, 3, &data, NULL, &e), -EISDIR);
	done(dir);
}

/* Sizes around the first buffer, and more than one doubling. */
static void test_read_sizes(void)
{
	static const size_t sizes[] = { 0, 1, 16382, 16383, 16384, 16385, 32767, 100000, 1 << 20 };
	char *dir = make_dir();

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *text = xcalloc(sizes[i] + 1, 1), *data = NULL;
		size_t len = 99;

		memset(text, 'x', sizes[i]);
		put(in(dir, "f"), text);
		CU_ASSERT_EQUAL(file_read(in(dir, "f"), sizes[i], &data, &len, NULL), 0);
		CU_ASSERT_EQUAL(len, sizes[i]);
		CU_ASSERT_STRING_EQUAL(data, text);
		free(data);
		if (sizes[i])
			CU_ASSERT_EQUAL(file_read(in(dir, "f"), sizes[i] - 1, &data, NULL, NULL),
					-EFBIG);
		free(text);
	}
	done(dir);
}

/* Files that claim to be empty. */
static void test_read_proc(void)
{
	char *data = NULL, line[128];
	size_t len = 0;

	CU_ASSERT_EQUAL(file_read("/proc/self/status", SIZE_MAX, &data, &len, NULL), 0);
	CU_ASSERT_TRUE(len > 100);
	CU_ASSERT_EQUAL(strncmp(data ? data : "", "Name:", 5), 0);
	free(data);
	CU_ASSERT_EQUAL(file_read_line("/proc/sys/kernel/ostype", line, sizeof(line)), 0);
	CU_ASSERT_STRING_EQUAL(line, "Linux");
}

static void test_read_line(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *line;
	} rows[] = {
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ "  512 \nmore\n", 0, "512" },
		{ "no newline", 0, "no newline" },
		{ "123456789012345", 0, "123456789012345" },
		{ "1234567890123456", -EOVERFLOW, NULL },
	};
	char *dir = make_dir(), line[16], *text = xcalloc(1, 10001);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(in(dir, "f"), rows[i].text);
		CU_ASSERT_EQUAL(file_read_line(in(dir, "f"), line, sizeof(line)), rows[i].ret);
		if (rows[i].line)
			CU_ASSERT_STRING_EQUAL(line, rows[i].line);
	}
	memset(text, 'x', 10000);
	put(in(dir, "f"), text);
	CU_ASSERT_EQUAL(file_read_line(in(dir, "f"), line, sizeof(line)), -EOVERFLOW);
	CU_ASSERT_EQUAL(file_read_line(in(dir, "none"), line, sizeof(line)), -ENOENT);
	free(text);
	done(dir);
}

static void test_write_value(void)
{
	char *dir = make_dir(), line[64];

	CU_ASSERT_EQUAL(file_write_value(in(dir, "f"), "x"), -ENOENT);
	put(in(dir, "f"), "longer than before\n");
	CU_ASSERT_EQUAL(file_write_value(in(dir, "f"), "128"), 0);
	CU_ASSERT_EQUAL(file_read_line(in(dir, "f"), line, sizeof(line)), 0);
	CU_ASSERT_STRING_EQUAL(line, "128");
	CU_ASSERT_EQUAL(file_write_value("/dev/full", "x"), -ENOSPC);
	done(dir);
}

static int count_names(const char *name, void *arg)
{
	strbuf_addf(arg, "%s,", name);
	return str_eq(name, "stop") ? 7 : 0;
}

static void test_write_atomic(void)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	char *dir = make_dir(), line[64];
	struct err e = { 0, "" };
	struct stat st;
	mode_t mask = umask(022);

	put(in(dir, "f"), "old");
	put(in(dir, "f"), "new");
	umask(mask);
	CU_ASSERT_EQUAL(stat(in(dir, "f"), &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0644);
	CU_ASSERT_EQUAL(file_read_line(in(dir, "f"), line, sizeof(line)), 0);
	CU_ASSERT_STRING_EQUAL(line, "new");
	/* A failure leaves the old contents and no temporary file. */
	CU_ASSERT_EQUAL(mkdir(in(dir, "d"), 0700), 0);
	CU_ASSERT_EQUAL(file_write_atomic(in(dir, "d"), "x", 1, &e), -EISDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "cannot write"));
	CU_ASSERT_EQUAL(dir_each(dir, count_names, &names), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&names), "d,f,");
	err_clear(&e);
	CU_ASSERT_EQUAL(file_write_atomic(in(dir, "none/f"), "x", 1, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "cannot create"));
	done(dir);
}

/* A name without a slash: its directory is the current one. */
static void test_write_atomic_here(void)
{
	char *dir = make_dir();
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CU_ASSERT_EQUAL_FATAL(chdir(dir), 0);
	put("plain", "x");
	CU_ASSERT_TRUE(file_exists("plain"));
	CU_ASSERT_EQUAL(fchdir(here), 0);
	close(here);
	done(dir);
}

static void test_dir_make(void)
{
	char *dir = make_dir();
	struct err e = { 0, "" };
	struct stat st;

	CU_ASSERT_EQUAL(dir_make(in(dir, "a/b//c/"), 0500, &e), 0);
	CU_ASSERT_EQUAL(stat(in(dir, "a/b/c"), &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0500);
	CU_ASSERT_EQUAL(dir_make(in(dir, "a/b/c"), 0755, &e), 0);
	CU_ASSERT_EQUAL(dir_make("/", 0755, &e), 0);
	CU_ASSERT_EQUAL(symlink("a", in(dir, "link")), 0);
	CU_ASSERT_EQUAL(dir_make(in(dir, "link/x"), 0755, &e), 0);
	CU_ASSERT_TRUE(file_exists(in(dir, "a/x")));
	put(in(dir, "f"), "");
	CU_ASSERT_EQUAL(dir_make(in(dir, "f"), 0755, &e), -ENOTDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "cannot make directory"));
	CU_ASSERT_EQUAL(dir_make(in(dir, "f/x"), 0755, NULL), -ENOTDIR);
	CU_ASSERT_EQUAL(dir_make("", 0755, NULL), -ENOENT);
	CU_ASSERT_EQUAL(dir_sync(dir), 0);
	CU_ASSERT_EQUAL(dir_sync(in(dir, "none")), -ENOENT);
	done(dir);
}

static void test_dir_each(void)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	char *dir = make_dir();

	CU_ASSERT_EQUAL(dir_each(dir, count_names, &names), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&names), "");
	put(in(dir, "zz"), "");
	put(in(dir, "stop"), "");
	put(in(dir, ".hidden"), "");
	put(in(dir, "B"), "");
	CU_ASSERT_EQUAL(dir_each(dir, count_names, &names), 7);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&names), ".hidden,B,stop,");
	CU_ASSERT_EQUAL(dir_each(in(dir, "none"), count_names, &names), -ENOENT);
	done(dir);
}

static void test_remove_symlinks(void)
{
	char *dir = make_dir(), *other = make_dir();

	put(in(other, "precious"), "x");
	CU_ASSERT_EQUAL(dir_make(in(dir, "t/sub"), 0755, NULL), 0);
	CU_ASSERT_EQUAL(symlink(other, in(dir, "t/sub/link")), 0);
	CU_ASSERT_EQUAL(symlink("nowhere", in(dir, "t/dangling")), 0);
	CU_ASSERT_EQUAL(symlink(other, in(dir, "root")), 0);
	CU_ASSERT_EQUAL(mkfifo(in(dir, "t/fifo"), 0600), 0);
	/* The root itself a link, with and without a slash. */
	CU_ASSERT_TRUE(dir_remove_tree(in(dir, "root"), NULL) < 0);
	CU_ASSERT_TRUE(dir_remove_tree(in(dir, "root/"), NULL) < 0);
	CU_ASSERT_TRUE(file_exists(in(other, "precious")));
	CU_ASSERT_EQUAL(dir_remove_tree(in(dir, "t"), NULL), 0);
	CU_ASSERT_FALSE(file_exists(in(dir, "t")));
	CU_ASSERT_TRUE(file_exists(in(other, "precious")));
	done(dir);
	done(other);
}

static void test_remove_refused(void)
{
	static const char *const bad[] = { "", "/", "//", ".", "..", "./", "/tmp/.", "/tmp/..",
					   "a/../" };
	char *dir = make_dir();
	struct err e = { 0, "" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CU_ASSERT_EQUAL(dir_remove_tree(bad[i], NULL), -EINVAL);
	CU_ASSERT_EQUAL(dir_remove_tree(in(dir, "none"), NULL), 0);
	put(in(dir, "f"), "");
	CU_ASSERT_EQUAL(dir_remove_tree(in(dir, "f"), &e), -ENOTDIR);
	CU_ASSERT_TRUE(file_exists(in(dir, "f")));
	CU_ASSERT_EQUAL(dir_remove_tree("/proc", NULL), -EXDEV);
	done(dir);
}

/* Deeper than there are descriptors and than a path may be long. */
static void test_remove_deep(void)
{
	char *dir = make_dir();
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int bad = 0;

	for (int i = 0; i < 3000; i++) {
		int next;

		bad += mkdirat(fd, "deep", 0700) != 0;
		next = openat(fd, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		bad += next < 0;
		close(next);
		next = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		bad += next < 0;
		close(fd);
		fd = next;
	}
	close(fd);
	CU_ASSERT_EQUAL(bad, 0);
	done(dir);
}

static void test_remove_many(void)
{
	char *dir = make_dir(), name[32];
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "file%d", i);
		close(openat(fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	}
	close(fd);
	done(dir);
}

/* In a mount namespace of its own: 0 good, 77 not permitted here. */
static int mounts_child(const char *dir)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", in(dir, "t/tmpfs"), "tmpfs", 0, NULL) ||
	    mount(in(dir, "other"), in(dir, "t/bind"), NULL, MS_BIND, NULL))
		return 77;
	if (file_write_atomic(in(dir, "t/tmpfs/x"), "", 0, NULL))
		return 1;
	if (dir_remove_tree(in(dir, "t/tmpfs"), NULL) != -EXDEV ||
	    !file_exists(in(dir, "t/tmpfs/x")))
		return 2;
	if (dir_remove_tree(in(dir, "t/bind"), NULL) != -EXDEV ||
	    !file_exists(in(dir, "t/bind/keep")))
		return 3;
	if (dir_remove_tree(in(dir, "t"), NULL) != -EXDEV || !file_exists(in(dir, "t/tmpfs/x")))
		return 4;
	return file_exists(in(dir, "other/keep")) ? 0 : 5;
}

static void test_remove_mounts(void)
{
	char *dir = make_dir();
	int status = -1;
	pid_t pid;

	CU_ASSERT_EQUAL(dir_make(in(dir, "t/tmpfs"), 0755, NULL), 0);
	CU_ASSERT_EQUAL(dir_make(in(dir, "t/bind"), 0755, NULL), 0);
	CU_ASSERT_EQUAL(dir_make(in(dir, "other"), 0755, NULL), 0);
	put(in(dir, "other/keep"), "");
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(mounts_child(dir));
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		printf("skipped: cannot mount here; ");
	else
		CU_ASSERT_EQUAL(status, 0);
	done(dir);
}

/* A limit in the middle of the second text takes part of it, as a full disk does. */
static void test_append_synced(void)
{
	const struct rlimit small = { 10, RLIM_INFINITY };
	struct rlimit old;
	char *dir = make_dir(), text[32] = "";
	int fd = open(in(dir, "f"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	size_t got;

	CU_ASSERT_EQUAL(file_append_synced(fd, "first\n", 6), 0);
	CU_ASSERT_FATAL(getrlimit(RLIMIT_FSIZE, &old) == 0 && setrlimit(RLIMIT_FSIZE, &small) == 0);
	signal(SIGXFSZ, SIG_IGN);
	CU_ASSERT_EQUAL(file_append_synced(fd, "second\n", 7), -EFBIG);
	signal(SIGXFSZ, SIG_DFL);
	CU_ASSERT_FATAL(setrlimit(RLIMIT_FSIZE, &old) == 0);
	CU_ASSERT_EQUAL(file_append_synced(fd, "third\n", 6), 0);
	lseek(fd, 0, SEEK_SET);
	CU_ASSERT_EQUAL(file_read_all(fd, text, sizeof(text) - 1, &got), 0);
	CU_ASSERT_STRING_EQUAL(text, "first\nthird\n");
	close(fd);
	done(dir);
}

static void test_write_all(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char buf[8];
	size_t got;

	CU_ASSERT_EQUAL(file_write_all(fd, "x", 1), -ENOSPC);
	CU_ASSERT_EQUAL(file_write_all(fd, NULL, 0), 0);
	close(fd);
	CU_ASSERT_EQUAL(file_write_all(-1, "x", 1), -EBADF);
	CU_ASSERT_EQUAL(file_read_all(-1, buf, 8, &got), -EBADF);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(file_read_all(fd, buf, 8, &got), 0);
	CU_ASSERT_EQUAL(got, 0);
	close(fd);
}

void test_util_file(void);

void test_util_file(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "read", test_read },
		{ "read sizes", test_read_sizes },
		{ "read proc", test_read_proc },
		{ "read line", test_read_line },
		{ "write value", test_write_value },
		{ "write atomic", test_write_atomic },
		{ "write atomic here", test_write_atomic_here },
		{ "dir make", test_dir_make },
		{ "dir each", test_dir_each },
		{ "remove: symbolic links", test_remove_symlinks },
		{ "remove: refused", test_remove_refused },
		{ "remove: deep", test_remove_deep },
		{ "remove: many", test_remove_many },
		{ "remove: mounts", test_remove_mounts },
		{ "write all", test_write_all },
		{ "append, whole or not at all", test_append_synced },
	};
	CU_pSuite suite = CU_add_suite("util file", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
