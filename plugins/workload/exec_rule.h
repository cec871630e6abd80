/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec: one metric as a regular expression over what a program printed,
 *
 *	NAME = /REGEX/ [UNIT] [higher|lower] [first|last|sum|mean|min|max] [optional] [primary]
 *
 * REGEX is extended (POSIX), ^ and $ are ends of lines, its last group is the number, \/ is a slash in it. UNIT is
 * the one that the program prints; the metric has ops/s, bytes/s, ns, bytes, count or ratio.
 */
#pragma once

#include <math.h>
#include <regex.h>

#include "../setup/exec_words.h"

#define EXEC_GROUPS 10 /* the whole match, and nine */

enum exec_choose { EXEC_LAST, EXEC_FIRST, EXEC_SUM, EXEC_MEAN, EXEC_MIN, EXEC_MAX };

struct exec_rule {
	char name[64];
	const struct exec_unit *unit;
	enum fst_better better;
	enum exec_choose choose;
	bool optional, primary, has_unit;
	regex_t regex;
	bool compiled;
};

/* What programs print, and what it is for us. */
static const struct exec_unit {
	const char *text, *unit;
	double factor; /* 0: a time as h:mm:ss, m:ss or 1m2.5s */
} exec_units[] = {
	{ "count", "count", 1 },	  { "ratio", "ratio", 1 },
	{ "%", "ratio", 0.01 },		  { "ops/s", "ops/s", 1 },
	{ "kops/s", "ops/s", 1e3 },	  { "bytes/s", "bytes/s", 1 },
	{ "B/s", "bytes/s", 1 },	  { "KiB/s", "bytes/s", 1024 },
	{ "MiB/s", "bytes/s", 1048576 },  { "GiB/s", "bytes/s", 1073741824 },
	{ "kB/s", "bytes/s", 1e3 },	  { "MB/s", "bytes/s", 1e6 },
	{ "GB/s", "bytes/s", 1e9 },	  { "bytes", "bytes", 1 },
	{ "B", "bytes", 1 },		  { "KiB", "bytes", 1024 },
	{ "MiB", "bytes", 1048576 },	  { "GiB", "bytes", 1073741824 },
	{ "kB", "bytes", 1e3 },		  { "MB", "bytes", 1e6 },
	{ "GB", "bytes", 1e9 },		  { "ns", "ns", 1 },
	{ "us", "ns", 1e3 },		  { "ms", "ns", 1e6 },
	{ "s", "ns", 1e9 },		  { "clock", "ns", 0 },
};

static const struct {
	const char *word;
	enum exec_choose choose;
} exec_choices[] = {
	{ "first", EXEC_FIRST }, { "last", EXEC_LAST }, { "sum", EXEC_SUM },
	{ "mean", EXEC_MEAN },	 { "min", EXEC_MIN },	{ "max", EXEC_MAX },
};

static inline void exec_rule_free(struct exec_rule *r)
{
	if (r->compiled)
		regfree(&r->regex);
	r->compiled = false;
}

/* ---- reading one ----------------------------------------------------------------------------- */

static inline int exec_rule_word(struct fst_ctx *ctx, const char *text, struct exec_rule *r, const char *word)
{
	size_t i;

	for (i = 0; i < FST_COUNT(exec_units); i++)
		if (strcmp(exec_units[i].text, word) == 0) {
			if (r->has_unit)
				return fst_error(ctx, 0, "metrics: \"%s\": has two units", text);
			r->has_unit = true;
			r->unit = &exec_units[i];
			return 0;
		}
	for (i = 0; i < FST_COUNT(exec_choices); i++)
		if (strcmp(exec_choices[i].word, word) == 0) {
			r->choose = exec_choices[i].choose;
			return 0;
		}
	if (strcmp(word, "higher") == 0 || strcmp(word, "lower") == 0)
		r->better = *word == 'h' ? FST_HIGHER : FST_LOWER;
	else if (strcmp(word, "optional") == 0)
		r->optional = true;
	else if (strcmp(word, "primary") == 0)
		r->primary = true;
	else
		return fst_error(ctx, 0,
				 "metrics: \"%s\": \"%s\" is no unit (ops/s bytes/s KiB/s MiB/s GiB/s kB/s MB/s GB/s "
				 "bytes KiB MiB GiB kB MB GB ns us ms s clock count ratio %%), nor higher, lower, first, "
				 "last, sum, mean, min, max, optional, primary",
				 text, word);
	return 0;
}

/* The words behind the expression. */
static inline int exec_rule_words(struct fst_ctx *ctx, const char *text, struct exec_rule *r, const char *p)
{
	char word[32];
	size_t len;
	int ret = 0;

	for (; ret == 0 && *(p += strspn(p, " \t")); p += len) {
		len = strcspn(p, " \t");
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		ret = exec_rule_word(ctx, text, r, word);
	}
	return ret;
}

/* Compiles what stands between the slashes; *end is behind the second. */
static inline int exec_rule_regex(struct fst_ctx *ctx, const char *text, struct exec_rule *r, const char *p,
				  const char **end)
{
	char *pattern = malloc(strlen(p) + 1), *w = pattern, why[256];
	int code;

	if (!pattern)
		return -ENOMEM;
	for (; *p && *p != '/'; *w++ = *p++)
		if (*p == '\\' && p[1] == '/')
			p++;
		else if (*p == '\\' && p[1])
			*w++ = *p++;
	*w = '\0';
	*end = *p ? p + 1 : NULL;
	code = *end ? regcomp(&r->regex, pattern, REG_EXTENDED | REG_NEWLINE) : 0;
	free(pattern);
	if (!*end)
		return fst_error(ctx, 0, "metrics: \"%s\": the second slash of /REGEX/ is missing", text);
	if (code) {
		regerror(code, &r->regex, why, sizeof(why));
		return fst_error(ctx, 0, "metrics: \"%s\": the regular expression is wrong: %s", text, why);
	}
	r->compiled = true;
	if (!r->regex.re_nsub)
		return fst_error(ctx, 0, "metrics: \"%s\": which part is the number? Put it in ( )", text);
	if (r->regex.re_nsub >= EXEC_GROUPS)
		return fst_error(ctx, 0, "metrics: \"%s\": more than nine ( )", text);
	return 0;
}

static inline bool exec_rule_name_is_good(const char *text, size_t len)
{
	return len && len < sizeof(((struct exec_rule *)0)->name) && *text >= 'a' && *text <= 'z' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") >= len;
}

/* To be freed in either case. */
static inline int exec_rule_read(struct fst_ctx *ctx, const char *text, struct exec_rule *r)
{
	const char *p = text + strspn(text, " \t"), *end = NULL;
	size_t len = strcspn(p, " \t=");
	int ret;

	memset(r, 0, sizeof(*r));
	r->unit = &exec_units[0];
	if (!exec_rule_name_is_good(p, len))
		return fst_error(ctx, 0,
				 "metrics: \"%s\": expects NAME = /REGEX/ UNIT higher|lower, where a name is of the form "
				 "[a-z][a-z0-9_]*",
				 text);
	snprintf(r->name, sizeof(r->name), "%.*s", (int)len, p);
	p += len;
	p += strspn(p, " \t");
	if (*p != '=' || *(p += 1 + strspn(p + 1, " \t")) != '/')
		return fst_error(ctx, 0, "metrics: \"%s\": expects %s = /REGEX/ UNIT higher|lower", text, r->name);
	ret = exec_rule_regex(ctx, text, r, p + 1, &end);
	return ret == 0 ? exec_rule_words(ctx, text, r, end) : ret;
}

/* ---- the number ------------------------------------------------------------------------------ */

/* "1:13:45", "12:40.55", "0m3.25s", "40.1" in seconds; NAN: it is none. */
static inline double exec_clock_seconds(const char *text)
{
	double sum = 0, v;
	char *end;
	int parts;

	for (parts = 0; parts < 3; parts++) {
		if (*text < '0' || *text > '9')
			return NAN;
		v = strtod(text, &end);
		sum = sum * 60 + v;
		if (!*end || (end[0] == 's' && !end[1]))
			return sum;
		if (*end != ':' && *end != 'm')
			return NAN;
		text = end + 1;
	}
	return NAN;
}

/* What stands in the group, in our unit; NAN: no number. */
static inline double exec_rule_number(const struct exec_rule *r, const char *text, size_t len)
{
	char word[64], *end;
	double v;

	if (!len || len >= sizeof(word))
		return NAN;
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	if (!r->unit->factor)
		return exec_clock_seconds(word) * 1e9;
	v = strtod(word, &end);
	return *end || end == word || !isfinite(v) ? NAN : v * r->unit->factor;
}

static inline double exec_rule_add(enum exec_choose how, double so_far, double v, unsigned long n)
{
	switch (how) {
	case EXEC_SUM:
		return so_far + v;
	case EXEC_MEAN:
		return so_far + (v - so_far) / (double)n;
	case EXEC_MIN:
		return v < so_far ? v : so_far;
	case EXEC_MAX:
		return v > so_far ? v : so_far;
	case EXEC_FIRST:
		return so_far;
	default:
		return v;
	}
}

/* Of all matches in text the value that is asked for; NAN: there is none. */
static inline int exec_rule_find(struct fst_ctx *ctx, const struct exec_rule *r, const char *text, double *value)
{
	const regmatch_t *g;
	regmatch_t m[EXEC_GROUPS];
	unsigned long n = 0;
	double v;
	int flags = 0;

	*value = NAN;
	g = &m[r->regex.re_nsub];
	for (; *text && regexec(&r->regex, text, EXEC_GROUPS, m, flags) == 0; text += m[0].rm_eo ? m[0].rm_eo : 1) {
		/* The end of one match is the beginning of a line only where it ends one. */
		flags = m[0].rm_eo && text[m[0].rm_eo - 1] == '\n' ? 0 : REG_NOTBOL;
		if (g->rm_so < 0)
			continue;
		v = exec_rule_number(r, text + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
		if (isnan(v))
			return fst_error(ctx, 0, "metric %s: \"%.*s\" is no number", r->name,
					 (int)(g->rm_eo - g->rm_so < 60 ? g->rm_eo - g->rm_so : 60), text + g->rm_so);
		*value = n++ ? exec_rule_add(r->choose, *value, v, n) : v;
	}
	if (!n && !r->optional)
		return fst_error(ctx, 0, "metric %s: nothing in the output matches it", r->name);
	return 0;
}

static inline int exec_rule_declare(struct fst_ctx *ctx, const struct exec_rule *r, bool primary)
{
	char doc[160];
	const struct fst_metric m = { .name = r->name,
				      .unit = r->unit->unit,
				      .better = r->better,
				      .flags = primary ? FST_PRIMARY : 0,
				      .doc = doc };

	snprintf(doc, sizeof(doc), "%s, as the program prints it.", r->name);
	return fst_declare_metric(ctx, &m);
}
