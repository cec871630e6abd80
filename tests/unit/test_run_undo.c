/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The undo journal: written, read back, cut off, held. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "core/run/undo.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

void test_run_undo(void);

/* The journals of root are the machine's: the test uses its own session names and removes them. */
static char *session(void)
{
	static unsigned n;

	return xasprintf("test-%d-%u", (int)getpid(), n++);
}

static void begin(struct undo *u)
{
	_cleanup_free_ char *name = session();
	struct err e = { 0 };

	CU_ASSERT_FATAL(undo_open(name, "out", u, &e) == 0);
}

static void test_write_and_read(void)
{
	struct undo u;
	struct undo_log log;
	struct err e = { 0 };
	uint32_t a, b;

	begin(&u);
	CU_ASSERT(undo_step(&u, "setup", "sysfs", "/x/sysfs.so", "knobs", &a, &e) == 0);
	CU_ASSERT(undo_save(&u, a, "queue/scheduler", "none", &e) == 0);
	CU_ASSERT(undo_save(&u, a, "queue/nr_requests", "a \"quoted\" \\ value", &e) == 0);
	CU_ASSERT(undo_step(&u, "setup", "mount", "/x/mount.so", "mount", &b, &e) == 0);
	CU_ASSERT(undo_save(&u, b, "mountpoint", "/run/x", &e) == 0);
	CU_ASSERT(undo_read(&u, a, &log, &e) == 0);
	CU_ASSERT_FATAL(log.n == 1 && log.v[0].n_facts == 2);
	CU_ASSERT_STRING_EQUAL(log.v[0].facts[0].key, "queue/scheduler");
	CU_ASSERT_STRING_EQUAL(log.v[0].facts[1].value, "a \"quoted\" \\ value");
	undo_log_release(&log);
	CU_ASSERT(undo_done(&u, b, &e) == 0);
	CU_ASSERT(undo_read(&u, 0, &log, &e) == 0);
	CU_ASSERT_FATAL(log.n == 2);
	CU_ASSERT(!log.v[0].undone && log.v[1].undone);
	undo_log_release(&log);
	undo_close(&u);
}

/* A child's facts are in the file even when the child dies at once after saving. */
static void test_child_saves(void)
{
	struct undo u;
	struct undo_log log;
	struct err e = { 0 };
	uint32_t id;
	pid_t pid;

	begin(&u);
	CU_ASSERT(undo_step(&u, "setup", "p", "", "p", &id, &e) == 0);
	pid = fork();
	if (pid == 0)
		_exit(undo_save(&u, id, "k", "v", NULL) < 0);
	waitpid(pid, NULL, 0);
	CU_ASSERT(undo_read(&u, id, &log, &e) == 0);
	CU_ASSERT(log.n == 1 && log.v[0].n_facts == 1);
	undo_log_release(&log);
	undo_close(&u);
}

static void test_rewind(void)
{
	struct undo u;
	struct undo_log log;
	struct err e = { 0 };
	uint32_t id;
	off_t mark, full;

	begin(&u);
	mark = undo_mark(&u);
	CU_ASSERT(undo_step(&u, "setup", "p", "", "p", &id, &e) == 0);
	full = undo_mark(&u);
	CU_ASSERT(full > mark);
	undo_rewind(&u, mark);
	CU_ASSERT(undo_mark(&u) == mark);
	CU_ASSERT(undo_step(&u, "setup", "q", "", "q", &id, &e) == 0);
	CU_ASSERT(undo_read(&u, 0, &log, &e) == 0);
	CU_ASSERT_FATAL(log.n == 1);
	CU_ASSERT_STRING_EQUAL(log.v[0].plugin, "q");
	undo_log_release(&log);
	undo_close(&u);
}

/* While the session lives its journal is refused; afterwards a cut-off last line is left out. */
static void test_load(void)
{
	struct undo u;
	struct undo_log log;
	struct err e = { 0 };
	_cleanup_free_ char *path = NULL;
	uint32_t id;
	int lock;

	begin(&u);
	path = xstrdup(u.path);
	CU_ASSERT(undo_step(&u, "setup", "p", "f", "p", &id, &e) == 0);
	CU_ASSERT(undo_load(path, &log, &lock, &e) == -EWOULDBLOCK);
	undo_log_release(&log);
	CU_ASSERT(file_write_all(u.fd, "{\"save\":1,\"ke", 13) == 0);
	undo_abandon(&u);
	err_clear(&e);
	CU_ASSERT(undo_load(path, &log, &lock, &e) == 0);
	CU_ASSERT(log.n == 1 && log.v[0].n_facts == 0 && log.pid == getpid());
	CU_ASSERT(str_starts(log.session, "test-"));
	undo_log_release(&log);
	close(lock);
	unlink(path);
}

static void test_damaged(void)
{
	struct undo u;
	struct undo_log log;
	struct err e = { 0 };
	_cleanup_free_ char *path = NULL;
	int lock;

	begin(&u);
	path = xstrdup(u.path);
	CU_ASSERT(file_write_all(u.fd, "rubbish\n", 8) == 0);
	undo_abandon(&u);
	CU_ASSERT(undo_load(path, &log, &lock, &e) == -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, ".undo:2 is damaged"));
	undo_log_release(&log);
	close(lock);
	unlink(path);
}

void test_run_undo(void)
{
	CU_pSuite s = CU_add_suite("run/undo", NULL, NULL);

	CU_ADD_TEST(s, test_write_and_read);
	CU_ADD_TEST(s, test_child_saves);
	CU_ADD_TEST(s, test_rewind);
	CU_ADD_TEST(s, test_load);
	CU_ADD_TEST(s, test_damaged);
}
