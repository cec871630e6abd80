/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What words in numbers stand for. */
#include "core/param/param_names.h"

#include <errno.h>

#include "core/util/str.h"

const char *const param_names_known[4] = { "ram", "cpus", "target.size", "target.count" };

int param_names_get(const char *name, const struct param_names *names, uint64_t *out, bool *is_size)
{
	*is_size = !str_eq(name, "cpus") && !str_eq(name, "target.count");
	if (str_eq(name, "ram"))
		*out = names ? names->ram : 0;
	else if (str_eq(name, "cpus"))
		*out = names ? names->cpus : 0;
	else if (str_eq(name, "target.size"))
		*out = names ? names->target_size : 0;
	else if (str_eq(name, "target.count"))
		*out = names ? names->target_count : 0;
	else
		return -ENOENT;
	return *out ? 0 : -ENODATA;
}
