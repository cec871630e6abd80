/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4), to say which job text and which plugin file a result was made with. */
#pragma once

#include <stddef.h>

#include "core/util/err.h"

/* hex: 65 bytes. */
void sha256_hex(const void *data, size_t len, char hex[65]);
int sha256_file_hex(const char *path, char hex[65], struct err *e);
