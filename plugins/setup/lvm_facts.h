/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lvm: what is in force, out of the tool's own report. */
#pragma once

#include "lvm_args.h"
#include "lvm_undo.h"

/* The next of the fields that '|' separates in one line; "" at its end. */
static inline const char *lvm_field(char **rest)
{
	char *p = strsep(rest, "|");
	size_t n;

	if (!p)
		return "";
	p += strspn(p, " \t");
	for (n = strlen(p); n && (p[n - 1] == ' ' || p[n - 1] == '\t'); n--)
		p[n - 1] = '\0';
	return p;
}

static inline int lvm_report(struct fst_ctx *ctx, const struct lvm_saved *s, const char *verb,
			     const char *fields, bool hidden, struct fst_cmd_result *res)
{
	struct block_args a;

	lvm_command(&a, verb, &s->members);
	block_arg(&a, "--noheadings");
	block_arg(&a, "--units");
	block_arg(&a, "b");
	block_arg(&a, "--nosuffix");
	block_arg(&a, "--separator");
	block_arg(&a, "|");
	if (hidden)
		block_arg(&a, "--all");
	block_arg(&a, "--options");
	block_arg(&a, "%s", fields);
	if (strcmp(verb, "lvs") == 0)
		block_arg(&a, "%s", s->vg);
	return block_run(ctx, &a, res);
}

/* Percent of the mirror or array that is equal; 100 where nothing has to become so; negative errno. */
static inline int lvm_synced(struct fst_ctx *ctx, const struct lvm_saved *s, double *percent)
{
	struct fst_cmd_result res;
	char line[512], *rest = line;
	const char *out;
	int r = lvm_report(ctx, s, "lvs", "lv_name,copy_percent", false, &res);

	*percent = 100;
	if (r < 0)
		return r;
	out = block_out(&res);
	while (said_next_line(&out, line, sizeof(line))) {
		rest = line;
		if (strcmp(lvm_field(&rest), LVM_VOLUME) != 0)
			continue;
		out = lvm_field(&rest);
		if (*out)
			*percent = strtod(out, NULL);
		return 0;
	}
	return fst_error(ctx, ENOENT, "volume %s/%s", s->vg, LVM_VOLUME);
}

/* The row of our volume, behind its name: the fields of lvm_say_volumes() in their order. */
static inline void lvm_say_volume(struct fst_ctx *ctx, char *rest, unsigned int has)
{
	static const struct {
		const char *key; /* as in fst_asked() */
		unsigned int has;
		bool less_one; /* the tool counts the first copy too */
	} fields[] = {
		{ "layout", 0, false },
		{ "stripes", LVM_HAS_STRIPES, false },
		{ "stripe_size", LVM_HAS_STRIPES, false },
		{ "mirrors", LVM_HAS_MIRRORS, true },
		{ "region_size", LVM_HAS_SYNC, false },
		{ "extent_size", 0, false },
		{ "size", 0, false },
		{ "synced", LVM_HAS_SYNC, false },
	};
	const char *value;
	size_t i;

	for (i = 0; i < FST_COUNT(fields); i++) {
		value = lvm_field(&rest);
		if (!*value || (fields[i].has & has) != fields[i].has)
			continue;
		if (fields[i].less_one)
			block_say_number(ctx, fields[i].key, strtoull(value, NULL, 10) - 1);
		else
			fst_in_force(ctx, fields[i].key, value);
	}
}

static inline int lvm_say_volumes(struct fst_ctx *ctx, const struct lvm_saved *s, unsigned int has)
{
	/* The old mirror has its copies as "stripes". */
	const char *fields =
		has & LVM_HAS_LOG
			? "lv_name,segtype,data_stripes,stripe_size,stripes,region_size,"
			  "vg_extent_size,lv_size,copy_percent"
			: "lv_name,segtype,data_stripes,stripe_size,data_copies,region_size,"
			  "vg_extent_size,lv_size,copy_percent";
	const char *out, *name, *log = "core";
	struct fst_cmd_result res;
	char line[512], *rest;
	int r = lvm_report(ctx, s, "lvs", fields, true, &res);

	if (r < 0)
		return r;
	out = block_out(&res);
	while (said_next_line(&out, line, sizeof(line))) {
		rest = line;
		name = lvm_field(&rest);
		if (strcmp(name, LVM_VOLUME) == 0)
			lvm_say_volume(ctx, rest, has);
		else if (strcmp(name, "[" LVM_VOLUME "_mlog]") == 0)
			log = strcmp(lvm_field(&rest), "mirror") == 0 ? "mirrored" : "disk";
	}
	if (has & LVM_HAS_LOG)
		fst_in_force(ctx, "mirror_log", log);
	return 0;
}

/* Where data begins on each device: once when it is the same on all. */
static inline int lvm_say_devices(struct fst_ctx *ctx, const struct lvm_saved *s)
{
	struct fst_cmd_result res;
	char line[512], start[32] = "", area[32] = "", *rest;
	const char *out, *value;
	int r = lvm_report(ctx, s, "pvs", "pe_start,pv_mda_size", false, &res);

	if (r < 0)
		return r;
	out = block_out(&res);
	while (said_next_line(&out, line, sizeof(line))) {
		rest = line;
		value = lvm_field(&rest);
		if (start[0] && strcmp(start, value) != 0)
			fst_warning(ctx,
				    "data begins at %s bytes on one device and at %s on another",
				    start, value);
		snprintf(start, sizeof(start), "%.31s", value);
		snprintf(area, sizeof(area), "%.31s", lvm_field(&rest));
	}
	if (start[0])
		fst_in_force(ctx, "data_offset", start);
	if (area[0])
		fst_in_force(ctx, "metadata_size", area);
	return 0;
}
