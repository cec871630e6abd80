/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of a block device. */
#include "core/record/layers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/blockdev.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define LAYERS_SECTOR 512u
#define LAYERS_MAX 256

/* One that is being looked at. */
struct layer {
	const char *sysfs;
	const char *name; /* as in sysfs, with '!' */
	char *dir;	  /* real path of its directory */
	json_t *o;
	json_t *below;
};

static bool layer_text(const struct layer *l, const char *file, char *buf, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", l->dir, file);

	return file_read_line(path, buf, size) == 0 && *buf;
}

static bool layer_number(const struct layer *l, const char *file, uint64_t *v)
{
	char text[64];

	return layer_text(l, file, text, sizeof(text)) && units_parse_u64(text, v, NULL) == 0;
}

static void layer_below(struct layer *l, const char *name, bool known, uint64_t offset)
{
	json_t *b = js_object();

	js_set(b, "name", js_str(name));
	js_set(b, "offset_bytes", known ? js_u64(offset) : json_null());
	js_push(l->below, b);
}

/* ---- kinds ------------------------------------------------------------------------------------ */

static bool layer_has(const struct layer *l, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", l->dir, file);

	return file_exists(path);
}

static void layer_partition(struct layer *l)
{
	_cleanup_free_ char *disk = xstrdup(l->dir);
	char *slash = strrchr(disk, '/');
	uint64_t start = 0;
	bool known = layer_number(l, "start", &start);

	*slash = '\0';
	slash = strrchr(disk, '/');
	if (slash)
		layer_below(l, slash + 1, known, start * LAYERS_SECTOR);
}

static void layer_loop(struct layer *l)
{
	char file[4096];
	uint64_t offset = 0;
	bool known = layer_number(l, "loop/offset", &offset);

	if (layer_text(l, "loop/backing_file", file, sizeof(file)))
		layer_below(l, file, known, offset);
}

struct layer_walk {
	struct layer *l;
	const char *dir; /* of md members' offsets, or NULL */
};

static int layer_slave(const char *name, void *arg)
{
	struct layer_walk *w = arg;
	_cleanup_free_ char *file = xasprintf("md/dev-%s/offset", name);
	uint64_t offset = 0;
	bool known = layer_number(w->l, file, &offset);

	layer_below(w->l, name, known, offset * LAYERS_SECTOR);
	return 0;
}

static void layer_slaves(struct layer *l)
{
	_cleanup_free_ char *dir = xasprintf("%s/slaves", l->dir);
	struct layer_walk w = { .l = l };

	if (dir_each(dir, layer_slave, &w) < 0)
		json_array_clear(l->below);
}

static void layer_md(struct layer *l)
{
	uint64_t chunk = 0;
	char level[32];

	if (layer_text(l, "md/level", level, sizeof(level)))
		js_set(l->o, "detail", js_str(level));
	/* Mirrors have none, whatever is written there. */
	if (layer_number(l, "md/chunk_size", &chunk) && chunk && !str_eq(level, "raid1"))
		js_set(l->o, "chunk_bytes", js_u64(chunk));
	layer_slaves(l);
}

/* "8:16" is sdb. */
static char *layer_name_of(const char *sysfs, const char *dev)
{
	_cleanup_free_ char *link = xasprintf("%s/dev/block/%s", sysfs, dev);
	_cleanup_free_ char *real = realpath(link, NULL);

	return real ? xstrdup(strrchr(real, '/') + 1) : NULL;
}

static void layer_dm(struct layer *l)
{
	struct layers_dm dm;
	char dev[32];

	if (!layer_text(l, "dev", dev, sizeof(dev)) || !layers_dm_read(dev, &dm)) {
		layer_slaves(l);
		return;
	}
	js_set(l->o, "detail", js_str(dm.type));
	if (dm.chunk)
		js_set(l->o, "chunk_bytes", js_u64(dm.chunk));
	for (unsigned i = 0; i < dm.n; i++) {
		_cleanup_free_ char *name = layer_name_of(l->sysfs, dm.v[i].dev);

		if (name)
			layer_below(l, name, true, dm.v[i].offset);
	}
	if (!json_array_size(l->below))
		layer_slaves(l);
}

static void layer_disk(struct layer *l)
{
	layer_slaves(l);
}

static const struct {
	const char *file, *kind;
	void (*look)(struct layer *l);
} layer_kinds[] = {
	{ "partition", "partition", layer_partition },
	{ "loop", "loop", layer_loop },
	{ "dm", "dm", layer_dm },
	{ "md", "md", layer_md },
	{ "mm_stat", "zram", layer_disk },
	{ "", "disk", layer_disk },
};

/* ---- one layer -------------------------------------------------------------------------------- */

/* Of a partition the queue is the disk's. */
static void layer_queue_numbers(const struct layer *l)
{
	static const char *const numbers[] = { "logical_block_size", "physical_block_size",
					       "minimum_io_size", "optimal_io_size" };
	static const char *const flags[] = { "rotational", "fua" };
	const char *up = layer_has(l, "partition") ? "../queue" : "queue";
	char text[64];
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s", up, numbers[i]);

		js_set(l->o, numbers[i], layer_number(l, file, &v) ? js_u64(v) : json_null());
	}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s", up, flags[i]);

		js_set(l->o, flags[i], layer_number(l, file, &v) ? js_bool(v != 0) : json_null());
	}
	{
		_cleanup_free_ char *file = xasprintf("%s/write_cache", up);

		js_set(l->o, "write_cache",
		       layer_text(l, file, text, sizeof(text)) ? js_str(text) : json_null());
	}
}

static int layer_holder(const char *name, void *arg)
{
	js_push(arg, js_str(name));
	return 0;
}

/* -1: the kernel cannot say how. */
static json_t *layer_alignment(const struct layer *l)
{
	char text[32];
	int64_t v;

	if (!layer_text(l, "alignment_offset", text, sizeof(text)) ||
	    units_parse_i64(text, &v, NULL))
		return json_null();
	return json_integer(v);
}

static json_t *layer_new(struct layer *l)
{
	_cleanup_free_ char *holders = xasprintf("%s/holders", l->dir);
	json_t *held = js_array();
	size_t kind = 0;
	uint64_t v;

	l->o = js_object();
	l->below = js_array();
	while (*layer_kinds[kind].file && !layer_has(l, layer_kinds[kind].file))
		kind++;
	js_set(l->o, "name", js_str(l->name));
	js_set(l->o, "kind", js_str(layer_kinds[kind].kind));
	js_set(l->o, "detail", json_null());
	js_set(l->o, "size_bytes",
	       layer_number(l, "size", &v) ? js_u64(v * LAYERS_SECTOR) : json_null());
	js_set(l->o, "chunk_bytes", json_null());
	js_set(l->o, "alignment_offset", layer_alignment(l));
	layer_queue_numbers(l);
	layer_kinds[kind].look(l);
	js_set(l->o, "below", l->below);
	if (dir_each(holders, layer_holder, held) < 0)
		json_array_clear(held);
	return js_set(l->o, "holders", held);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void layers_add(json_t *names, const char *name)
{
	json_t *v;
	size_t i;

	json_array_foreach(names, i, v)
	{
		if (str_eq(json_string_value(v), name))
			return;
	}
	js_push(names, js_str(name));
}

/* "sda1" is a link in class/block where the kernel has one. */
static char *layer_dir(const char *sysfs, const char *name)
{
	_cleanup_free_ char *link = xasprintf("%s/class/block/%s", sysfs, name);

	return realpath(link, NULL);
}

json_t *layers_collect_at(const char *sysfs, const char *name)
{
	_cleanup_json_ json_t *names = js_array();
	json_t *all = js_array(), *b;
	size_t k;

	layers_add(names, name);
	for (size_t i = 0; i < json_array_size(names) && i < LAYERS_MAX; i++) {
		struct layer l = { .sysfs = sysfs,
				   .name = json_string_value(json_array_get(names, i)) };

		/* A file under a loop device is no layer of its own. */
		l.dir = *l.name == '/' ? NULL : layer_dir(sysfs, l.name);
		if (!l.dir)
			continue;
		js_push(all, layer_new(&l));
		json_array_foreach(l.below, k, b)
		{
			layers_add(names, js_get_str(b, "name", ""));
		}
		free(l.dir);
	}
	return all;
}

json_t *layers_collect(const char *device)
{
	struct blockdev bd;

	if (!device || blockdev_get(device, &bd, NULL) < 0)
		return js_array();
	/* As sysfs writes it. */
	for (char *p = strchr(bd.name, '/'); p; p = strchr(p, '/'))
		*p = '!';
	return layers_collect_at("/sys", bd.name);
}
