/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device under trial and its settings. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/record/environment.h"
#include "core/util/blockdev.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/*
 * Settings outside of queue/, by name: in these directories there are files that do something when
 * they are read or that count.
 */
static const char *const environment_settings_files[] = {
	"cache_type",	  "device/queue_depth", "device/queue_ramp_up_period", "device/queue_type",
	"device/timeout", "device/eh_timeout",	"device/ncq_prio_enable",
};

/* "[none] mq-deadline kyber" is none; other text stays as it is. */
static const char *environment_chosen(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

struct environment_walk {
	const char *sysfs;
	const char *dir; /* below sysfs */
	json_t *settings;
};

static int environment_add_file(const char *name, void *arg)
{
	struct environment_walk *w = arg;
	_cleanup_free_ char *key = xasprintf("%s%s%s", w->dir, *w->dir ? "/" : "", name);
	_cleanup_free_ char *path = xasprintf("%s/%s", w->sysfs, key);
	char text[4096];
	struct stat st;

	/*
	 * Some cannot be read at the moment: wbt_lat_usec says EINVAL where there is no such thing.
	 */
	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0444) ||
	    file_read_line(path, text, sizeof(text)))
		return 0;
	js_set(w->settings, key, js_str(environment_chosen(text)));
	return 0;
}

static void environment_add_dir(struct environment_walk *w, const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", w->sysfs, dir);

	w->dir = dir;
	if (file_exists(path) && dir_each(path, environment_add_file, w) < 0)
		js_set(w->settings, dir, json_null());
}

json_t *environment_settings(const char *sysfs)
{
	struct environment_walk w = { sysfs, "", js_object() };

	if (!sysfs)
		return w.settings;
	/* The scheduler's own come behind: where they differ it is because the scheduler does. */
	environment_add_dir(&w, "queue");
	environment_add_dir(&w, "queue/iosched");
	w.dir = "";
	for (size_t i = 0; i < ARRAY_SIZE(environment_settings_files); i++)
		environment_add_file(environment_settings_files[i], &w);
	return w.settings;
}

/*
 * The kernel itself takes such a limit to 0 for good, once the device has refused a request that it
 * had offered (a loop device over tmpfs, many disks): not a change that anybody could put back.
 */
static bool environment_withdrawn(const char *key, const char *is)
{
	return str_eq(is, "0") &&
	       (str_starts(key, "queue/write_zeroes_") || str_starts(key, "queue/write_same_") ||
		str_starts(key, "queue/discard_max_"));
}

bool environment_differs(const json_t *before, const json_t *after, char *text, size_t size)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)before, key, value)
	{
		const char *was = json_string_value(value), *is = js_get_str(after, key, NULL);

		if (str_eq(was, is) || environment_withdrawn(key, is))
			continue;
		snprintf(text, size, "%s was %s, is %s", key, was ? was : "unreadable",
			 is ? is : "gone");
		return true;
	}
	json_object_foreach((json_t *)after, key, value)
	{
		if (json_object_get(before, key))
			continue;
		snprintf(text, size, "%s was not there, is %s", key,
			 js_get_str(after, key, "unreadable"));
		return true;
	}
	return false;
}

/* ---- the device ------------------------------------------------------------------------------ */

static json_t *environment_sysfs_text(const char *sysfs, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", sysfs, file);
	char text[4096];

	return file_read_line(path, text, sizeof(text)) || !*text ? json_null() : js_str(text);
}

static json_t *environment_sysfs_flag(const char *sysfs, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", sysfs, file);
	char text[32];

	return file_read_line(path, text, sizeof(text)) ? json_null() : js_bool(!str_eq(text, "0"));
}

/* SCSI and NVMe, MMC, device mapper */
static json_t *environment_model(const char *sysfs)
{
	static const char *const places[] = { "device/model", "device/name", "dm/name" };
	json_t *model = json_null();

	for (size_t i = 0; json_is_null(model) && i < ARRAY_SIZE(places); i++)
		model = environment_sysfs_text(sysfs, places[i]);
	return model;
}

/* The same without "queue/" in front. */
static json_t *environment_queue(const char *sysfs)
{
	_cleanup_json_ json_t *settings = environment_settings(sysfs);
	json_t *queue = js_object(), *value;
	const char *key;

	json_object_foreach(settings, key, value)
	{
		if (str_starts(key, "queue/"))
			js_set(queue, key + strlen("queue/"), json_incref(value));
	}
	return queue;
}

static const char *environment_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

json_t *environment_device(const char *device, const char *sysfs)
{
	json_t *o = js_object();
	struct blockdev bd;
	char serial[128] = "";

	if (!device || blockdev_get(device, &bd, NULL))
		memset(&bd, 0, sizeof(bd));
	if (!sysfs && *bd.sysfs)
		sysfs = bd.sysfs;
	if (!*bd.sysfs && sysfs)
		snprintf(bd.sysfs, sizeof(bd.sysfs), "%s", sysfs);
	js_set(o, "path", js_str(device));
	js_set(o, "name", *bd.name ? js_str(bd.name) : js_str(environment_base(sysfs)));
	js_set(o, "size_bytes", bd.size ? js_u64(bd.size) : json_null());
	if (!sysfs)
		return o;
	js_set(o, "model", environment_model(sysfs));
	js_set(o, "serial",
	       blockdev_serial(&bd, serial, sizeof(serial)) ? js_str(serial) : json_null());
	js_set(o, "rotational", environment_sysfs_flag(sysfs, "queue/rotational"));
	js_set(o, "write_cache", environment_sysfs_text(sysfs, "queue/write_cache"));
	js_set(o, "fua", environment_sysfs_flag(sysfs, "queue/fua"));
	js_set(o, "backing_file", environment_sysfs_text(sysfs, "loop/backing_file"));
	js_set(o, "queue", environment_queue(sysfs));
	return o;
}
