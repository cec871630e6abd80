/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A UUID as text. */
#pragma once

#include <stdio.h>

/* In the usual order of bytes; text of at least 37 bytes. */
static inline const char *uuid_text(const unsigned char u[16], char *text, size_t size)
{
	snprintf(text, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		 u[13], u[14], u[15]);
	return text;
}
