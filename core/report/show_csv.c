/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result document as a CSV. */
#include <string.h>

#include "core/report/quote.h"
#include "core/report/show_formats.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

static const char *const columns[] = { "repeat", "block",  "step",   "metric",	"value", "unit",
				       "better", "status", "reason", "printed", "note" };

static void csv_field(const char *s, FILE *out)
{
	fputc(',', out);
	quote_csv(s, false, out);
}

/* A number, a text or a truth value; null is an empty field. */
static void csv_json(const json_t *v, FILE *out)
{
	_cleanup_free_ char *text = NULL;

	if (!v || json_is_null(v)) {
		fputc(',', out);
		return;
	}
	text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);
	csv_field(text, out);
}

/* Names of the factors of all variants, in the order they come. */
static json_t *csv_factors(const json_t *variants)
{
	json_t *names = js_object(), *variant, *v;
	const char *key;
	size_t i;

	json_array_foreach(variants, i, variant)
	{
		json_object_foreach(json_object_get(variant, "values"), key, v)
		{
			js_set(names, key, json_true());
		}
	}
	return names;
}

static void csv_header(json_t *factors, FILE *out)
{
	const char *key;
	json_t *v;

	fputs("variant", out);
	json_object_foreach(factors, key, v)
	{
		csv_field(key, out);
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		csv_field(columns[i], out);
	fputc('\n', out);
}

struct csv_place {
	const char *variant;
	const json_t *values;
	json_t *factors;
	const json_t *trial, *step;
};

static void csv_metric(const struct csv_place *at, const char *name, const json_t *m, FILE *out)
{
	const json_t *source = json_object_get(m, "source");
	const char *key;
	json_t *v;

	quote_csv(at->variant, false, out);
	json_object_foreach(at->factors, key, v)
	{
		csv_json(json_object_get(at->values, key), out);
	}
	csv_json(json_object_get(at->trial, "repeat"), out);
	csv_json(json_object_get(at->trial, "block"), out);
	csv_json(json_object_get(at->step, "name"), out);
	csv_field(name, out);
	csv_json(json_object_get(m, "value"), out);
	csv_json(json_object_get(m, "unit"), out);
	csv_json(json_object_get(m, "better"), out);
	csv_json(json_object_get(at->step, "status"), out);
	csv_json(json_object_get(at->step, "reason"), out);
	csv_json(json_object_get(source, "text"), out);
	csv_json(json_object_get(source, "note"), out);
	fputc('\n', out);
}

static const json_t *csv_values(const json_t *variants, const char *id)
{
	json_t *variant;
	size_t i;

	json_array_foreach(variants, i, variant)
	{
		if (str_eq(js_get_str(variant, "id", ""), id))
			return json_object_get(variant, "values");
	}
	return NULL;
}

void show_csv(const json_t *doc, bool all, FILE *out)
{
	const json_t *variants = json_object_get(doc, "variants");
	_cleanup_json_ json_t *factors = csv_factors(variants);
	struct csv_place at = { .factors = factors };
	json_t *trial, *step, *m;
	const char *name;
	size_t i, k;

	csv_header(factors, out);
	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		at.variant = js_get_str(trial, "variant", "");
		at.values = csv_values(variants, at.variant);
		at.trial = trial;
		json_array_foreach(json_object_get(trial, "steps"), k, step)
		{
			at.step = step;
			json_object_foreach(json_object_get(step, "metrics"), name, m)
			{
				if (all || json_is_true(json_object_get(m, "primary")))
					csv_metric(&at, name, m, out);
			}
		}
	}
}
