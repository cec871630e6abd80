/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions, part by part. */
#include "core/util/version.h"

#include <ctype.h>
#include <string.h>

#include "core/util/macro.h"

static size_t version_part(const char *s)
{
	size_t n = 0;

	if (isdigit((unsigned char)*s))
		return strspn(s, "0123456789");
	while (isalpha((unsigned char)s[n]))
		n++;
	return n;
}

/* Where a part stands to the end of a version: before it, or behind it. */
static int version_rank(const char *s, size_t n)
{
	static const char *const early[] = { "rc", "pre", "alpha", "beta", "next" };

	for (size_t i = 0; i < ARRAY_SIZE(early); i++)
		if (n == strlen(early[i]) && strncmp(s, early[i], n) == 0)
			return -1;
	return n ? isdigit((unsigned char)*s) ? 2 : 1 : 0;
}

static int version_numbers(const char *a, size_t na, const char *b, size_t nb)
{
	while (na && *a == '0') {
		a++;
		na--;
	}
	while (nb && *b == '0') {
		b++;
		nb--;
	}
	return na != nb ? (na < nb ? -1 : 1) : strncmp(a, b, na);
}

int version_compare(const char *a, const char *b)
{
	for (;;) {
		size_t na, nb;
		int ra, rb, r;

		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		na = version_part(a);
		nb = version_part(b);
		ra = version_rank(a, na);
		rb = version_rank(b, nb);
		if (ra != rb)
			return ra - rb;
		if (!na)
			return 0;
		r = ra == 2 ? version_numbers(a, na, b, nb) : strncmp(a, b, MIN(na, nb));
		if (r == 0 && ra != 2 && na != nb)
			r = na < nb ? -1 : 1;
		if (r)
			return r;
		a += na;
		b += nb;
	}
}
