/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an XFS says of itself. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/*
 * Sets geometry, features and uuid in facts. dir: open directory in it, or -1; device: open for
 * reading, or -1. Nothing is set where neither answers.
 */
void fs_xfs_facts(int dir, int device, json_t *facts);
/* A name that may be among the features. */
bool fs_xfs_has_feature_name(const char *name);
