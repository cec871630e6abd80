/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of proc share. */
#pragma once

/* Our environment without what extra and LC_ALL replace, and these. The array is the caller's, its strings are not. */
const char **proc_environ(const char *const *extra);
