/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lvm: the parameters, and the commands that they become. */
#pragma once

#include "block_cmd.h"
#include "block_members.h"

#define LVM_VOLUME "trial"
#define LVM_PREFIX "fstrial_"

enum lvm_layout {
	LVM_LINEAR = 0,
	LVM_STRIPED,
	LVM_MIRROR,
	LVM_RAID0,
	LVM_RAID1,
	LVM_RAID4,
	LVM_RAID5,
	LVM_RAID6,
	LVM_RAID10,
};

enum lvm_log { LVM_LOG_CORE = 0, LVM_LOG_DISK = 1, LVM_LOG_MIRRORED = 2 };

struct lvm_cfg {
	int layout;
	struct fst_list devices;
	uint64_t stripes, stripe_size, mirrors;
	int mirror_log;
	bool nosync;
	uint64_t region_size, extent_size, metadata_size, data_alignment, data_alignment_offset,
		size;
	int sync;
	uint64_t sync_timeout;
};

enum lvm_has {
	LVM_HAS_STRIPES = 1,
	LVM_HAS_MIRRORS = 2,
	LVM_HAS_LOG = 4,
	LVM_HAS_SYNC = 8, /* regions that become equal in the background */
};

struct lvm_kind {
	const char *name; /* also lvcreate's --type */
	unsigned int has;
	unsigned int parity;
	unsigned int least; /* devices */
	const char *module;
};

static const struct lvm_kind lvm_kinds[] = {
	[LVM_LINEAR] = { "linear", 0, 0, 1, NULL },
	[LVM_STRIPED] = { "striped", LVM_HAS_STRIPES, 0, 2, NULL },
	[LVM_MIRROR] = { "mirror", LVM_HAS_MIRRORS | LVM_HAS_LOG | LVM_HAS_SYNC, 0, 2,
			 "dm-mirror" },
	[LVM_RAID0] = { "raid0", LVM_HAS_STRIPES, 0, 2, "dm-raid" },
	[LVM_RAID1] = { "raid1", LVM_HAS_MIRRORS | LVM_HAS_SYNC, 0, 2, "dm-raid" },
	[LVM_RAID4] = { "raid4", LVM_HAS_STRIPES | LVM_HAS_SYNC, 1, 3, "dm-raid" },
	[LVM_RAID5] = { "raid5", LVM_HAS_STRIPES | LVM_HAS_SYNC, 1, 3, "dm-raid" },
	[LVM_RAID6] = { "raid6", LVM_HAS_STRIPES | LVM_HAS_SYNC, 2, 5, "dm-raid" },
	[LVM_RAID10] = { "raid10", LVM_HAS_STRIPES | LVM_HAS_MIRRORS | LVM_HAS_SYNC, 0, 4,
			 "dm-raid" },
};

static const char *const lvm_logs[] = { "core", "disk", "mirrored" };

static inline uint64_t lvm_mirrors(const struct lvm_cfg *c)
{
	return c->mirrors ? c->mirrors : 1;
}

/* Disks with data in a full stripe: as asked, else all that the layout leaves. */
static inline uint64_t lvm_stripes(const struct lvm_cfg *c, size_t devices)
{
	const struct lvm_kind *k = &lvm_kinds[c->layout];

	if (c->stripes)
		return c->stripes;
	if (k->has & LVM_HAS_MIRRORS)
		return devices / (lvm_mirrors(c) + 1);
	return devices - k->parity;
}

/*
 * Settings of every command: only these devices are looked at, whatever /etc/lvm says of others; nothing is
 * written there, no daemon is started, and nothing of earlier runs is believed.
 */
static inline void lvm_arg_config(struct block_args *a, const char *const *devices, size_t n)
{
	char text[6144];
	size_t i, used = 0;

	used += (size_t)snprintf(
		text, sizeof(text),
		"devices { use_devicesfile=0 scan_lvs=1 hints=\"none\" "
		"obtain_device_list_from_udev=0 global_filter=[\"a|.*|\"] filter=[");
	for (i = 0; i < n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\"a|^%s$|\",",
					 devices[i]);
	if (used < sizeof(text))
		used += (size_t)snprintf(
			text + used, sizeof(text) - used,
			"\"r|.*|\"] } backup { backup=0 archive=0 } activation { monitoring=0 } "
			"global { use_lvmpolld=0 }");
	a->full |= used >= sizeof(text);
	block_arg(a, "--config");
	block_arg(a, "%s", text);
}

static inline void lvm_command(struct block_args *a, const char *verb,
			       const struct block_members *m)
{
	a->n = a->used = 0;
	a->full = false;
	block_arg(a, "lvm");
	block_arg(a, "%s", verb);
	lvm_arg_config(a, m->v, m->n);
}

/* --uuid only goes with --norestorefile: nothing is read from a file. */
static inline void lvm_build_pvcreate(struct block_args *a, const struct lvm_cfg *c,
				      const struct block_members *m, size_t i, const char *uuid)
{
	lvm_command(a, "pvcreate", m);
	block_arg(a, "--yes");
	block_arg(a, "--force");
	block_arg(a, "--force");
	block_arg(a, "--norestorefile");
	block_arg(a, "--uuid");
	block_arg(a, "%s", uuid);
	block_arg_bytes(a, "--metadatasize", c->metadata_size);
	block_arg_bytes(a, "--dataalignment", c->data_alignment);
	block_arg_bytes(a, "--dataalignmentoffset", c->data_alignment_offset);
	block_arg(a, "%s", m->v[i]);
}

static inline void lvm_build_vgcreate(struct block_args *a, const struct lvm_cfg *c,
				      const struct block_members *m, const char *vg)
{
	size_t i;

	lvm_command(a, "vgcreate", m);
	block_arg(a, "--yes");
	block_arg_bytes(a, "--physicalextentsize", c->extent_size);
	/* vgcreate has an alignment of its own; a volume that is there already keeps the one of pvcreate */
	block_arg(a, "%s", vg);
	for (i = 0; i < m->n; i++)
		block_arg(a, "%s", m->v[i]);
}

static inline void lvm_build_lvcreate(struct block_args *a, const struct lvm_cfg *c,
				      const struct block_members *m, const char *vg)
{
	const struct lvm_kind *k = &lvm_kinds[c->layout];

	lvm_command(a, "lvcreate", m);
	block_arg(a, "--yes");
	block_arg(a, "--wipesignatures");
	block_arg(a, "y");
	block_arg(a, "--type");
	block_arg(a, "%s", k->name);
	if (k->has & LVM_HAS_STRIPES) {
		block_arg(a, "--stripes");
		block_arg(a, "%" PRIu64, lvm_stripes(c, m->n));
		block_arg_bytes(a, "--stripesize", c->stripe_size);
	}
	if (k->has & LVM_HAS_MIRRORS) {
		block_arg(a, "--mirrors");
		block_arg(a, "%" PRIu64, lvm_mirrors(c));
	}
	if (k->has & LVM_HAS_LOG) {
		block_arg(a, "--mirrorlog");
		block_arg(a, "%s", lvm_logs[c->mirror_log]);
	}
	if (c->nosync)
		block_arg(a, "--nosync");
	block_arg_bytes(a, "--regionsize", c->region_size);
	if (c->size)
		block_arg_bytes(a, "--size", c->size);
	else {
		block_arg(a, "--extents");
		block_arg(a, "100%%FREE");
	}
	block_arg(a, "--name");
	block_arg(a, LVM_VOLUME);
	block_arg(a, "%s", vg);
}
