/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step process from inside, and its account of itself, which its parent reads. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/run/signals.h"
#include "core/run/stepproc_private.h"
#include "core/util/file.h"
#include "core/util/json.h"

/* What is done at exit is not done by a child that leaves by _exit: coverage counts, the search for leaks. */
extern void __gcov_dump(void) __attribute__((weak));
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

void stepproc_child(const struct stepproc *sp, int out, pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };
	json_t *doc = js_object(), *record = js_object();
	struct err e = { 0 };
	char *text;
	int r, null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signals_child();
	setrlimit(RLIMIT_CORE, &no_core);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	r = sp->fn(sp->arg, record, &e);
	js_set(doc, "result", json_integer(r));
	js_set(doc, "code", json_integer(e.code));
	js_set(doc, "text", js_str(e.text));
	js_set(doc, "record", record);
	text = js_dump(doc);
	r = file_write_all(out, text, strlen(text) + 1);
	json_decref(doc);
	free(text);
	if (__lsan_do_recoverable_leak_check)
		__lsan_do_recoverable_leak_check();
	if (__gcov_dump)
		__gcov_dump();
	_exit(r < 0 ? 1 : 0);
}

bool stepproc_account(struct stepproc_result *res, const struct strbuf *out)
{
	json_t *doc = out->len ? js_parse(out->buf, strlen(out->buf), "step", NULL) : NULL;
	json_t *record;
	int code;

	if (!doc)
		return false;
	res->result = (int)json_integer_value(json_object_get(doc, "result"));
	code = (int)json_integer_value(json_object_get(doc, "code"));
	if (res->result < 0)
		err_set(&res->err, code ? code : -res->result, "%s", js_get_str(doc, "text", ""));
	record = json_object_get(doc, "record");
	if (record) {
		json_decref(res->record);
		res->record = json_incref(record);
	}
	json_decref(doc);
	return true;
}
