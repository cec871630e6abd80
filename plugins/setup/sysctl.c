/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the kernel's own settings, /proc/sys, by name, and puts them back. */
#include "sysctl_file.h"

static const struct fst_param sysctl_params[] = {
	{ .name = "set",
	  .type = FST_LIST,
	  .flags = FST_REQUIRED,
	  FST_AT(struct sysctl_cfg, set),
	  .doc = "Settings as \"NAME = VALUE\", in the order of writing: \"vm.dirty_bytes = "
		 "268435456\"." },
};

static int sysctl_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct sysctl_state *st = ctx->state;
	char path[SYSCTL_PATH_MAX];
	size_t i;
	int r = sysctl_plan(ctx);

	for (i = 0; r == 0 && i < st->n; i++)
		fst_plan(ctx, sysctl_path(st->v[i].name, path), "%s", st->v[i].value);
	/* Others may not set any: for them the step is skipped. */
	for (i = 0; r == 0 && i < st->n && geteuid() == 0; i++)
		r = sysctl_usable(ctx, st->v[i].name);
	(void)est;
	return r;
}

/* ---- apply ----------------------------------------------------------------------------------- */

static int sysctl_keep(struct fst_ctx *ctx, const char *name)
{
	char value[SYSCTL_VALUE_MAX], dotted[SYSCTL_NAME_MAX];
	int r = sysctl_read(name, value);

	if (r < 0)
		return fst_error(ctx, -r, "%s cannot be read, so it could not be put back",
				 sysctl_dotted(name, dotted));
	return fst_save(ctx, name, value);
}

static int sysctl_set(struct fst_ctx *ctx, const struct sysctl_setting *s)
{
	char now[SYSCTL_VALUE_MAX] = "", dotted[SYSCTL_NAME_MAX];
	int r = sysctl_write(s->name, s->value);

	sysctl_dotted(s->name, dotted);
	if (r == 0) {
		fst_asked(ctx, dotted, s->value, 0);
		return 0;
	}
	if (sysctl_read(s->name, now) < 0)
		return fst_error(ctx, -r, "%s = %s", dotted, s->value);
	return fst_error(ctx, -r, "%s = %s: the kernel refuses this value; it stays %s", dotted,
			 s->value, now);
}

/* One of them may be asked for and the other be there already. */
static void sysctl_look_at_background(struct fst_ctx *ctx, const char *background,
				      const char *limit)
{
	char b[SYSCTL_VALUE_MAX], l[SYSCTL_VALUE_MAX], one[SYSCTL_NAME_MAX], two[SYSCTL_NAME_MAX];

	if (sysctl_read(background, b) < 0 || sysctl_read(limit, l) < 0 || strcmp(b, "0") == 0 ||
	    strcmp(l, "0") == 0 || strtoull(b, NULL, 10) < strtoull(l, NULL, 10))
		return;
	fst_warning(
		ctx,
		"%s is %s and %s is %s: the kernel begins in the background at half of the latter",
		sysctl_dotted(background, one), b, sysctl_dotted(limit, two), l);
}

static int sysctl_apply(struct fst_ctx *ctx)
{
	const struct sysctl_state *st = ctx->state;
	bool dirty = false;
	int r = sysctl_plan(ctx);
	size_t i;

	for (i = 0; i < st->n && r == 0; i++)
		r = sysctl_usable(ctx, st->v[i].name);
	for (i = 0; i < st->n && r == 0; i++) {
		const char *partner = sysctl_partner(st->v[i].name);

		r = sysctl_keep(ctx, st->v[i].name);
		if (r == 0 && partner)
			r = sysctl_keep(ctx, partner);
		dirty |= strncmp(st->v[i].name, "vm/dirty_", 9) == 0;
	}
	for (i = 0; i < st->n && r == 0; i++)
		r = sysctl_set(ctx, &st->v[i]);
	if (r == 0 && dirty) {
		sysctl_look_at_background(ctx, sysctl_pairs[0].bytes, sysctl_pairs[1].bytes);
		sysctl_look_at_background(ctx, sysctl_pairs[0].ratio, sysctl_pairs[1].ratio);
	}
	return r;
}

/* ---- readback -------------------------------------------------------------------------------- */

static void sysctl_say(struct fst_ctx *ctx, const char *name)
{
	char value[SYSCTL_VALUE_MAX], dotted[SYSCTL_NAME_MAX];

	if (name && sysctl_read(name, value) == 0)
		fst_in_force(ctx, sysctl_dotted(name, dotted), value);
}

static int sysctl_readback(struct fst_ctx *ctx)
{
	const struct sysctl_state *st = ctx->state;
	int r = sysctl_plan(ctx);
	size_t i;

	for (i = 0; i < st->n && r == 0; i++) {
		sysctl_say(ctx, st->v[i].name);
		sysctl_say(ctx, sysctl_partner(st->v[i].name));
	}
	return r;
}

/* ---- revert ---------------------------------------------------------------------------------- */

static bool sysctl_is(const char *name, const char *want)
{
	char now[SYSCTL_VALUE_MAX];
	int r = sysctl_read(name, now);

	/* It went with its module, which nobody can put back from here. */
	return r == -ENOENT || (r == 0 && strcmp(now, want) == 0);
}

static int sysctl_not_back(struct fst_ctx *ctx, int err, const char *name, const char *want)
{
	char now[SYSCTL_VALUE_MAX] = "not readable", dotted[SYSCTL_NAME_MAX];

	(void)!sysctl_read(name, now);
	sysctl_dotted(name, dotted);
	return fst_error(ctx, err, "%s is %s but was %s; to put it back: sysctl -w '%s=%s'", dotted,
			 now, want, dotted, want);
}

/*
 * The one of a pair that was in force brings the other to 0. Where both were 0, another value of the ratio
 * does, on its way to 0.
 */
static int sysctl_restore_pair(struct fst_ctx *ctx, const struct sysctl_pair *p)
{
	const char *bytes = fst_saved(ctx, p->bytes), *ratio = fst_saved(ctx, p->ratio), *want;
	bool by_bytes;
	int r;

	if (!bytes || !ratio || (sysctl_is(p->bytes, bytes) && sysctl_is(p->ratio, ratio)))
		return 0;
	by_bytes = strcmp(bytes, "0") != 0;
	want = by_bytes ? bytes : ratio;
	r = !by_bytes && strcmp(ratio, "0") == 0 ? sysctl_write(p->ratio, "1") : 0;
	if (r == 0)
		r = sysctl_write(by_bytes ? p->bytes : p->ratio, want);
	if (r == 0 && sysctl_is(p->bytes, bytes) && sysctl_is(p->ratio, ratio))
		return 0;
	return sysctl_not_back(ctx, r < 0 ? -r : EIO, by_bytes ? p->bytes : p->ratio, want);
}

static int sysctl_restore(struct fst_ctx *ctx, const char *name, const char *value, void *arg)
{
	const struct sysctl_pair *p = sysctl_pair_of(name);
	const char *want = fst_saved(ctx, name);
	int r;

	(void)value;
	(void)arg;
	if (p)
		return sysctl_restore_pair(ctx, p);
	if (sysctl_is(name, want))
		return 0;
	r = sysctl_write(name, want);
	return r == 0 && sysctl_is(name, want) ? 0
					       : sysctl_not_back(ctx, r < 0 ? -r : EIO, name, want);
}

static int sysctl_revert(struct fst_ctx *ctx)
{
	return fst_saved_each(ctx, sysctl_restore, NULL);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "sysctl", .version = "1",
	       .summary = "sets the kernel's own settings (/proc/sys) by name",
	       .description = "Writes settings such as vm.dirty_ratio, vm.vfs_cache_pressure or "
			      "fs.xfs.xfssyncd_centisecs, "
			      "in the order given. Nothing is written when one of them is not "
			      "there, is read-only or "
			      "cannot be put back.\n"
			      "They are the whole machine's: everything that runs meanwhile has "
			      "them too.\n"
			      "vm.dirty_bytes and vm.dirty_ratio (and their background pair) set "
			      "each other to 0; what "
			      "was in force is what is put back.\n"
			      "A value that the kernel rounds, clamps or resets is a warning with "
			      "both values.",
	       FST_PARAMS(sysctl_params), .cfg_size = sizeof(struct sysctl_cfg),
	       .state_size = sizeof(struct sysctl_state), .flags = FST_NEEDS_ROOT | FST_VOLATILE,
	       .check = sysctl_check, .estimate = sysctl_estimate, .apply = sysctl_apply,
	       .revert = sysctl_revert, .readback = sysctl_readback);
