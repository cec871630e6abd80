/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine a session ran on, for the result's "environment" and for the proof that nothing
 * changed.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util/macro.h"

/*
 * {kernel: {release, version, arch, cmdline, tainted, clocksource}, cpu: {model, online, governor,
 * mitigations: {...}}, memory_bytes, boot_id, load: [1, 5, 15 minutes], device: {...} as
 * environment_device() or null, warnings: [...]}. What cannot be read is null. No host name, no
 * serial number of the machine.
 * sysfs: of the whole disk under trial or NULL. New reference.
 */
json_t *environment_collect(const char *device, const char *sysfs) _must_check_;
/*
 * {path, name, size_bytes, model, serial, rotational, write_cache, fua, backing_file,
 *  queue: {name: text, ...}}
 * size_bytes and name are those of device itself, the rest is of the whole disk.
 */
json_t *environment_device(const char *device, const char *sysfs) _must_check_;
/*
 * {queue/name: value, queue/iosched/name: ..., device/queue_depth: ...} as text: every readable
 * setting below sysfs/queue, and a fixed list of settings of sysfs and sysfs/device; other files
 * there may do something when they are read. A choice ("[none] bfq") is the chosen word.
 */
json_t *environment_settings(const char *sysfs) _must_check_;
/*
 * First difference between two environment_settings(), "queue/scheduler was mq-deadline, is none";
 * false when they are equal, or differ only in a limit that the kernel itself withdrew ("0" of
 * write_zeroes_* or discard_max_* after the device refused one).
 */
bool environment_differs(const json_t *before, const json_t *after, char *text, size_t size);
