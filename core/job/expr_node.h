/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of a `when`: between its parser (expr.c) and what gives it meaning (expr_eval.c). */
#pragma once

#include "core/job/expr.h"
#include "core/job/ref.h"

enum expr_op {
	EXPR_OR,
	EXPR_AND,
	EXPR_NOT,
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_TRUE,
	EXPR_WORD
};

struct job_expr {
	enum expr_op op;
	struct job_expr *a, *b;
	/* EXPR_WORD */
	char *text;
	bool is_ref;
	struct ref ref; /* of text */
	size_t column;	/* from 1 */
};

/*
 * Is a comparison sensible: does one side name something, can its values be equal or ordered at
 * all?
 */
int expr_check(const struct job_expr *e, const struct job *job, const struct value *at,
	       struct diag *d) _must_check_;
