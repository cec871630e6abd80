/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job's setup steps change and put back, and what is on its devices: gathered and looked up for `plan`. */
#pragma once

#include <jansson.h>

#include "core/run/ask.h"

/* In the child that asks plugins: keeps what a setup step's estimate said, under "changes" of record. */
void plan_take_changes(const struct ask_step *a, bool stays, json_t *record);
/*
 * [{step, plugin, once, file, now, values: [...], text, more, put_back}] in the order of the steps: file and values
 * for a setting of the kernel, with its value now where that can be known; else text. more: how many further values
 * or texts other variants have. New reference.
 */
json_t *plan_changes(const struct job *job, const json_t *record);
/*
 * [{device, name, size_bytes, holds, use, refused}] of a target of devices: what is on it, who uses it, and, for
 * root, why the guard would not let it have; each null where there is nothing to say. New reference.
 */
json_t *plan_devices(const struct job *job);
