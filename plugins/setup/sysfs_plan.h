/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysfs: the parameters, and the plan of writes that they make. */
#pragma once

#include <ctype.h>
#include <inttypes.h>

#include <fstrial/plugin.h>

#include "readahead_size.h"
#include "sysfs_value.h"

#define SYSFS_MAX_SETTINGS 48
#define SYSFS_NAME_MAX 96
#define SYSFS_SCHEDULER "queue/scheduler"
#define SYSFS_READAHEAD "queue/read_ahead_kb"
#define SYSFS_DISCARD "queue/discard_max_bytes"

enum sysfs_cache {
	SYSFS_WRITE_BACK = 1,
	SYSFS_WRITE_THROUGH = 2,
};

struct sysfs_cfg {
	const char *scheduler;
	uint64_t nr_requests;
	uint64_t max_sectors_kb;
	uint64_t read_ahead_kb;
	uint64_t nomerges;
	uint64_t rq_affinity;
	uint64_t queue_depth;
	uint64_t discard_max_bytes;
	int64_t wbt_lat_usec;
	int write_cache;
	bool rotational;
	bool iostats;
	bool add_random;
	struct fst_list set;
};

struct sysfs_setting {
	char name[SYSFS_NAME_MAX]; /* "queue/nr_requests" */
	char value[SYSFS_VALUE_MAX];
};

struct sysfs_state {
	size_t n;
	struct sysfs_setting v[SYSFS_MAX_SETTINGS];
};

static const struct fst_choice sysfs_caches[] = {
	{ "write back", SYSFS_WRITE_BACK, "The device caches writes: the kernel sends flushes." },
	{ "write through", SYSFS_WRITE_THROUGH, "Taken to have no such cache: no flush is sent." },
};

#define SYSFS_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct sysfs_cfg, n)

static const struct fst_param sysfs_params[] = {
	{ SYSFS_PARAM(scheduler, FST_STR), .doc = "I/O scheduler, or several in order of "
						  "preference: \"deadline, mq-deadline\" takes the "
						  "first that the kernel accepts." },
	{ SYSFS_PARAM(nr_requests, FST_U64), .min = "1", .unit = "requests",
	  .doc = "Requests the queue holds; with scheduler none at most the hardware queue's tags, "
		 "and less than 4 becomes 4." },
	{ SYSFS_PARAM(max_sectors_kb, FST_U64), .unit = "KiB",
	  .doc = "Largest request; the kernel clamps it to max_hw_sectors_kb, and 0 stands for its "
		 "default." },
	{ SYSFS_PARAM(read_ahead_kb, FST_U64), .unit = "KiB",
	  .doc = "Readahead, whole memory pages; always written last." },
	{ SYSFS_PARAM(nomerges, FST_U64), .max = "2",
	  .doc = "Merging of requests: 0 all, 1 only simple ones, 2 none." },
	{ SYSFS_PARAM(rq_affinity, FST_U64), .max = "2",
	  .doc = "Where a request completes: 0 anywhere, 1 in the submitter's group of CPUs, 2 on "
		 "its CPU." },
	{ SYSFS_PARAM(queue_depth, FST_U64), .min = "1", .unit = "commands",
	  .doc = "Commands a SCSI device gets at once (device/queue_depth); other devices have "
		 "none." },
	{ SYSFS_PARAM(discard_max_bytes, FST_SIZE),
	  .doc = "Largest discard request; refused where the kernel would not take back the one in "
		 "force, as after 0." },
	{ SYSFS_PARAM(wbt_lat_usec, FST_I64), .min = "-1", .unit = "us",
	  .doc = "Read latency that throttling of background writes aims at: 0 switches it off, -1 "
		 "stands for the kernel's default." },
	{ SYSFS_PARAM(write_cache, FST_ENUM), FST_CHOICES(sysfs_caches),
	  .doc = "What the kernel believes of the device's write cache; the device itself is not "
		 "changed." },
	{ SYSFS_PARAM(rotational, FST_BOOL),
	  .doc = "Whether the kernel takes it for a spinning disk." },
	{ SYSFS_PARAM(iostats, FST_BOOL), .doc = "Whether the kernel counts I/O of this device." },
	{ SYSFS_PARAM(add_random, FST_BOOL),
	  .doc = "Whether its interrupts feed the random pool." },
	{ SYSFS_PARAM(set, FST_LIST),
	  .doc = "Further values as \"queue/NAME = VALUE\" or \"device/NAME = VALUE\", relative to "
		 "/sys/block/DEVICE." },
};

/* The scheduler resets nr_requests, throttling and its own values; limits reset the readahead. */
static int sysfs_rank(const char *name)
{
	if (strcmp(name, SYSFS_SCHEDULER) == 0)
		return 0;
	if (strcmp(name, "queue/nr_requests") == 0)
		return 1;
	if (strcmp(name, "queue/wbt_lat_usec") == 0)
		return 3;
	return strcmp(name, SYSFS_READAHEAD) == 0 ? 4 : 2;
}

static int sysfs_check_readahead(struct fst_ctx *ctx, const char *value)
{
	uint64_t kib;
	char *end;

	errno = 0;
	kib = strtoull(value, &end, 10);
	if (errno || !isdigit((unsigned char)value[0]) || *end || kib > UINT64_MAX / 1024)
		return fst_error(ctx, 0, "read_ahead_kb = %s: no whole number of KiB, 0 or more",
				 value);
	return readahead_size_check(ctx, "read_ahead_kb", kib * 1024);
}

static int sysfs_add(struct fst_ctx *ctx, const char *name, const char *value)
{
	struct sysfs_state *st = ctx->state;
	size_t i;

	for (i = 0; i < st->n; i++)
		if (strcmp(st->v[i].name, name) == 0)
			return fst_error(ctx, 0, "%s is set twice", name);
	if (st->n == SYSFS_MAX_SETTINGS)
		return fst_error(ctx, E2BIG, "set: more than %d values", SYSFS_MAX_SETTINGS);
	if (strlen(name) >= SYSFS_NAME_MAX || strlen(value) >= SYSFS_VALUE_MAX)
		return fst_error(ctx, ENAMETOOLONG, "set: %s = %s", name, value);
	if (strcmp(name, SYSFS_DISCARD) == 0 && strspn(value, "0") == strlen(value))
		return fst_error(ctx, 0,
				 "discard_max_bytes = 0: after it the kernel refuses every "
				 "other value, so it could not be put back");
	if (strcmp(name, SYSFS_SCHEDULER) == 0 && strspn(value, ", \t") == strlen(value))
		return fst_error(ctx, 0, "scheduler: no name is given");
	if (strcmp(name, SYSFS_READAHEAD) == 0 && sysfs_check_readahead(ctx, value) < 0)
		return -EINVAL;
	for (i = st->n++; i > 0 && sysfs_rank(st->v[i - 1].name) > sysfs_rank(name); i--)
		st->v[i] = st->v[i - 1];
	snprintf(st->v[i].name, sizeof(st->v[i].name), "%s", name);
	snprintf(st->v[i].value, sizeof(st->v[i].value), "%s", value);
	return 0;
}

static const char *sysfs_cache_text(int value)
{
	return sysfs_caches[value == SYSFS_WRITE_THROUGH].name;
}

static int sysfs_add_param(struct fst_ctx *ctx, const struct fst_param *p)
{
	const char *at = (const char *)ctx->cfg + p->offset;
	char name[SYSFS_NAME_MAX], value[SYSFS_VALUE_MAX];
	bool scsi = strcmp(p->name, "queue_depth") == 0;

	switch ((enum fst_type)p->type) {
	case FST_STR:
		return sysfs_add(ctx, SYSFS_SCHEDULER, *(const char *const *)(const void *)at);
	case FST_BOOL:
		snprintf(value, sizeof(value), "%d", *(const bool *)at);
		break;
	case FST_ENUM:
		snprintf(value, sizeof(value), "%s",
			 sysfs_cache_text(*(const int *)(const void *)at));
		break;
	case FST_I64:
		snprintf(value, sizeof(value), "%" PRId64, *(const int64_t *)(const void *)at);
		break;
	default:
		snprintf(value, sizeof(value), "%" PRIu64, *(const uint64_t *)(const void *)at);
		break;
	}
	snprintf(name, sizeof(name), "%s/%s", scsi ? "device" : "queue", p->name);
	return sysfs_add(ctx, name, value);
}

/* Copies the text without blanks around it. */
static int sysfs_trim(char *buf, size_t size, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	if ((size_t)(to - from) >= size)
		return -ENAMETOOLONG;
	memcpy(buf, from, (size_t)(to - from));
	buf[to - from] = '\0';
	return 0;
}

/* Nothing but values of the queue and of the device itself. */
static bool sysfs_name_ok(const char *name)
{
	if (strncmp(name, "queue/", 6) != 0 && strncmp(name, "device/", 7) != 0)
		return false;
	if (strstr(name, "..") || strstr(name, "//") || name[strlen(name) - 1] == '/')
		return false;
	return name[strspn(name,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")] ==
	       0;
}

static int sysfs_add_line(struct fst_ctx *ctx, const char *line)
{
	char name[SYSFS_NAME_MAX] = "", value[SYSFS_VALUE_MAX] = "";
	const char *eq = strchr(line, '=');

	if (!eq || sysfs_trim(name, sizeof(name), line, eq) < 0 ||
	    sysfs_trim(value, sizeof(value), eq + 1, line + strlen(line)) < 0 || !value[0])
		return fst_error(ctx, 0, "set: \"%s\" is not \"queue/NAME = VALUE\"", line);
	if (!sysfs_name_ok(name))
		return fst_error(ctx, 0, "set: \"%s\": only names under queue/ and device/", line);
	return sysfs_add(ctx, name, value);
}

/* Fills the state with all settings, in the order of writing. */
static int sysfs_plan(struct fst_ctx *ctx)
{
	const struct sysfs_cfg *cfg = ctx->cfg;
	struct sysfs_state *st = ctx->state;
	size_t i;
	int r = 0;

	st->n = 0;
	for (i = 0; i < FST_COUNT(sysfs_params) && r == 0; i++)
		if (sysfs_params[i].type != FST_LIST && fst_is_set(ctx, sysfs_params[i].name))
			r = sysfs_add_param(ctx, &sysfs_params[i]);
	for (i = 0; i < cfg->set.n && r == 0; i++)
		r = sysfs_add_line(ctx, cfg->set.v[i]);
	return r;
}

static int sysfs_check(struct fst_ctx *ctx)
{
	return sysfs_plan(ctx);
}
