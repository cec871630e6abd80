/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file system says of itself. */
#include "core/record/fsfacts.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libmount/libmount.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/record/fs_btrfs.h"
#include "core/record/fs_ext.h"
#include "core/record/fs_xfs.h"
#include "core/record/uuid_text.h"
#include "core/util/blockdev.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

static const struct fsfacts_reader {
	const char *type;
	void (*read)(int dir, int device, json_t *facts);
	bool (*has_feature_name)(const char *name);
} fsfacts_readers[] = {
	{ "xfs", fs_xfs_facts, fs_xfs_has_feature_name },
	{ "ext2", fs_ext_facts, fs_ext_has_feature_name },
	{ "ext3", fs_ext_facts, fs_ext_has_feature_name },
	{ "ext4", fs_ext_facts, fs_ext_has_feature_name },
	{ "btrfs", fs_btrfs_facts, fs_btrfs_has_feature_name },
};

static const struct fsfacts_reader *fsfacts_find_reader(const json_t *facts)
{
	const char *type = js_get_str(facts, "type", NULL);

	for (size_t i = 0; i < ARRAY_SIZE(fsfacts_readers); i++) {
		if (str_eq(type, fsfacts_readers[i].type))
			return &fsfacts_readers[i];
	}
	return NULL;
}

/* ---- the mount ------------------------------------------------------------------------------- */

/* By mount id where the kernel gives it: several mounts may cover one path or share a device. */
static struct libmnt_fs *fsfacts_find_mount(struct libmnt_table *tb, const char *dir)
{
	struct libmnt_iter *it;
	struct libmnt_fs *fs = NULL;
	struct statx stx;

	if (statx(AT_FDCWD, dir, 0, STATX_MNT_ID, &stx) || !(stx.stx_mask & STATX_MNT_ID))
		return mnt_table_find_mountpoint(tb, dir, MNT_ITER_BACKWARD);
	it = mnt_new_iter(MNT_ITER_BACKWARD);
	while (it && mnt_table_next_fs(tb, it, &fs) == 0) {
		if ((uint64_t)mnt_fs_get_id(fs) == stx.stx_mnt_id)
			break;
		fs = NULL;
	}
	mnt_free_iter(it);
	return fs;
}

static bool fsfacts_list_has(const json_t *list, const char *option)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (str_eq(json_string_value(json_array_get(list, i)), option))
			return true;
	}
	return false;
}

/* Appends the options of text to list; "ro" and "rw" are the caller's. */
static void fsfacts_add_options(json_t *list, const char *text, bool *ro)
{
	_cleanup_free_ char *copy = xstrdup(text ? text : "");
	char *rest = copy, *name, *value;
	size_t name_len, value_len;

	while (mnt_optstr_next_option(&rest, &name, &name_len, &value, &value_len) == 0) {
		_cleanup_free_ char *option = value ? xasprintf("%.*s=%.*s", (int)name_len, name,
								(int)value_len, value)
						    : xstrndup(name, name_len);

		*ro |= str_eq(option, "ro");
		if (!str_eq(option, "ro") && !str_eq(option, "rw") &&
		    !fsfacts_list_has(list, option))
			js_push(list, js_str(option));
	}
}

static char *fsfacts_list_text(const json_t *list)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < json_array_size(list); i++)
		strbuf_addf(&text, "%s%s", i ? "," : "",
			    json_string_value(json_array_get(list, i)));
	return strbuf_steal(&text);
}

/* Of the mount and of the superblock in one list: it is read-only when one of the two is. */
static json_t *fsfacts_mount_options(struct libmnt_fs *fs)
{
	json_t *mount = js_object(), *list = js_array();
	_cleanup_free_ char *text = NULL;
	bool ro = false;

	fsfacts_add_options(list, mnt_fs_get_vfs_options(fs), &ro);
	fsfacts_add_options(list, mnt_fs_get_fs_options(fs), &ro);
	if (json_array_insert_new(list, 0, js_str(ro ? "ro" : "rw")))
		abort();
	text = fsfacts_list_text(list);
	js_set(mount, "point", js_str(mnt_fs_get_target(fs)));
	js_set(mount, "options", js_str(text));
	return js_set(mount, "list", list);
}

/* A path of the device with this number, caller frees; NULL when there is none. */
static char *fsfacts_device_path(struct libmnt_fs *fs)
{
	const char *source = mnt_fs_get_srcpath(fs);
	struct blockdev bd;
	struct stat st;

	if (!blockdev_get_dev(mnt_fs_get_devno(fs), &bd, NULL))
		return xasprintf("/dev/%s", bd.name);
	if (source && str_starts(source, "/dev/") && !stat(source, &st) && S_ISBLK(st.st_mode))
		return xstrdup(source);
	return NULL;
}

static void fsfacts_mount(const char *dir, json_t *facts, char **device)
{
	struct libmnt_table *tb = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = tb ? fsfacts_find_mount(tb, dir) : NULL;

	if (fs) {
		js_set(facts, "type", js_str(mnt_fs_get_fstype(fs)));
		if (mnt_fs_get_source(fs))
			js_set(facts, "source", js_str(mnt_fs_get_source(fs)));
		js_set(facts, "mount", fsfacts_mount_options(fs));
		if (!*device)
			*device = fsfacts_device_path(fs);
	}
	mnt_unref_table(tb);
}

static void fsfacts_space(int dir, json_t *facts)
{
	struct statvfs v;

	if (fstatvfs(dir, &v))
		return;
	js_set(facts, "block_size", js_u64(v.f_bsize));
	js_set(facts, "size_bytes", js_u64((uint64_t)v.f_blocks * v.f_frsize));
	js_set(facts, "free_bytes", js_u64((uint64_t)v.f_bfree * v.f_frsize));
	if (v.f_blocks)
		js_set(facts, "fill", js_real(1 - (double)v.f_bfree / (double)v.f_blocks));
	if (v.f_files) {
		js_set(facts, "inodes", js_u64(v.f_files));
		js_set(facts, "inodes_free", js_u64(v.f_ffree));
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Linux 6.9's FS_IOC_GETFSUUID, which needs no root; absent from older headers. */
struct fsfacts_uuid {
	uint8_t len;
	uint8_t uuid[16];
};
#define FSFACTS_IOC_GETFSUUID _IOR(0x15, 0, struct fsfacts_uuid)

static void fsfacts_names_by_ioctl(int dir, json_t *facts)
{
	struct fsfacts_uuid id = { 0 };
	char label[FSLABEL_MAX] = "", text[40];

	if (!ioctl(dir, FS_IOC_GETFSLABEL, label))
		js_set(facts, "label", js_strn(label, strnlen(label, sizeof(label))));
	if (ioctl(dir, FSFACTS_IOC_GETFSUUID, &id) || id.len != sizeof(id.uuid))
		return;
	js_set(facts, "uuid", js_str(uuid_text(id.uuid, text, sizeof(text))));
}

static void fsfacts_set_from_probe(blkid_probe pr, const char *value, const char *key,
				   json_t *facts)
{
	const char *text;

	if (!json_object_get(facts, key) && !blkid_probe_lookup_value(pr, value, &text, NULL))
		js_set(facts, key, js_str(text));
}

/* What the kernel did not say; all there is when it is not mounted. */
static void fsfacts_names_by_blkid(int device, json_t *facts)
{
	blkid_probe pr = blkid_new_probe();

	if (pr && !blkid_probe_set_device(pr, device, 0, 0) &&
	    !blkid_probe_enable_superblocks(pr, 1) &&
	    !blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID |
							   BLKID_SUBLKS_LABEL) &&
	    !blkid_do_safeprobe(pr)) {
		fsfacts_set_from_probe(pr, "TYPE", "type", facts);
		fsfacts_set_from_probe(pr, "UUID", "uuid", facts);
		fsfacts_set_from_probe(pr, "LABEL", "label", facts);
		if (!json_object_get(facts, "label"))
			js_set(facts, "label",
			       js_str("")); /* known to have none, as the ioctl says it */
	}
	blkid_free_probe(pr);
}

json_t *fsfacts_collect(const char *dir, const char *device)
{
	_cleanup_close_ int dir_fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_cleanup_free_ char *path = device ? xstrdup(device) : NULL;
	_cleanup_close_ int device_fd = -1;
	const struct fsfacts_reader *reader;
	json_t *facts = js_object();

	if (dir_fd >= 0) {
		fsfacts_mount(dir, facts, &path);
		fsfacts_space(dir_fd, facts);
		fsfacts_names_by_ioctl(dir_fd, facts);
	}
	if (path)
		device_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (device_fd >= 0)
		fsfacts_names_by_blkid(device_fd, facts);
	if (path && !json_object_get(facts, "source") && json_object_size(facts))
		js_set(facts, "source", js_str(path));
	reader = fsfacts_find_reader(facts);
	if (reader)
		reader->read(dir_fd, device_fd, facts);
	return facts;
}

/* ---- look-up --------------------------------------------------------------------------------- */

static char *fsfacts_text(const json_t *v)
{
	switch (v ? json_typeof(v) : JSON_NULL) {
	case JSON_STRING:
		return xstrdup(json_string_value(v));
	case JSON_INTEGER:
		return xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	case JSON_REAL:
		return xasprintf("%.17g", json_real_value(v));
	case JSON_TRUE:
		return xstrdup("1");
	case JSON_FALSE:
		return xstrdup("0");
	case JSON_ARRAY:
		return fsfacts_list_text(v);
	default:
		return NULL;
	}
}

/* "mount.options" */
static const json_t *fsfacts_dotted(const json_t *facts, const char *key)
{
	_cleanup_free_ char *copy = xstrdup(key);
	char *part, *rest = copy;

	while (facts && (part = strsep(&rest, ".")))
		facts = json_object_get(facts, part);
	return facts;
}

static char *fsfacts_feature(const json_t *facts, const char *key)
{
	const struct fsfacts_reader *reader = fsfacts_find_reader(facts);
	const json_t *features = json_object_get(facts, "features");

	if (!features || !reader || !reader->has_feature_name(key))
		return NULL;
	return xstrdup(fsfacts_list_has(features, key) ? "1" : "0");
}

char *fsfacts_lookup(const json_t *facts, const char *key)
{
	char *text = fsfacts_text(json_object_get(facts, key));

	if (!text)
		text = fsfacts_text(json_object_get(json_object_get(facts, "geometry"), key));
	if (!text)
		text = fsfacts_text(fsfacts_dotted(facts, key));
	return text ? text : fsfacts_feature(facts, key);
}
