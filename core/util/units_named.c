/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of units as tables of other tools have them, and what they are in ours. */
#include "core/util/units.h"

#include "core/util/str.h"

static const struct units_named units_names[] = {
	{ "B/s", "bytes/s", 1 },
	{ "KiB/s", "bytes/s", 0x1p10 },
	{ "MiB/s", "bytes/s", 0x1p20 },
	{ "GiB/s", "bytes/s", 0x1p30 },
	{ "kB/s", "bytes/s", 1e3 },
	{ "MB/s", "bytes/s", 1e6 },
	{ "GB/s", "bytes/s", 1e9 },
	{ "K/sec", "bytes/s", 0x1p10 }, /* bonnie's KiB/s */
	{ "/s", "ops/s", 1 },
	{ "/sec", "ops/s", 1 },
	{ "ops/s", "ops/s", 1 },
	{ "IOPS", "ops/s", 1 },
	{ "k/s", "ops/s", 1e3 },
	{ "ns", "ns", 1 },
	{ "us", "ns", 1e3 },
	{ "ms", "ns", 1e6 },
	{ "s", "ns", 1e9 },
	{ "B", "bytes", 1 },
	{ "KiB", "bytes", 0x1p10 },
	{ "MiB", "bytes", 0x1p20 },
	{ "GiB", "bytes", 0x1p30 },
	{ "%", "ratio", 0.01 },
	{ "ratio", "ratio", 1 },
	{ "count", "count", 1 },
};

const struct units_named *units_named_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(units_names); i++) {
		if (str_eq(units_names[i].name, name))
			return &units_names[i];
	}
	return NULL;
}

const struct units_named *units_named_at(size_t i)
{
	return i < ARRAY_SIZE(units_names) ? &units_names[i] : NULL;
}
