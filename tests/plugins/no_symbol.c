/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a shared object, but no plugin. */
#include "common.h"

extern FST_EXPORT const int fstrial_something;
FST_EXPORT const int fstrial_something = 1;
