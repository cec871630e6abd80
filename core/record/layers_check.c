/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the layers of a device lie well on each other? */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/record/layers.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define LAYERS_DEPTH 32

struct layers_walk {
	const json_t *layers;
	json_t *warnings;
	const char *top; /* name of the first layer */
};

static const json_t *layers_find(const json_t *layers, const char *name)
{
	json_t *l;
	size_t i;

	json_array_foreach((json_t *)layers, i, l)
	{
		if (str_eq(js_get_str(l, "name", ""), name))
			return l;
	}
	return NULL;
}

/* Once, however many ways lead there. */
static void _printf_(2, 3) layers_warn(const struct layers_walk *w, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	json_t *v;
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_foreach(w->warnings, i, v)
	{
		if (str_eq(json_string_value(v), text))
			return;
	}
	js_push(w->warnings, js_str(text));
}

/* The file system's first byte is byte `at` of that layer. */
static void layers_check_place(const struct layers_walk *w, const char *name, const json_t *layer,
			       uint64_t at, uint64_t unit)
{
	uint64_t physical = js_get_u64(layer, "physical_block_size", 0);
	char place[40], size[40];

	units_format_size(at, place, sizeof(place));
	if (unit && at % unit)
		layers_warn(w,
			    "misaligned: %s begins %s into %s, no multiple of the file system's "
			    "stripe unit of %s",
			    w->top, place, name, units_format_size(unit, size, sizeof(size)));
	else if (physical && at % physical)
		layers_warn(w, "misaligned: %s begins %s into %s, within a physical block of %s",
			    w->top, place, name, units_format_size(physical, size, sizeof(size)));
}

static void layers_check_down(const struct layers_walk *w, const json_t *layer, uint64_t at,
			      uint64_t unit, int depth)
{
	const char *name = js_get_str(layer, "name", "?");
	json_int_t offset = json_integer_value(json_object_get(layer, "alignment_offset"));
	/* Below of stripes another byte comes first: only blocks can be cut there, not the stripe. */
	bool striped = json_is_integer(json_object_get(layer, "chunk_bytes"));
	json_t *b;
	size_t i;

	if (offset)
		layers_warn(w,
			    "misaligned: the kernel gives %s an alignment_offset of "
			    "%" JSON_INTEGER_FORMAT,
			    name, offset);
	json_array_foreach(json_object_get(layer, "below"), i, b)
	{
		const char *under = js_get_str(b, "name", "?");
		const json_t *lower = layers_find(w->layers, under);
		uint64_t next = (striped ? 0 : at) + js_get_u64(b, "offset_bytes", 0);

		if (json_is_null(json_object_get(b, "offset_bytes")))
			continue;
		layers_check_place(w, under, lower, next, striped ? 0 : unit);
		if (lower && depth < LAYERS_DEPTH)
			layers_check_down(w, lower, next, striped ? 0 : unit, depth + 1);
	}
}

void layers_check(const json_t *layers, uint64_t sunit, json_t *warnings)
{
	const json_t *first = json_array_get(layers, 0);
	struct layers_walk w = { .layers = layers,
				 .warnings = warnings,
				 .top = js_get_str(first, "name", "?") };

	if (first)
		layers_check_down(&w, first, 0, sunit, 0);
}
