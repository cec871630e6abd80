/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as JSON: their values, and their table. */
#include <math.h>
#include <string.h>

#include "core/param/param.h"
#include "core/param/param_parse.h"

/* null instead of what JSON cannot say. */
static json_t *param_json_or_null(json_t *json)
{
	return json ? json : json_null();
}

static json_t *param_json_u64(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v)
			      : param_json_or_null(json_real((double)v));
}

static json_t *param_json_enum(const struct fst_param *p, int value)
{
	for (uint32_t i = 0; i < p->n_choices; i++) {
		struct fst_choice c;

		param_choice(p, i, &c);
		if (c.value == value)
			return param_json_or_null(json_string(c.name));
	}
	return json_null();
}

static json_t *param_json_list(const struct fst_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, param_json_or_null(json_string(list->v[i])));
	return array;
}

json_t *param_json(const struct param_layer *l, uint32_t i)
{
	struct fst_param p;
	const void *at;

	param_entry(l, i, &p);
	at = (const char *)l->base + p.offset;
	if (!p.def && !param_is_given(l, i))
		return json_null();
	switch (p.type) {
	case FST_BOOL:
		return json_boolean(*(const bool *)at);
	case FST_I64:
		return json_integer(*(const int64_t *)at);
	case FST_F64:
		return param_json_or_null(json_real(*(const double *)at));
	case FST_STR:
	case FST_PATH:
		return param_json_or_null(json_string(*(const char *const *)at));
	case FST_ENUM:
		return param_json_enum(&p, *(const int *)at);
	case FST_LIST:
		return param_json_list(at);
	default:
		return param_json_u64(*(const uint64_t *)at);
	}
}

void param_json_all(const struct param_layer *l, json_t *object)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct fst_param p;

		param_entry(l, i, &p);
		json_object_set_new(object, p.name, param_json(l, i));
	}
}

static json_t *param_json_text(const char *text)
{
	return text ? param_json_or_null(json_string(text)) : json_null();
}

static json_t *param_choices_json(const struct fst_param *p)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < p->n_choices; i++) {
		json_t *object = json_object();
		struct fst_choice c;

		param_choice(p, i, &c);
		json_object_set_new(object, "name", param_json_text(c.name));
		json_object_set_new(object, "doc", param_json_text(c.doc));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *param_table_json(const void *table, uint32_t n, uint32_t stride)
{
	const struct param_layer l = { .table = table, .n = n, .stride = stride };
	json_t *array = json_array();

	for (uint32_t i = 0; i < n; i++) {
		json_t *object = json_object();
		struct fst_param p;

		param_entry(&l, i, &p);
		json_object_set_new(object, "name", param_json_text(p.name));
		json_object_set_new(object, "alias", param_json_text(p.alias));
		json_object_set_new(object, "type", json_string(param_type_name(p.type)));
		json_object_set_new(object, "unit", param_json_text(p.unit));
		json_object_set_new(object, "default", param_json_text(p.def));
		json_object_set_new(object, "min", param_json_text(p.min));
		json_object_set_new(object, "max", param_json_text(p.max));
		if (p.type == FST_ENUM)
			json_object_set_new(object, "choices", param_choices_json(&p));
		json_object_set_new(object, "required", json_boolean(p.flags & FST_REQUIRED));
		json_object_set_new(object, "deprecated", json_boolean(p.flags & FST_DEPRECATED));
		json_object_set_new(object, "doc", param_json_text(p.doc));
		json_array_append_new(array, object);
	}
	return array;
}
