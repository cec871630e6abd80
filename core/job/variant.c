/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One combination of the factors' values. */
#include <stdio.h>

#include "core/job/job.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

uint32_t job_variant_choice(const struct job *job, uint32_t i, size_t f)
{
	return job->variants[i] / job->factors[f].stride % job->factors[f].n;
}

static const struct value *variant_value(const struct job *job, uint32_t i, size_t f)
{
	return job->factors[f].values->u.l.v[job_variant_choice(job, i, f)];
}

json_t *job_variant_json(const struct job *job, uint32_t i)
{
	json_t *object = json_object();

	for (size_t f = 0; f < job->n_factors; f++) {
		const struct value *v = variant_value(job, i, f);
		_cleanup_free_ char *label = value_label(v);
		json_t *json = NULL;

		if (v->type == VALUE_INT)
			json = json_integer(v->u.i);
		else if (v->type == VALUE_BOOL)
			json = json_boolean(v->u.b);
		else if (v->type == VALUE_FLOAT)
			json = json_real(v->u.f);
		else if (label)
			json = json_string(label);
		json_object_set_new(object, job->factors[f].name, json ? json : json_null());
	}
	return object;
}

char *job_variant_text(const struct job *job, uint32_t i)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t f = 0; f < job->n_factors; f++) {
		_cleanup_free_ char *label = value_label(variant_value(job, i, f));

		strbuf_addf(&sb, "%s%s=%s", f ? " " : "", job->factors[f].name, label ? label : "");
	}
	return strbuf_steal(&sb);
}

char *job_variant_id(const struct job *job, uint32_t i)
{
	int digits = snprintf(NULL, 0, "%u", job->n_variants);

	return xasprintf("v%0*u", MAX(digits, 2), i + 1);
}
