/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small string helpers. */
#include "core/util/str.h"

#include <string.h>

#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* Longest word that str_nearest() looks at; parameter names are far shorter. */
#define STR_WORD_MAX 64

static const char str_space[] = " \t\r\n\v\f";

bool str_eq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

char *str_trim(char *s)
{
	size_t len;

	s += strspn(s, str_space);
	len = strlen(s);
	while (len && strchr(str_space, s[len - 1]))
		s[--len] = '\0';
	return s;
}

char **str_split(const char *s, const char *seps, size_t *n)
{
	VEC(char *) parts = VEC_INIT;

	for (;;) {
		size_t len = strcspn(s, seps);
		_cleanup_free_ char *part = xstrndup(s, len);
		const char *kept = str_trim(part);

		if (*kept)
			vec_push(&parts, xstrdup(kept));
		if (!s[len])
			break;
		s += len + 1;
	}
	if (n)
		*n = parts.n;
	vec_push(&parts, NULL);
	return parts.v;
}

void str_freev(char **v)
{
	if (!v)
		return;
	for (size_t i = 0; v[i]; i++)
		free(v[i]);
	free(v);
}

/* Optimal string alignment distance; both words within STR_WORD_MAX. */
static unsigned int str_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int rows[3][STR_WORD_MAX + 1];
	unsigned int *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= m; j++)
		last[j] = before[j] = (unsigned int)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *spare = before;

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned int d = last[j - 1] + (a[i - 1] != b[j - 1]);

			d = MIN(d, last[j] + 1);
			d = MIN(d, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = MIN(d, before[j - 2] + 1);
			now[j] = d;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

const char *str_nearest(const char *word, const char *const *names, size_t n)
{
	size_t len = strlen(word);
	size_t best = MAX(len / 3, (size_t)1) + 1;
	const char *nearest = NULL;

	if (!len || len > STR_WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t m = strlen(names[i]);
		unsigned int d;

		if (m > STR_WORD_MAX)
			continue;
		d = str_distance(word, len, names[i], m);
		/* Nothing in common is no typing error, however short the words are. */
		if (d < best && d < MAX(len, m)) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
