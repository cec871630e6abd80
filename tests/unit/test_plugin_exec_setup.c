/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/exec: what is run and how, the way back from facts alone, servers in the background. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC exec_setup
#include "plugins/setup/exec.c"
#include "tests/unit/fake_host.h"

void test_plugin_exec_setup(void);

static struct fake_host *setup_new(const char *const *argv)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_exec_setup);

	for (; *argv; argv++)
		fake_host_param(h, "argv", *argv);
	return h;
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_check(void)
{
	static const struct {
		const char *params, *error; /* NULL: good */
	} rows[] = {
		{ "argv=true", NULL },
		{ "argv=echo;argv=50%;argv=%{dir}/x;argv=%%{dir}", NULL },
		{ "argv=mkdir -p a", "one word with blanks" },
		{ "argv=", "no program is named" },
		{ "argv=echo;argv=%{dri}", "unknown place" },
		{ "argv=echo;argv=%{dir", "unknown place" },
		{ "argv=true;cwd=%{home}", "cwd: \"%{home}\": unknown place" },
		{ "argv=true;env=A=1;env=B=", NULL },
		{ "argv=true;env=A", "env: \"A\" is not of the form" },
		{ "argv=true;exit_status=0;exit_status=255", NULL },
		{ "argv=true;exit_status=256", "no number from 0 to 255" },
		{ "argv=true;exit_status=x", "no number from 0 to 255" },
		{ "argv=true;undo=rm -r x", "undo = \"rm -r x\" is one word" },
		{ "argv=true;ready=true", "ready is for background = true" },
		{ "argv=true;stop_timeout=1s", "stop_timeout is for background = true" },
		{ "argv=true;background=true;ready=true;log=x", NULL },
		{ "argv=true;until_reboot=true", "until_reboot says something of undo" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = fake_host_new(&fstrial_plugin_exec_setup);
		int r;

		fake_host_params(h, rows[i].params);
		r = exec_setup_check(&h->ctx);
		CU_ASSERT(rows[i].error ? r == -EINVAL && h->error && strstr(h->error, rows[i].error) : r == 0);
		fake_host_free(h);
	}
}

static void test_places(void)
{
	static const struct {
		const char *text, *want; /* NULL: a failure */
	} rows[] = {
		{ "", "" },
		{ "plain 5 %", "plain 5 %" },
		{ "%{dir}", "/d" },
		{ "a%{device}b%{size}%{seed}", "a/dev/x" "b4096" "77" },
		{ "%%{dir}%{dir}", "%{dir}/d" },
		{ "100%%{x}", "100%{x}" },
		{ "<%{devices}>", "</dev/x /dev/y>" },
		{ "%{sysfs}", NULL },
	};
	static const char *const devices[] = { "/dev/x", "/dev/y" };
	struct fake_host *h = setup_new(ARGV("true"));
	size_t i;

	h->ctx.dir = "/d";
	h->ctx.device = "/dev/x";
	h->ctx.devices = devices;
	h->ctx.n_devices = 2;
	h->ctx.seed = UINT64_C(77) << 33 | 5;
	fake_host_fact(h, "target.size", "4096");
	for (i = 0; i < FST_COUNT(rows); i++) {
		char *out = exec_places_fill(&h->ctx, "argv", rows[i].text);

		CU_ASSERT(rows[i].want ? out && strcmp(out, rows[i].want) == 0 : !out);
		free(out);
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(h->error);
	CU_ASSERT_STRING_EQUAL(h->error, "argv: \"%{sysfs}\": the target is a directory");
	fake_host_free(h);
}

/* What is to be run at the end is kept before anything is done, and runs from that alone. */
static void test_undo(void)
{
	struct fake_host *h = setup_new(ARGV("touch", "%{dir}/x"));

	h->ctx.dir = "/d";
	fake_host_param(h, "undo", "rm");
	fake_host_param(h, "undo", "%{dir}/x");
	fake_host_param(h, "undo", "line\nbreak\\");
	fake_host_param(h, "env", "A=%{dir}");
	CU_ASSERT_EQUAL(exec_apply(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(h->commands.v[0].value, "touch /d/x");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->saves, EXEC_FACT_ARGV), "rm");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->saves, EXEC_FACT_CWD), "/d");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 1);
	CU_ASSERT_STRING_EQUAL(h->commands.v[0].value, "rm /d/x line\nbreak\\");
	fake_host_next_process(h);
	fake_host_command(h, 3, "", "rm: cannot remove\n");
	CU_ASSERT(fake_host_revert(h) == 0); /* forgets the answer, as a new process */
	fake_host_free(h);
}

static void test_undo_fails(void)
{
	struct fake_host *h = setup_new(ARGV("touch", "x"));

	fake_host_param(h, "undo", "rm");
	CU_ASSERT_EQUAL(exec_apply(&h->ctx), 0);
	fake_host_next_process(h);
	fake_host_command(h, 3, "", "going\nrm: cannot remove\n");
	CU_ASSERT_EQUAL(exec_undo_run(&h->ctx), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h->error, "rm: exit status 3: rm: cannot remove");
	fake_host_free(h);
}

/* No undo without its facts, and nothing is done when they cannot be kept. */
static void test_facts_first(void)
{
	struct fake_host *h = setup_new(ARGV("touch", "x"));

	fake_host_param(h, "undo", "rm");
	h->save_fails = ENOSPC;
	CU_ASSERT_EQUAL(exec_apply(&h->ctx), -ENOSPC);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	h->save_fails = 0;
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	fake_host_free(h);
}

static void test_until_reboot(void)
{
	struct fake_host *h = setup_new(ARGV("true"));
	size_t i;

	fake_host_param(h, "undo", "false");
	fake_host_param(h, "until_reboot", "true");
	CU_ASSERT_EQUAL(exec_apply(&h->ctx), 0);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 1);
	for (i = 0; i < h->saves.n; i++)
		if (strcmp(h->saves.v[i].key, EXEC_FACT_BOOT) == 0)
			h->saves.v[i].value[0] = 'z'; /* of another boot */
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	fake_host_free(h);
}

static void test_failure(void)
{
	static const struct {
		int status;
		const char *out, *err, *allowed, *want; /* NULL: no failure */
	} rows[] = {
		{ 0, "", "", NULL, NULL },
		{ 2, "", "", "2", NULL },
		{ 0, "", "", "2", "x: exit status 0: it said nothing" },
		{ 1, "a\nb\n", "", NULL, "x: exit status 1: b" },
		{ 1, "a\n", "warning: error ahead\n\n  e: cannot y  \nUsage:\n", NULL, "x: exit status 1: e: cannot y" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = setup_new(ARGV("/bin/x"));
		int r;

		if (rows[i].allowed)
			fake_host_param(h, "exit_status", rows[i].allowed);
		fake_host_command(h, rows[i].status, rows[i].out, rows[i].err);
		r = exec_apply(&h->ctx);
		CU_ASSERT_EQUAL(r, rows[i].want ? -EINVAL : 0);
		CU_ASSERT(!rows[i].want || (h->error && strcmp(h->error, rows[i].want) == 0));
		fake_host_free(h);
	}
}

/* ---- servers --------------------------------------------------------------------------------- */

static struct fake_host *server_new(const char *shell)
{
	struct fake_host *h = setup_new(ARGV("sh", "-c", shell));

	fake_host_param(h, "background", "true");
	return h;
}

static void test_server(void)
{
	struct fake_host *h = server_new("exec sleep 1000");
	pid_t pid;

	fake_host_param(h, "ready", "probe");
	fake_host_command(h, 1, "", "");
	fake_host_command(h, 0, "", "");
	CU_ASSERT_EQUAL_FATAL(exec_apply(&h->ctx), 0);
	CU_ASSERT_EQUAL(h->commands.n, 2);
	pid = (pid_t)h->kept;
	CU_ASSERT_FATAL(pid > 1 && getsid(pid) == pid);
	CU_ASSERT(exec_start_time(pid) > 0);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL_FATAL(h->commands.n, 1);
	CU_ASSERT(strncmp(h->commands.v[0].value, "cat /proc/", 10) == 0);
	CU_ASSERT_EQUAL(exec_start_time(pid), 0);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 0);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
}

/* Who has the number now is somebody else. */
static void test_server_other(void)
{
	struct fake_host *h = server_new("exec sleep 1000");
	pid_t pid;
	size_t i;

	CU_ASSERT_EQUAL_FATAL(exec_apply(&h->ctx), 0);
	pid = (pid_t)h->kept;
	for (i = 0; i < h->saves.n; i++)
		if (strcmp(h->saves.v[i].key, EXEC_FACT_SERVER) == 0) {
			char *start = strchr(h->saves.v[i].value, ' ');

			start[1] = start[1] == '9' ? '8' : '9';
		}
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_FATAL(exec_start_time(pid) > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fake_host_free(h);
}

static void test_server_deaf(void)
{
	struct fake_host *h = server_new("trap '' TERM; echo x >&2; while :; do sleep 1; done");
	pid_t pid;

	fake_host_param(h, "stop_timeout", "50ms");
	CU_ASSERT_EQUAL_FATAL(exec_apply(&h->ctx), 0);
	pid = (pid_t)h->kept;
	while (exec_start_time(pid)) { /* until it is deaf, or was not yet when it was asked */
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
	fake_host_free(h);
}

static void test_server_fails(void)
{
	static const struct {
		const char *shell, *want;
	} rows[] = {
		{ "echo starting; echo 'fatal: no port' >&2; exit 7", "sh ended with status 7: fatal: no port" },
		{ "kill -USR1 $$", "sh was ended by signal 10: it said nothing" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = server_new(rows[i].shell);
		size_t k;

		fake_host_param(h, "ready", "probe");
		for (k = 0; k < FAKE_MAX_COMMANDS; k++)
			fake_host_command(h, 1, "", "");
		CU_ASSERT_EQUAL(exec_apply(&h->ctx), -EINVAL);
		CU_ASSERT_STRING_EQUAL(h->error, rows[i].want);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		fake_host_free(h);
	}
}

static void test_server_missing(void)
{
	struct fake_host *h = setup_new(ARGV("no-such-program-here"));

	fake_host_param(h, "background", "true");
	CU_ASSERT_EQUAL(exec_apply(&h->ctx), -ENOENT);
	CU_ASSERT_STRING_EQUAL(h->error, "no-such-program-here: cannot be started in /");
	fake_host_free(h);
}

void test_plugin_exec_setup(void)
{
	CU_pSuite s = CU_add_suite("plugin exec (setup)", NULL, NULL);

	CU_add_test(s, "check", test_check);
	CU_add_test(s, "places", test_places);
	CU_add_test(s, "undo", test_undo);
	CU_add_test(s, "undo fails", test_undo_fails);
	CU_add_test(s, "facts first", test_facts_first);
	CU_add_test(s, "until reboot", test_until_reboot);
	CU_add_test(s, "failure", test_failure);
	CU_add_test(s, "server", test_server);
	CU_add_test(s, "not the server any more", test_server_other);
	CU_add_test(s, "server that does not listen", test_server_deaf);
	CU_add_test(s, "server that fails", test_server_fails);
	CU_add_test(s, "server that is not there", test_server_missing);
}
