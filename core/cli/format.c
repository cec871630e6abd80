/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands print. */
#include "core/cli/format.h"

const char *const format_names[] = { "text", "json", NULL };
