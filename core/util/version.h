/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions as people number them. */
#pragma once

/*
 * Less than, equal to or greater than 0 as a is older than, the same as or newer than b: numbers by their value, so that
 * 6.9 is before 6.10, and what leads up to a release ("-rc3", "~beta") before it.
 */
int version_compare(const char *a, const char *b);
