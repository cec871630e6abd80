/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dm: the device mapper's table out of typed parameters, in the kernel's own spelling. */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include <fstrial/plugin.h>

#define DM_MAX_TABLE 1024

enum dm_type {
	DM_DELAY = 0,
	DM_FLAKEY = 1,
	DM_ERROR = 2,
	DM_LINEAR = 3,
};

enum dm_down {
	DM_DOWN_FAIL = 0,
	DM_DOWN_DROP = 1,
	DM_DOWN_ERROR_WRITES = 2,
};

struct dm_cfg {
	int type;
	uint64_t read_delay, write_delay, flush_delay;
	uint64_t up, down;
	int when_down;
	uint64_t error_offset, error_length;
	uint64_t offset, size;
};

/* The part of the device below that is used, in bytes. */
struct dm_part {
	const char *device; /* "8:0" */
	uint64_t offset, length;
};

static inline const char *dm_target(int type)
{
	static const char *const names[] = { "delay", "flakey", "error", "linear" };

	return names[type];
}

static inline size_t dm_linear_line(char *buf, size_t size, const struct dm_part *p, uint64_t start,
				    uint64_t end)
{
	int n = snprintf(buf, size, "%" PRIu64 " %" PRIu64 " linear %s %" PRIu64 "\n", start / 512,
			 (end - start) / 512, p->device, (p->offset + start) / 512);

	return n > 0 ? (size_t)n : 0;
}

/* Good sectors before, an area that fails, good sectors behind. */
static inline void dm_error_table(char *buf, size_t size, const struct dm_cfg *c,
				  const struct dm_part *p)
{
	uint64_t end = c->error_length ? c->error_offset + c->error_length : p->length;
	size_t n = 0;

	if (end > p->length)
		end = p->length;
	if (c->error_offset)
		n += dm_linear_line(buf, size, p, 0, c->error_offset);
	n += (size_t)snprintf(buf + n, size - n, "%" PRIu64 " %" PRIu64 " error\n",
			      c->error_offset / 512, (end - c->error_offset) / 512);
	if (end < p->length)
		dm_linear_line(buf + n, size - n, p, end, p->length);
}

/* Lines as `dmsetup table` prints them. */
static inline void dm_build_table(char *buf, size_t size, const struct dm_cfg *c,
				  const struct dm_part *p)
{
	static const char *const features[] = { "", " 1 drop_writes", " 1 error_writes" };
	uint64_t sectors = p->length / 512, first = p->offset / 512, ms = 1000000, s = 1000000000;

	switch ((enum dm_type)c->type) {
	case DM_DELAY:
		snprintf(buf, size,
			 "0 %" PRIu64 " delay %s %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64
			 " %s %" PRIu64 " %" PRIu64 "\n",
			 sectors, p->device, first, c->read_delay / ms, p->device, first,
			 c->write_delay / ms, p->device, first, c->flush_delay / ms);
		break;
	case DM_FLAKEY:
		snprintf(buf, size,
			 "0 %" PRIu64 " flakey %s %" PRIu64 " %" PRIu64 " %" PRIu64 "%s\n", sectors,
			 p->device, first, c->up / s, c->down / s, features[c->when_down]);
		break;
	case DM_ERROR:
		dm_error_table(buf, size, c, p);
		break;
	case DM_LINEAR:
		dm_linear_line(buf, size, p, 0, p->length);
		break;
	}
}

/*
 * One spelling for what was asked and what the kernel shows: lines joined by "; ", without blanks at their
 * ends, and without the number of features where there is none.
 */
static inline void dm_plain_table(const char *text, char *buf, size_t size)
{
	size_t n = 0, len, cut;

	buf[0] = '\0';
	for (; *text && n < size; text += len + (text[len] == '\n')) {
		len = cut = strcspn(text, "\n");
		while (cut && text[cut - 1] == ' ')
			cut--;
		if (cut > 2 && memmem(text, cut, " flakey ", 8) &&
		    memcmp(text + cut - 2, " 0", 2) == 0 && memchr(text, ':', cut))
			cut -= 2;
		if (cut)
			n += (size_t)snprintf(buf + n, size - n, "%s%.*s", n ? "; " : "", (int)cut,
					      text);
	}
}
