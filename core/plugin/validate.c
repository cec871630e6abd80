/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a plugin's descriptor sound? Everything but its tables, which are validate_tables.c. */
#include "core/plugin/validate.h"

#include <errno.h>
#include <string.h>

#include "core/plugin/element.h"
#include "core/plugin/registry.h"

/* Every plugin of ABI 1 has at least this much; what follows may be absent, which is zero. */
#define DESC_MIN FIELD_END(struct fstrial_plugin, param_size)
/* No descriptor is larger; a number beyond is not a size. */
#define DESC_MAX 65536u
#define ENGINE_MIN FIELD_END(struct fst_engine_ops, close)

/* Bits from 32 on are hints: an older host may ignore them. */
#define FLAGS_KNOWN                                                                          \
	(0xffffffff00000000u | FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_DESTROYS_DEVICE |     \
	 FST_VOLATILE | FST_DROPS_CACHES | FST_NEEDS_DIR | FST_PROVIDES_DIR |     \
	 FST_SIZES_ITSELF | FST_PROVIDES_DEVICE | FST_DECLARES_METRICS | FST_ON_DEVICE)
#define ENGINE_FLAGS_KNOWN                                                                    \
	((uint32_t)(FST_ENGINE_SYNC | FST_ENGINE_NO_FILES | FST_ENGINE_MAPPED))

const char *plugin_kind_name(uint32_t kind)
{
	switch (kind) {
	case FST_SETUP:
		return "setup";
	case FST_WORKLOAD:
		return "workload";
	case FST_ENGINE:
		return "engine";
	default:
		return NULL;
	}
}

bool plugin_is_data_workload(const struct plugin *p)
{
	return p->desc.kind == FST_WORKLOAD && p->desc.next;
}

bool validate_word(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return *s >= 'a' && *s <= 'z' && !s[len] && len <= 63;
}

/* From here on the descriptor can be read. */
static int validate_header(const struct fstrial_plugin *raw, struct err *e)
{
	if (raw->magic != FST_MAGIC)
		return err_set(e, EINVAL,
			       "wrong magic 0x%08x instead of 0x%08x: not a plugin of fstrial",
			       raw->magic, FST_MAGIC);
	if (raw->abi != FST_ABI)
		return err_set(e, EINVAL, "is built for ABI %u, this fstrial knows %u", raw->abi,
			       FST_ABI);
	if (raw->struct_size < DESC_MIN)
		return err_set(e, EINVAL, "struct_size %u is too small, ABI %u has at least %zu",
			       raw->struct_size, FST_ABI, DESC_MIN);
	if (raw->struct_size > DESC_MAX || raw->struct_size % _Alignof(struct fstrial_plugin))
		return err_set(e, EINVAL, "struct_size %u is not the size of a descriptor",
			       raw->struct_size);
	if (!element_tail_is_zero(raw, raw->struct_size, sizeof(*raw)))
		return err_set(e, EINVAL, VALIDATE_NEWER " (struct_size %u, known are %zu)",
			       raw->struct_size, sizeof(*raw));
	return 0;
}

/* Does the file's name say what the plugin says? */
static int validate_file_name(const struct fstrial_plugin *d, const char *file, struct err *e)
{
	const char *slash, *base;
	size_t len;

	if (!file)
		return 0;
	slash = strrchr(file, '/');
	base = slash ? slash + 1 : file;
	len = strlen(base);
	if (len > 3 && !strcmp(base + len - 3, ".so"))
		len -= 3;
	if (strlen(d->name) == len && !strncmp(d->name, base, len))
		return 0;
	return err_set(e, EINVAL, "its name is \"%s\", which is not its file's (\"%.*s\")", d->name,
		       (int)MIN(len, (size_t)200), base);
}

static int validate_texts(const struct fstrial_plugin *d, const char *file, struct err *e)
{
	int ret;

	if (!d->name || !*d->name)
		return err_set(e, EINVAL, "has no name");
	if (!validate_word(d->name))
		return err_set(e, EINVAL, "its name \"%.64s\" is not of the form [a-z][a-z0-9_]*",
			       d->name);
	ret = validate_file_name(d, file, e);
	if (ret)
		return ret;
	if (!d->version || !*d->version)
		return err_set(e, EINVAL, "has no version");
	if (!d->summary || !*d->summary)
		return err_set(e, EINVAL, "has no summary");
	if (strchr(d->summary, '\n'))
		return err_set(e, EINVAL, "its summary has more than one line");
	if (!d->description || !*d->description)
		return err_set(e, EINVAL, "has no description");
	return 0;
}

#define KINDS(k) (1u << (k))

/* A callback of another kind would never be called: a mistake, or a meaning of a newer fstrial. */
static int validate_callbacks(const struct fstrial_plugin *d, struct err *e)
{
	const struct {
		const char *name;
		bool there;
		unsigned int kinds;
	} callbacks[] = {
		{ "estimate", d->estimate, KINDS(FST_SETUP) | KINDS(FST_WORKLOAD) },
		{ "apply", d->apply, KINDS(FST_SETUP) },
		{ "revert", d->revert, KINDS(FST_SETUP) },
		{ "readback", d->readback, KINDS(FST_SETUP) },
		{ "prepare", d->prepare, KINDS(FST_WORKLOAD) },
		{ "worker_init", d->worker_init, KINDS(FST_WORKLOAD) },
		{ "run", d->run, KINDS(FST_WORKLOAD) },
		{ "next", d->next, KINDS(FST_WORKLOAD) },
		{ "done", d->done, KINDS(FST_WORKLOAD) },
		{ "worker_fini", d->worker_fini, KINDS(FST_WORKLOAD) },
		{ "verify", d->verify, KINDS(FST_WORKLOAD) },
		{ "cleanup", d->cleanup, KINDS(FST_WORKLOAD) },
		{ "engine", d->engine, KINDS(FST_ENGINE) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(callbacks); i++) {
		if (callbacks[i].there && !(callbacks[i].kinds & KINDS(d->kind)))
			return err_set(e, EINVAL, "\"%s\" is nothing for a plugin of kind %s",
				       callbacks[i].name, plugin_kind_name(d->kind));
	}
	return 0;
}

static int validate_workload(const struct fstrial_plugin *d, struct err *e)
{
	if (!d->run && !d->next)
		return err_set(e, EINVAL, "a workload needs \"run\" or \"next\"");
	if (d->run && d->next)
		return err_set(e, EINVAL, "a workload has either \"run\" or \"next\", not both");
	if (d->done && !d->next)
		return err_set(e, EINVAL, "has \"done\" without \"next\"");
	if ((d->flags & FST_ON_DEVICE) && !d->next)
		return err_set(e, EINVAL, "only a workload with \"next\" can do without files");
	if ((d->flags & FST_DECLARES_METRICS) && !d->check)
		return err_set(e, EINVAL, "declares metrics and has no \"check\" to do that in");
	return 0;
}

int validate_engine(const struct fst_engine_ops *raw, struct err *e)
{
	struct fst_engine_ops ops;

	if (!raw)
		return err_set(e, EINVAL, "an engine needs \"engine\"");
	if (raw->struct_size < ENGINE_MIN || raw->struct_size > DESC_MAX ||
	    raw->struct_size % _Alignof(struct fst_engine_ops))
		return err_set(e, EINVAL,
			       "struct_size %u of its engine operations is wrong, ABI %u has %zu",
			       raw->struct_size, FST_ABI, ENGINE_MIN);
	element_engine(raw, &ops);
	if (!element_tail_is_zero(raw, raw->struct_size, sizeof(ops)) || ops.reserved)
		return err_set(e, EINVAL, "its engine " VALIDATE_NEWER);
	if (ops.flags & ~ENGINE_FLAGS_KNOWN)
		return err_set(e, EINVAL,
			       "its engine sets flags 0x%x that this fstrial does not know",
			       ops.flags & ~ENGINE_FLAGS_KNOWN);
	if (!ops.queue)
		return err_set(e, EINVAL, "an engine needs \"queue\"");
	if (!(ops.flags & FST_ENGINE_SYNC) && (!ops.submit || !ops.reap))
		return err_set(
			e, EINVAL,
			"an engine needs \"submit\" and \"reap\" unless it is FST_ENGINE_SYNC");
	if ((ops.flags & FST_ENGINE_SYNC) && ops.max_depth > 1)
		return err_set(e, EINVAL,
			       "an engine that is FST_ENGINE_SYNC has depth 1, not max_depth %u",
			       ops.max_depth);
	if ((ops.flags & FST_ENGINE_MAPPED) && !(ops.flags & FST_ENGINE_SYNC))
		return err_set(e, EINVAL, "an engine that is FST_ENGINE_MAPPED is FST_ENGINE_SYNC");
	return 0;
}

static int validate_kind(const struct fstrial_plugin *d, struct err *e)
{
	int ret = validate_callbacks(d, e);

	if (ret)
		return ret;
	if (d->kind == FST_WORKLOAD)
		return validate_workload(d, e);
	if (d->kind == FST_ENGINE)
		return validate_engine(d->engine, e);
	if (!d->apply)
		return err_set(e, EINVAL, "a setup needs \"apply\"");
	return 0;
}

int plugin_validate(const struct fstrial_plugin *raw, const char *file, struct fstrial_plugin *copy,
		    struct err *e)
{
	int ret = validate_header(raw, e);

	if (ret)
		return ret;
	element_copy(raw, 0, raw->struct_size, copy, sizeof(*copy));
	if (!plugin_kind_name(copy->kind))
		return err_set(e, EINVAL, "its kind %u is unknown", copy->kind);
	ret = validate_texts(copy, file, e);
	if (ret)
		return ret;
	if (copy->flags & ~FLAGS_KNOWN)
		return err_set(e, EINVAL, "sets flags 0x%llx that this fstrial does not know",
			       (unsigned long long)(copy->flags & ~FLAGS_KNOWN));
	if (copy->reserved)
		return err_set(e, EINVAL, VALIDATE_NEWER " (reserved is %u)", copy->reserved);
	ret = validate_kind(copy, e);
	if (ret)
		return ret;
	return validate_tables(copy, e);
}
