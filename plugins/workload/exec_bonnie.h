/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec: the line that bonnie++ prints for machines. By its tag and by position, never by the header, which is wrong
 * in some versions: 1.0x has 27 fields, 1.93 to 1.97 have 48, what 2.00 writes is tagged 1.98 and has 50.
 */
#pragma once

#include "exec_parser.h"

enum { EXEC_BONNIE_PHASES = 12, EXEC_BONNIE_FIELDS = 64 };

/* By the names of jobs/bonnie.job; K/sec are KiB. */
static const struct exec_bonnie_phase {
	const char *name, *unit;
	double factor;
	const char *latency, *doc;
} exec_bonnie_phases[EXEC_BONNIE_PHASES] = {
#define EXEC_BONNIE_IO(n, doc) { n, "bytes/s", 1024, n "_latency", doc }
#define EXEC_BONNIE_OPS(n, doc) { n, "ops/s", 1, n "_latency", doc }
	EXEC_BONNIE_IO("putc", "Written a byte at a time."),
	EXEC_BONNIE_IO("write", "Written in blocks."),
	EXEC_BONNIE_IO("rewrite", "Read, changed and written back in blocks."),
	EXEC_BONNIE_IO("getc", "Read a byte at a time."),
	EXEC_BONNIE_IO("read", "Read in blocks."),
	EXEC_BONNIE_OPS("seeks", "Random seeks."),
	EXEC_BONNIE_OPS("seq_create", "Files created in the order of their names."),
	EXEC_BONNIE_OPS("seq_read", "Files read in the directory's order."),
	EXEC_BONNIE_OPS("seq_delete", "Files deleted in the directory's order."),
	EXEC_BONNIE_OPS("ran_create", "Files created with random names."),
	EXEC_BONNIE_OPS("ran_read", "Files read in random order."),
	EXEC_BONNIE_OPS("ran_delete", "Files deleted in random order."),
};

static const struct exec_bonnie_layout {
	const char *first, *last; /* tags; "": the line begins with the machine */
	size_t fields, io, files, latency; /* where the pairs of rate and CPU begin; latency 0: none */
} exec_bonnie_layouts[] = {
	{ "1.93", "1.97", 48, 7, 24, 36 },
	{ "1.98", "1.98", 50, 9, 26, 38 },
	{ "", "", 27, 2, 15, 0 },
};

static inline int exec_bonnie_declare(struct fst_ctx *ctx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < EXEC_BONNIE_PHASES && r == 0; i++) {
		const struct exec_bonnie_phase *p = &exec_bonnie_phases[i];

		r = exec_parser_declare(ctx, p->name, p->unit, FST_HIGHER, true, p->doc);
		if (r == 0)
			r = exec_parser_declare(ctx, p->latency, "ns", FST_LOWER, false,
						"The longest single operation of that phase.");
	}
	return r;
}

/* Cuts line at its commas, in place. */
static inline size_t exec_bonnie_split(char *line, char **v)
{
	size_t n = 0;
	char *one;

	while (n < EXEC_BONNIE_FIELDS && (one = strsep(&line, ",")) != NULL)
		v[n++] = one;
	return n;
}

/* The layout of a line: by its tag, else that of 1.0x where the number of fields fits. NULL: it is no result. */
static inline const struct exec_bonnie_layout *exec_bonnie_layout(char *const *v, size_t n)
{
	const struct exec_bonnie_layout *l = exec_bonnie_layouts;
	size_t i;

	for (i = 0; i < FST_COUNT(exec_bonnie_layouts) - 1; i++, l++)
		if (strlen(v[0]) == 4 && strcmp(v[0], l->first) >= 0 && strcmp(v[0], l->last) <= 0)
			return n > 20 ? l : NULL;
	return n > 20 && strcmp(v[0], "name") != 0 && strcmp(v[0], "format_version") != 0 ? l : NULL;
}

/* "94511us", "279ms", "105s" in ns; NAN: empty. */
static inline double exec_bonnie_latency(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text)
		return NAN;
	return strcmp(end, "us") == 0 ? v * 1e3 : strcmp(end, "ms") == 0 ? v * 1e6 : strcmp(end, "s") == 0 ? v * 1e9 : NAN;
}

/* One phase: plus signs say that it took less than half a second, nothing that it was not run. */
static inline int exec_bonnie_phase(struct fst_ctx *ctx, const struct exec_bonnie_phase *p, const char *rate,
				    const char *latency)
{
	char *end;
	double v = strtod(rate, &end);
	int r;

	if (*rate == '+')
		fst_warning(ctx, "bonnie++: %s took less than half a second (%s): no number", p->name, rate);
	if (*rate == '+' || !*rate)
		v = NAN;
	else if (*end || end == rate || !isfinite(v))
		return fst_error(ctx, 0, "bonnie++: %s is \"%.40s\", which is no number", p->name, rate);
	r = fst_set_metric(ctx, p->name, v * p->factor);
	return r == 0 && latency ? fst_set_metric(ctx, p->latency, exec_bonnie_latency(latency)) : r;
}

static inline int exec_bonnie_line(struct fst_ctx *ctx, const struct exec_bonnie_layout *l, char *const *v, size_t n)
{
	size_t i, at;
	int r = 0;

	if (n != l->fields)
		return fst_error(ctx, 0, "bonnie++: a line of format %s has %zu fields, not %zu%s",
				 *l->first ? v[0] : "1.0x", n, l->fields,
				 n == l->fields + 1 ? ": is there a comma in the machine's name (-m)?" : "");
	for (i = 0; i < EXEC_BONNIE_PHASES && r == 0; i++) {
		at = i < 6 ? l->io + 2 * i : l->files + 2 * (i - 6);
		r = exec_bonnie_phase(ctx, &exec_bonnie_phases[i], v[at], l->latency ? v[l->latency + i] : NULL);
	}
	return r;
}

static inline int exec_bonnie_parse(struct fst_ctx *ctx, const struct exec_output *o)
{
	const struct exec_bonnie_layout *l;
	char *v[EXEC_BONNIE_FIELDS], line[4096];
	const char *text = o->out;
	unsigned long found = 0;
	size_t n;
	int r = 0;

	while (r == 0 && said_next_line(&text, line, sizeof(line))) {
		n = exec_bonnie_split(line, v);
		l = exec_bonnie_layout(v, n);
		if (l && ++found == 1)
			r = exec_bonnie_line(ctx, l, v, n);
	}
	if (r == 0 && found > 1)
		r = fst_error(ctx, 0, "bonnie++: %lu results: leave -x out, repeats are the job's", found);
	if (r == 0 && !found && !o->stopped)
		r = fst_error(ctx, 0, "bonnie++: no line for machines in the output: is -q missing?");
	return r;
}
