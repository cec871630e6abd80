/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON as commands print it. */
#include "core/cli/format.h"

#include "core/util/json.h"
#include "core/util/macro.h"

const char *const format_names[] = { "text", "json", NULL };

static void format_value(const json_t *v, FILE *out)
{
	_cleanup_free_ char *text = js_dump(v);

	fputs(text, out);
}

static void format_array(const json_t *array, FILE *out)
{
	json_t *v;
	size_t i;

	fputc('[', out);
	json_array_foreach(array, i, v)
	{
		fputs(i ? ",\n" : "\n", out);
		format_value(v, out);
	}
	fputs(json_array_size(array) ? "\n]" : "]", out);
}

/* A failed write is found when standard output is flushed at the end. */
void format_json(const json_t *object, FILE *out)
{
	const char *key, *sep = "{";
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
	{
		json_t *name = js_str(key);
		_cleanup_free_ char *text = json_dumps(name, JSON_ENCODE_ANY);

		json_decref(name);
		fprintf(out, "%s\n%s: ", sep, text ? text : "");
		if (json_is_array(v))
			format_array(v, out);
		else
			format_value(v, out);
		sep = ",";
	}
	fputs("\n}\n", out);
}
