/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear models of factors, by GSL. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>

#include "core/analyse/basic.h"
#include "core/analyse/linear.h"
#include "core/util/xalloc.h"

static size_t term_columns(const struct linear_factor *f, const struct linear_term *t)
{
	size_t a = f[t->a].levels - 1;

	return t->b == LINEAR_NONE ? a : a * (f[t->b].levels - 1);
}

/* Sum coding: column c is 1 for level c, -1 for the last level, 0 otherwise. */
static double coded(const struct linear_factor *f, size_t row, size_t c)
{
	return f->level[row] == c ? 1 : f->level[row] == f->levels - 1 ? -1 : 0;
}

static void fill_term(gsl_matrix *x, size_t first, const struct linear_factor *f, const struct linear_term *t)
{
	size_t na = f[t->a].levels - 1, nb = t->b == LINEAR_NONE ? 1 : f[t->b].levels - 1;

	for (size_t r = 0; r < x->size1; r++)
		for (size_t a = 0; a < na; a++)
			for (size_t b = 0; b < nb; b++) {
				double v = coded(&f[t->a], r, a);

				if (t->b != LINEAR_NONE)
					v *= coded(&f[t->b], r, b);
				gsl_matrix_set(x, r, first + a * nb + b, v);
			}
}

/* The model without term skip (n_terms: with all). */
static gsl_matrix *design(size_t n, const struct linear_factor *f, const struct linear_term *t, size_t n_terms,
			  size_t skip)
{
	size_t columns = 1, at = 1;
	gsl_matrix *x;

	for (size_t i = 0; i < n_terms; i++)
		columns += i == skip ? 0 : term_columns(f, &t[i]);
	x = gsl_matrix_alloc(n, columns);
	for (size_t r = 0; r < n; r++)
		gsl_matrix_set(x, r, 0, 1);
	for (size_t i = 0; i < n_terms; i++) {
		if (i == skip)
			continue;
		fill_term(x, at, f, &t[i]);
		at += term_columns(f, &t[i]);
	}
	return x;
}

/* Residual sum of squares; coefficients into coef unless NULL. The rank found must be full. */
static int least_squares(const gsl_matrix *x, const double *y, double *coef, double *rss)
{
	gsl_multifit_linear_workspace *w = gsl_multifit_linear_alloc(x->size1, x->size2);
	gsl_matrix *cov = gsl_matrix_alloc(x->size2, x->size2);
	gsl_vector *c = gsl_vector_alloc(x->size2);
	gsl_vector_const_view v = gsl_vector_const_view_array(y, x->size1);
	size_t rank = 0;

	gsl_multifit_linear_tsvd(x, &v.vector, 1e-10, c, cov, rss, &rank, w);
	for (size_t i = 0; coef && i < x->size2; i++)
		coef[i] = gsl_vector_get(c, i);
	rank = rank == x->size2;
	gsl_multifit_linear_free(w);
	gsl_matrix_free(cov);
	gsl_vector_free(c);
	return rank ? 0 : -EDOM;
}

static double determinant(const gsl_matrix *x)
{
	gsl_matrix *xx = gsl_matrix_alloc(x->size2, x->size2);
	gsl_permutation *p = gsl_permutation_alloc(x->size2);
	double det;
	int sign;

	gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, x, x, 0, xx);
	gsl_linalg_LU_decomp(xx, p, &sign);
	det = gsl_linalg_LU_det(xx, sign);
	gsl_permutation_free(p);
	gsl_matrix_free(xx);
	return det;
}

static void term_result(const struct linear_fit *fit, double rss, double df, struct linear_result *r)
{
	double mse = fit->rss / fit->df;

	r->ss = rss - fit->rss;
	r->df = df;
	r->f = r->ss / df / mse;
	r->p = gsl_cdf_fdist_Q(r->f, df, fit->df);
	r->eta2 = r->ss / fit->total;
	r->omega2 = fmax(0, (r->ss - df * mse) / (fit->total + mse));
}

int linear_fit(const double *y, size_t n, const struct linear_factor *factors, const struct linear_term *terms,
	       size_t n_terms, struct linear_fit *fit, struct linear_result *results)
{
	gsl_matrix *x = design(n, factors, terms, n_terms, n_terms);
	int r = 0;

	*fit = (struct linear_fit){ .n = n, .params = x->size2, .df = (double)n - (double)x->size2 };
	fit->coef = xcalloc(x->size2, sizeof(*fit->coef));
	fit->total = basic_var(y, n) * ((double)n - 1);
	if (fit->df < 1)
		r = -EINVAL;
	if (r == 0)
		r = least_squares(x, y, fit->coef, &fit->rss);
	if (r == 0) {
		fit->sigma = sqrt(fit->rss / fit->df);
		fit->det = determinant(x);
	}
	gsl_matrix_free(x);
	for (size_t i = 0; r == 0 && i < n_terms; i++) {
		double rss = 0;

		x = design(n, factors, terms, n_terms, i);
		r = least_squares(x, y, NULL, &rss);
		gsl_matrix_free(x);
		if (r == 0)
			term_result(fit, rss, (double)term_columns(factors, &terms[i]), &results[i]);
	}
	return r;
}

void linear_release(struct linear_fit *fit)
{
	free(fit->coef);
	fit->coef = NULL;
}

void linear_nested(const double *y, size_t groups, size_t k, struct linear_nested *r)
{
	_cleanup_free_ double *means = xcalloc(MAX(groups, (size_t)1), sizeof(*means));
	double within = 0;

	for (size_t g = 0; g < groups; g++) {
		means[g] = basic_mean(y + g * k, k);
		within += basic_var(y + g * k, k);
	}
	r->msw = within / (double)groups;
	r->msb = basic_var(means, groups) * (double)k;
	r->within = r->msw;
	r->between = fmax(0, (r->msb - r->msw) / (double)k);
	r->icc = r->between / (r->between + r->within);
}

void linear_lenth(const double *effects, size_t n, struct linear_lenth *r)
{
	_cleanup_free_ double *e = xcalloc(MAX(n, (size_t)1), sizeof(*e));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		e[i] = fabs(effects[i]);
	r->s0 = 1.5 * basic_median(e, n);
	for (size_t i = 0; i < n; i++)
		if (fabs(effects[i]) < 2.5 * r->s0)
			e[kept++] = fabs(effects[i]);
	r->pse = 1.5 * basic_median(e, kept);
	r->me = gsl_cdf_tdist_Pinv(0.975, (double)n / 3) * r->pse;
}
