/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which devices an array or a volume group is made of: those that the job picks ("target.2"), else the trial's
 * device when a step before made it, else all of the target's.
 */
#pragma once

#include "block_sys.h"

#define BLOCK_MAX_MEMBERS 64

struct block_members {
	const char *v[BLOCK_MAX_MEMBERS];
	size_t n;
};

static inline bool block_is_targets(const struct fst_ctx *ctx, const char *device)
{
	uint32_t i;

	for (i = 0; i < ctx->n_devices; i++)
		if (strcmp(ctx->devices[i], device) == 0)
			return true;
	return false;
}

static inline int block_member_add(struct fst_ctx *ctx, struct block_members *m, const char *device)
{
	size_t i;

	if (!device)
		return fst_error(ctx, 0, "a device of the target has no name");
	for (i = 0; i < m->n; i++)
		if (strcmp(m->v[i], device) == 0)
			return fst_error(ctx, 0, "devices: %s is named twice", device);
	if (m->n == BLOCK_MAX_MEMBERS)
		return fst_error(ctx, E2BIG, "more than %d devices", BLOCK_MAX_MEMBERS);
	m->v[m->n++] = device;
	return 0;
}

static inline int block_members_picked(struct fst_ctx *ctx, const struct fst_list *picked,
				       struct block_members *m)
{
	const char *device;
	size_t i;
	int r = 0;

	for (i = 0; i < picked->n && r == 0; i++) {
		device = fst_target_device(ctx, picked->v[i]);
		if (!device)
			return fst_error(ctx, 0, "devices: there is no %s, the target has %u",
					 picked->v[i], ctx->n_devices);
		r = block_member_add(ctx, m, device);
	}
	return r;
}

/* In apply. Each is free, nobody else has it open for himself. */
static inline int block_members_find(struct fst_ctx *ctx, const struct fst_list *picked,
				     struct block_members *m)
{
	uint32_t i;
	size_t k;
	int r = 0;

	m->n = 0;
	if (picked->n)
		r = block_members_picked(ctx, picked, m);
	else if (ctx->device && !block_is_targets(ctx, ctx->device))
		r = block_member_add(ctx, m, ctx->device);
	else
		for (i = 0; i < ctx->n_devices && r == 0; i++)
			r = block_member_add(ctx, m, ctx->devices[i]);
	if (r == 0 && m->n == 0)
		r = fst_error(ctx, 0, "there is no device to work on");
	for (k = 0; k < m->n && r == 0; k++)
		r = block_wait_free(ctx, m->v[k]);
	return r;
}

/* check: what the job picks will be lost; without a choice the guard looks at all of the target's anyway. */
static inline int block_members_claim(struct fst_ctx *ctx, const struct fst_list *picked)
{
	size_t i;
	int r = 0;

	for (i = 0; i < picked->n && r == 0; i++)
		r = fst_claim(ctx, picked->v[i]);
	return r < 0 ? r : block_named_once(ctx, picked);
}
