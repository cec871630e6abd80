/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accepted changes held against verdicts. */
#include "core/analyse/accept.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

/* The last reason is the one that is told. */
static void not_used(struct accept_line *l, char *why)
{
	free(l->unused);
	l->unused = why;
}

static const char *version_of(const struct set *s, const char *of)
{
	_cleanup_free_ char *tool = xasprintf("version of %s", of);

	return facts_find(&s->facts, str_eq(of, "kernel") ? of : tool);
}

/* Does the line hold for a result of this date and these versions? */
static bool line_holds(struct accept_line *l, const struct set *new)
{
	const char *day = set_day(new);

	if (l->until && *day && strncmp(day, l->until, strlen(l->until)) >= 0) {
		not_used(l, xasprintf("held until %s, and the new result is of %.10s", l->until, day));
		return false;
	}
	for (size_t i = 0; i < l->n_versions; i++) {
		const char *v = version_of(new, l->versions[i].of);

		if (v && fnmatch(l->versions[i].pattern, v, 0) == 0)
			continue;
		not_used(l, xasprintf("is for %s %s, and the new result has %s", l->versions[i].of,
				      l->versions[i].pattern, v ? v : "none"));
		return false;
	}
	return true;
}

static bool line_matches(const struct accept_line *l, const struct comparison *c)
{
	_cleanup_free_ char *metric = xasprintf("%s.%s", c->base->step, c->base->metric);

	return fnmatch(l->cell, c->base->variant, 0) == 0 && fnmatch(l->metric, metric, 0) == 0;
}

static void apply_line(struct accept_line *l, struct comparison *c)
{
	double change = c->ratio - 1;

	if (c->verdict != VERDICT_REGRESSED) {
		if (!l->unused)
			not_used(l, xasprintf("what it accepts has not regressed: %s %s.%s is %s", c->base->variant,
					      c->base->step, c->base->metric, verdict_name(c->verdict)));
		return;
	}
	if (change < l->lo || change > l->hi) {
		not_used(l, xasprintf("accepts %+.1f..%+.1f %%, and the change is %+.1f %%", 100 * l->lo, 100 * l->hi,
				      100 * change));
		if (!c->accepted)
			c->why = "another change than the one that is accepted";
		return;
	}
	l->used++;
	c->accepted = l->reason;
	c->why = NULL;
}

void accept_apply(struct accepts *a, struct comparison *v, size_t n, const struct set *new)
{
	for (size_t i = 0; a && i < a->n; i++) {
		struct accept_line *l = &a->v[i];

		if (!line_holds(l, new))
			continue;
		for (size_t k = 0; k < n; k++)
			if (v[k].gated && line_matches(l, &v[k]))
				apply_line(l, &v[k]);
	}
}

char *accept_unused(const struct accepts *a, const struct accept_line *line)
{
	return line->used ? NULL :
			    xasprintf("%s:%u: %s", a->file, line->line, line->unused ? line->unused : "matches nothing");
}

/* ---- writing ---- */

/* A word in quotes; a pattern of what it is, in which whatever may stand for what would break a line or a terminal. */
static void put_word(const char *s, bool pattern, FILE *out)
{
	uint32_t c;

	fputc('"', out);
	for (size_t len; *s; s += len) {
		if (text_is_harmful(s, &len, &c)) {
			fprintf(out, "%.*s", pattern ? (int)len : 1, "????");
			continue;
		}
		if (pattern && strchr("*?[\\", *s))
			fputs("\\\\", out);
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fwrite(s, 1, len, out);
	}
	fputc('"', out);
}

/* A part in a thousand outwards, so that the values themselves are within. */
static void put_range(const struct comparison *c, FILE *out)
{
	double lo = isnan(c->ratio_lo) ? c->ratio : fmin(c->ratio_lo, c->ratio);
	double hi = isnan(c->ratio_hi) ? c->ratio : fmax(c->ratio_hi, c->ratio);

	fprintf(out, "%+.1f%%..%+.1f%%", floor(1000 * (lo - 1)) / 10, ceil(1000 * (hi - 1)) / 10);
}

void accept_write(const struct comparison *v, size_t n, const char *base, const char *new, FILE *out)
{
	_cleanup_free_ char *reason = xasprintf("as it was between %s and %s", base, new);

	fputs("# cell, metric, change, reason; behind it until=DATE, kernel=PATTERN or TOOL=PATTERN\n", out);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *metric = xasprintf("%s.%s", v[i].base->step, v[i].base->metric);

		if (!v[i].gated || v[i].verdict != VERDICT_REGRESSED)
			continue;
		put_word(v[i].base->variant, true, out);
		fputc(' ', out);
		put_word(metric, true, out);
		fputc(' ', out);
		put_range(&v[i], out);
		fputc(' ', out);
		put_word(v[i].accepted ? v[i].accepted : reason, false, out);
		fputc('\n', out);
	}
}
