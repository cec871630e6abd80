/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading structures of a plugin that may be shorter or longer than ours. */
#include "core/plugin/element.h"

#include <string.h>

#include "core/plugin/registry.h"
#include "core/util/macro.h"

void element_copy(const void *table, uint32_t i, uint32_t stride, void *out, size_t size)
{
	memset(out, 0, size);
	memcpy(out, (const char *)table + (size_t)i * stride, MIN((size_t)stride, size));
}

bool element_tail_is_zero(const void *raw, size_t raw_size, size_t known)
{
	const unsigned char *p = raw;

	for (size_t i = known; i < raw_size; i++) {
		if (p[i])
			return false;
	}
	return true;
}

void element_engine(const struct fst_engine_ops *raw, struct fst_engine_ops *out)
{
	element_copy(raw, 0, raw->struct_size, out, sizeof(*out));
}

void plugin_metric(const struct fstrial_plugin *d, uint32_t i, struct fst_metric *out)
{
	element_copy(d->metrics, i, d->metric_size, out, sizeof(*out));
}

void plugin_op(const struct fstrial_plugin *d, uint32_t i, struct fst_op_kind *out)
{
	element_copy(d->ops, i, d->op_size, out, sizeof(*out));
}

void plugin_tool(const struct fstrial_plugin *d, uint32_t i, struct fst_tool *out)
{
	element_copy(d->tools, i, d->tool_size, out, sizeof(*out));
}
