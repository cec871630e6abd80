/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugins/setup/sysfs: order of writes, refusals and putting back, on files that behave as a
 * queue of Linux 6.18.
 */
#define FSTRIAL_STATIC sysfs

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/fake_host.h"

/* ---- the queue ------------------------------------------------------------------------------- */

enum {
	SCHEDULER,
	NR_REQUESTS,
	MAX_SECTORS,
	ROTATIONAL,
	WRITE_CACHE,
	WBT,
	READ_AHEAD,
	DISCARD,
	GRAIN,
	TAGS,
	SEQ,
	N_FILES
};

static const struct {
	const char *name, *value;
} queue_start[N_FILES] = {
	{ "queue/scheduler", "none" },
	{ "queue/nr_requests", "128" },
	{ "queue/max_sectors_kb", "1280" },
	{ "queue/rotational", "1" },
	{ "queue/write_cache", "write back" },
	{ "queue/wbt_lat_usec", "2000" },
	{ "queue/read_ahead_kb", "4096" },
	{ "queue/discard_max_bytes", "4294963200" },
	{ "queue/discard_granularity", "4096" },
	{ "mq/0/nr_tags", "128" },
	{ "diskseq", "7" },
};

static const char *const queue_schedulers[] = { "none", "mq-deadline", "kyber", "bfq" };

static struct {
	char dir[64];
	char value[N_FILES][64];
	char log[1024]; /* "scheduler=none " ... */
} queue;

static void queue_file(int i)
{
	char path[128];
	FILE *f;
	size_t k;

	snprintf(path, sizeof(path), "%s/%s", queue.dir, queue_start[i].name);
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	for (k = 0; i == SCHEDULER && k < 4; k++) {
		bool in = strcmp(queue_schedulers[k], queue.value[i]) == 0;

		fprintf(f, in ? "[%s] " : "%s ", queue_schedulers[k]);
	}
	fprintf(f, "%s\n", i == SCHEDULER ? "" : queue.value[i]);
	fclose(f);
}

static void queue_set(int i, const char *value)
{
	snprintf(queue.value[i], sizeof(queue.value[i]), "%s", value);
	queue_file(i);
}

static void queue_make(void)
{
	static const char *const dirs[] = { "", "/queue", "/mq", "/mq/0" };
	char path[96];
	int i;

	snprintf(queue.dir, sizeof(queue.dir), "/tmp/fstrial-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(queue.dir));
	for (i = 1; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", queue.dir, dirs[i]);
		CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	}
	for (i = 0; i < N_FILES; i++)
		queue_set(i, queue_start[i].value);
	queue.log[0] = '\0';
}

static void queue_remove(void)
{
	static const char *const dirs[] = { "/mq/0", "/mq", "/queue", "" };
	char path[128];
	int i;

	for (i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", queue.dir, queue_start[i].name);
		unlink(path);
	}
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", queue.dir, dirs[i]);
		rmdir(path);
	}
}

static int queue_scheduler(const char *value)
{
	size_t k;

	if (strcmp(value, "deadline") == 0)
		value = "mq-deadline";
	for (k = 0; k < 4; k++)
		if (strcmp(queue_schedulers[k], value) == 0)
			break;
	if (k == 4)
		return EINVAL;
	if (strcmp(queue.value[SCHEDULER], value) != 0)
		queue_set(NR_REQUESTS, k ? "256" : "128");
	queue_set(SCHEDULER, value);
	return 0;
}

static int queue_number(int i, const char *value)
{
	long v = strtol(value, NULL, 10);
	char text[32];

	if (i == NR_REQUESTS && v > (strcmp(queue.value[SCHEDULER], "none") == 0 ? 128 : 2048))
		return EINVAL;
	if (i == DISCARD && v % 4096)
		return EINVAL;
	if (i == NR_REQUESTS && v < 4)
		v = 4;
	if (i == MAX_SECTORS && (v > 1280 || v == 0))
		v = 1280;
	if (i == READ_AHEAD)
		v -= v % 4;
	if (i == WBT && v == -1)
		v = 75000;
	snprintf(text, sizeof(text), "%ld", v);
	queue_set(i, text);
	return 0;
}

static ssize_t queue_write(int fd, const void *buf, size_t len)
{
	char link[64], path[128] = "", value[64];
	int i, err;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		return -1;
	for (i = 0; i < N_FILES; i++)
		if (strcmp(path + strlen(queue.dir) + 1, queue_start[i].name) == 0)
			break;
	if (i == N_FILES)
		return write(fd, buf, len);
	snprintf(value, sizeof(value), "%.*s", (int)len, (const char *)buf);
	snprintf(queue.log + strlen(queue.log), sizeof(queue.log) - strlen(queue.log), "%s=%s ",
		 strrchr(path, '/') + 1, value);
	if (i == SCHEDULER)
		err = queue_scheduler(value);
	else if (i == WRITE_CACHE)
		err = (queue_set(i, value), 0);
	else
		err = queue_number(i, value);
	if (!err && (i == MAX_SECTORS || i == ROTATIONAL || i == WRITE_CACHE || i == DISCARD))
		queue_set(READ_AHEAD, "128");
	for (i = 0; i < N_FILES; i++)
		queue_file(i);
	errno = err;
	return err ? -1 : (ssize_t)len;
}

#define write queue_write
#include "plugins/setup/sysfs.c"
#undef write

void test_plugin_sysfs(void);

/* ---- tests ----------------------------------------------------------------------------------- */

static void queue_expect(const char *what, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		fprintf(stderr, "%s\n  got  %s\n  want %s\n", what, got ? got : "(none)",
			want ? want : "(none)");
	CU_ASSERT_TRUE(same);
}

static struct fake_host *queue_host(const char *params)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_sysfs);

	fake_host_params(h, params);
	queue_make();
	h->ctx.sysfs = queue.dir;
	return h;
}

static void queue_end(struct fake_host *h)
{
	queue_remove();
	fake_host_free(h);
}

/* Is everything as at the start? */
static bool queue_is_back(void)
{
	int i;

	for (i = 0; i < N_FILES; i++)
		if (strcmp(queue.value[i], queue_start[i].value) != 0) {
			fprintf(stderr, "%s is %s\n", queue_start[i].name, queue.value[i]);
			return false;
		}
	return true;
}

static void test_sysfs_check(void)
{
	static const struct {
		const char *name, *value, *error;
	} rows[] = {
		{ "scheduler", " , ", "scheduler: no name is given" },
		{ "discard_max_bytes", "0",
		  "discard_max_bytes = 0: after it the kernel refuses every other "
		  "value, so it could not be put back" },
		{ "set", "queue/discard_max_bytes=00",
		  "discard_max_bytes = 0: after it the kernel refuses "
		  "every other value, so it could not be put back" },
		{ "set", "queue/nr_requests",
		  "set: \"queue/nr_requests\" is not \"queue/NAME = VALUE\"" },
		{ "set", "queue/nr_requests = ",
		  "set: \"queue/nr_requests = \" is not \"queue/NAME = VALUE\"" },
		{ "set", "queue/../ro = 1",
		  "set: \"queue/../ro = 1\": only names under queue/ and device/" },
		{ "set", "ro = 1", "set: \"ro = 1\": only names under queue/ and device/" },
		{ "set", "queue/ = 1", "set: \"queue/ = 1\": only names under queue/ and device/" },
		{ "set", "/queue/x = 1",
		  "set: \"/queue/x = 1\": only names under queue/ and device/" },
	};
	struct fake_host *h;
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		h = fake_host_new(&fstrial_plugin_sysfs);
		fake_host_param(h, rows[i].name, rows[i].value);
		CU_ASSERT_EQUAL(sysfs_check(&h->ctx), -EINVAL);
		queue_expect(rows[i].value, h->error, rows[i].error);
		fake_host_free(h);
	}
	h = fake_host_new(&fstrial_plugin_sysfs);
	fake_host_params(h, "nr_requests=64;set=queue/nr_requests = 32");
	CU_ASSERT_EQUAL(sysfs_check(&h->ctx), -EINVAL);
	queue_expect("twice", h->error, "queue/nr_requests is set twice");
	fake_host_free(h);
}

static void test_sysfs_order(void)
{
	struct fake_host *h = queue_host(
		"read_ahead_kb=8192;rotational=false;set=queue/nr_requests = 512;"
		"wbt_lat_usec=0;max_sectors_kb=512;write_cache=write through;"
		"scheduler=mq-deadline");

	CU_ASSERT_EQUAL(sysfs_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
	queue_expect("order", queue.log,
		     "scheduler=mq-deadline nr_requests=512 max_sectors_kb=512 write_cache=write "
		     "through rotational=0 wbt_lat_usec=0 read_ahead_kb=8192 ");
	queue_expect("saved", fake_host_find(&h->saves, "queue/read_ahead_kb"), "4096");
	queue_expect("saved", fake_host_find(&h->saves, "sysfs"), queue.dir);
	queue_expect("saved", fake_host_find(&h->saves, "diskseq"), "7");
	queue.log[0] = '\0';
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_TRUE(queue_is_back());
	queue_expect("order back", queue.log,
		     "scheduler=none write_cache=write back rotational=1 max_sectors_kb=1280 "
		     "wbt_lat_usec=2000 read_ahead_kb=4096 ");
	queue.log[0] = '\0';
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	queue_expect("second time", queue.log, "");
	queue_end(h);
}

static void test_sysfs_side_effects(void)
{
	static const char *const params[] = {
		"scheduler=bfq",
		"max_sectors_kb=128",
		"rotational=false",
		"write_cache=write through",
		"scheduler=none;nr_requests=2",
		"wbt_lat_usec=-1",
		"read_ahead_kb=0",
	};
	size_t i;

	for (i = 0; i < FST_COUNT(params); i++) {
		struct fake_host *h = queue_host(params[i]);

		CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_TRUE(queue_is_back());
		queue_end(h);
	}
}

static void test_sysfs_refused(void)
{
	static const struct {
		const char *params, *error;
	} rows[] = {
		{ "scheduler=cfq, noop",
		  "scheduler = cfq, noop: the kernel offers none, mq-deadline, kyber, bfq "
		  "for %s" },
		{ "scheduler=none;nr_requests=512",
		  "nr_requests = 512: with scheduler none the limit is the hardware queue's 128 "
		  "tags (mq/0/nr_tags); under mq-deadline it may be larger" },
		{ "scheduler=mq-deadline;nr_requests=4096",
		  "nr_requests = 4096: more than the kernel allows under scheduler mq-deadline "
		  "(2048 as a rule)" },
		{ "discard_max_bytes=1000b",
		  "queue/discard_max_bytes = 1000: the kernel refuses this value for "
		  "%s; it stays 4294963200" },
		{ "set=queue/nr_request=5",
		  "queue/nr_request = 5: %s has no queue/nr_request (is nr_requests "
		  "meant?)" },
		{ "read_ahead_kb=127", "read_ahead_kb: 130048 bytes are no whole number of "
				       "4096-byte pages: the kernel would round down to "
				       "126976" },
		{ "read_ahead_kb=2097152", "read_ahead_kb: 2147483648 bytes are more than 1GiB: "
					   "one read would fill the memory; is a unit wrong?" },
		{ "set=queue/read_ahead_kb = -4",
		  "read_ahead_kb = -4: no whole number of KiB, 0 or more" },
		{ "queue_depth=4", "device/queue_depth = 4: %s has no device/queue_depth" },
	};
	char want[256];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = queue_host(rows[i].params);
		const char *at = strstr(rows[i].error, "%s");

		if (at)
			snprintf(want, sizeof(want), "%.*s%s%s", (int)(at - rows[i].error),
				 rows[i].error, strrchr(queue.dir, '/') + 1, at + 2);
		else
			snprintf(want, sizeof(want), "%s", rows[i].error);
		CU_ASSERT_TRUE(sysfs_apply(&h->ctx) < 0);
		queue_expect(rows[i].params, h->error, want);
		CU_ASSERT_EQUAL(fake_host_revert(h), 0);
		CU_ASSERT_TRUE(queue_is_back());
		queue_end(h);
	}
}

/* Nothing is written when one of the names does not exist, or when nothing could be kept. */
static void test_sysfs_nothing_written(void)
{
	struct fake_host *h = queue_host("scheduler=bfq;set=queue/foo=1");

	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), -ENOENT);
	queue_expect("log", queue.log, "");
	queue_end(h);
	h = queue_host("scheduler=bfq");
	h->save_fails = ENOSPC;
	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), -ENOSPC);
	queue_expect("log", queue.log, "");
	queue_end(h);
}

static void test_sysfs_readback(void)
{
	static const struct {
		const char *params, *key, *asked, *in_force;
	} rows[] = {
		{ "scheduler=deadline, mq-deadline", "queue/scheduler", "mq-deadline",
		  "mq-deadline" },
		{ "scheduler=cfq,bfq", "queue/scheduler", "bfq", "bfq" },
		{ "nr_requests=2", "queue/nr_requests", "2", "4" },
		{ "max_sectors_kb=99999999", "queue/max_sectors_kb", "99999999", "1280" },
		{ "max_sectors_kb=0", "queue/max_sectors_kb", "1280", "1280" },
		{ "wbt_lat_usec=-1", "queue/wbt_lat_usec", "75000", "75000" },
		{ "write_cache=write through", "queue/write_cache", "write through",
		  "write through" },
		{ "discard_max_bytes=1MiB", "queue/discard_max_bytes", "1048576", "1048576" },
		{ "scheduler=kyber", "queue/nr_requests", NULL, "256" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = queue_host(rows[i].params);

		CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
		queue_expect(rows[i].params, fake_host_find(&h->asked, rows[i].key), rows[i].asked);
		fake_host_next_process(h);
		CU_ASSERT_EQUAL(sysfs_readback(&h->ctx), 0);
		queue_expect(rows[i].params, fake_host_find(&h->in_force, rows[i].key),
			     rows[i].in_force);
		queue_end(h);
	}
}

/* A limit that the kernel shows but does not take is left alone, with all else. */
static void test_sysfs_discard(void)
{
	struct fake_host *h = queue_host("discard_max_bytes=1MiB");

	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
	queue_expect("discard", queue.value[DISCARD], "1048576");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_TRUE(queue_is_back());
	queue.log[0] = '\0';
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	queue_expect("second time", queue.log, "");
	queue_end(h);

	h = queue_host("scheduler=bfq;set=queue/discard_max_bytes=1048576");
	queue_set(DISCARD, "4294966784");
	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), -EINVAL);
	queue_expect("error", h->error,
		     "discard_max_bytes is 4294966784, no multiple of discard_granularity, 4096: "
		     "the kernel shows it "
		     "but does not take it, so it could not be put back");
	queue_expect("log", queue.log, "");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	queue_expect("log", queue.log, "");
	queue_end(h);
}

/* Another disk under the same name, or none: nothing is touched. */
static void test_sysfs_other_disk(void)
{
	struct fake_host *h = queue_host("scheduler=bfq");

	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
	queue_set(SEQ, "8");
	queue.log[0] = '\0';
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	queue_expect("other disk", queue.log, "");
	queue_remove();
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_PTR_NULL(h->error);
	fake_host_free(h);
}

static void test_sysfs_cannot_restore(void)
{
	struct fake_host *h = queue_host("scheduler=bfq;nr_requests=64");
	char want[160];
	size_t i;

	CU_ASSERT_EQUAL(sysfs_apply(&h->ctx), 0);
	for (i = 0; i < h->saves.n; i++)
		if (strcmp(h->saves.v[i].key, "queue/scheduler") == 0)
			snprintf(h->saves.v[i].value, strlen(h->saves.v[i].value) + 1, "cfq");
	CU_ASSERT_EQUAL(fake_host_revert(h), -EINVAL);
	snprintf(want, sizeof(want),
		 "queue/scheduler is bfq but was cfq; to put it back: echo 'cfq' > "
		 "%s/queue/scheduler",
		 queue.dir);
	queue_expect("error", h->error, want);
	queue_expect("the others", queue.value[NR_REQUESTS], "128");
	queue_end(h);
}

void test_plugin_sysfs(void)
{
	CU_pSuite s = CU_add_suite("plugin sysfs", NULL, NULL);

	CU_add_test(s, "parameters that do not fit", test_sysfs_check);
	CU_add_test(s, "order of writes", test_sysfs_order);
	CU_add_test(s, "side effects are put back", test_sysfs_side_effects);
	CU_add_test(s, "refusals", test_sysfs_refused);
	CU_add_test(s, "all or nothing", test_sysfs_nothing_written);
	CU_add_test(s, "readback", test_sysfs_readback);
	CU_add_test(s, "discard limit", test_sysfs_discard);
	CU_add_test(s, "another disk", test_sysfs_other_disk);
	CU_add_test(s, "cannot be put back", test_sysfs_cannot_restore);
}
