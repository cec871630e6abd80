/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components of variance. */
#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/analyse/noise.h"
#include "core/util/xalloc.h"

void noise_nested_of(const struct noise_lane *l, size_t n_docs, struct noise_nested *s)
{
	double sum = 0, squares = 0;
	size_t groups = 0;

	*s = (struct noise_nested){ 0 };
	for (size_t d = 0; d < n_docs; d++) {
		const struct cell *c = l->in[d];
		double *y = c ? basic_log(c->v, c->n) : NULL;

		if (!y)
			continue;
		double mean = basic_mean(y, c->n);

		for (size_t i = 0; i < c->n; i++)
			s->ssw += (y[i] - mean) * (y[i] - mean);
		s->dfw += (double)c->n - 1;
		s->ssb += (double)c->n * mean * mean;
		sum += (double)c->n * mean;
		squares += (double)c->n * (double)c->n;
		s->n += c->n;
		groups++;
		free(y);
	}
	if (groups > 1) {
		s->ssb -= sum * sum / (double)s->n;
		s->dfb = (double)groups - 1;
		s->n0 = ((double)s->n - squares / (double)s->n) / s->dfb;
	} else {
		s->ssb = 0;
	}
}

/* ---- what the cells of a block have in common ----------------------------------------------------- */

struct blocks {
	double *sum;
	size_t *n, cap;
	double ss, cells, values; /* of all residuals */
};

static void blocks_add(struct blocks *b, const struct cell *c)
{
	double *y = basic_log(c->v, c->n), mean = y ? basic_mean(y, c->n) : NAN;

	for (size_t i = 0; y && c->n > 1 && i < c->n; i++) {
		size_t at = c->block[i];

		if (at >= b->cap) {
			b->sum = xreallocarray(b->sum, at + 1, sizeof(*b->sum));
			b->n = xreallocarray(b->n, at + 1, sizeof(*b->n));
			for (; b->cap <= at; b->cap++) {
				b->sum[b->cap] = 0;
				b->n[b->cap] = 0;
			}
		}
		b->sum[at] += y[i] - mean;
		b->n[at]++;
		b->ss += (y[i] - mean) * (y[i] - mean);
		b->values++;
	}
	b->cells += y && c->n > 1;
	free(y);
}

/* Mean squares of one session's blocks into the sums; the number of blocks. */
static size_t blocks_of(const struct noise_family *f, size_t doc, double *ssb, double *dfb, double *ssr, double *dfr, double *size)
{
	struct blocks b = { 0 };
	double between = 0;
	size_t used = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->lanes[i].in[doc])
			blocks_add(&b, f->lanes[i].in[doc]);
	for (size_t i = 0; i < b.cap; i++) {
		between += b.n[i] ? b.sum[i] * b.sum[i] / (double)b.n[i] : 0;
		used += b.n[i] > 0;
	}
	free(b.sum);
	free(b.n);
	if (used < 2 || b.cells < 2)
		return used;
	*ssb += between;
	*dfb += (double)used - 1;
	*ssr += b.ss - between;
	*dfr += b.values - b.cells - (double)used + 1;
	*size += b.values / (double)used * ((double)used - 1);
	return used;
}

static double component(double msb, double msw, double size)
{
	return msb > msw && size > 0 ? sqrt((msb - msw) / size) : 0;
}

void noise_components(const struct noise_family *f, struct noise *c)
{
	double ssw = 0, dfw = 0, ssb = 0, dfb = 0, n0 = 0, bss = 0, bdf = 0, rss = 0, rdf = 0, size = 0;

	*c = (struct noise){ .within = NAN };
	for (size_t i = 0; i < f->n; i++) {
		struct noise_nested s;

		noise_nested_of(&f->lanes[i], f->n_docs, &s);
		ssw += s.ssw;
		dfw += s.dfw;
		ssb += s.ssb;
		dfb += s.dfb;
		n0 += s.n0 * s.dfb;
	}
	c->within = dfw > 0 ? sqrt(ssw / dfw) : NAN;
	c->session = dfb > 0 && dfw > 0 ? component(ssb / dfb, ssw / dfw, n0 / dfb) : NAN;
	for (size_t d = 0; d < f->n_docs; d++) {
		size_t blocks = blocks_of(f, d, &bss, &bdf, &rss, &rdf, &size);

		c->blocks = blocks > c->blocks ? blocks : c->blocks;
	}
	c->block = bdf > 0 && rdf > 0 ? component(bss / bdf, rss / rdf, size / bdf) : NAN;
}
