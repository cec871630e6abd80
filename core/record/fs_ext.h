/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an ext2, ext3 or ext4 says of itself. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* As fs_xfs_facts(); the superblock is read from device, mounted or not. */
void fs_ext_facts(int dir, int device, json_t *facts);
/* A name that may be among the features. */
bool fs_ext_has_feature_name(const char *name);
