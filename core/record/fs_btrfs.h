/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a btrfs says of itself. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* As fs_xfs_facts(). The superblock is read from device; profiles are known of a mounted one only. */
void fs_btrfs_facts(int dir, int device, json_t *facts);
/* A name that may be among the features. */
bool fs_btrfs_has_feature_name(const char *name);
