/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job is run on. */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/job/frame.h"
#include "core/util/blockdev.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

struct target_cfg {
	uint64_t scratch, sector_size, count;
	const char *scratch_dir, *device, *directory;
	struct fst_list devices, destroy;
	bool overwrite;
};

#define TARGET_AT(member) offsetof(struct target_cfg, member)

static const struct fst_param target_params[] = {
	{ .name = "scratch",
	  .type = FST_SIZE,
	  .offset = TARGET_AT(scratch),
	  .def = "2GiB",
	  .min = "1MiB",
	  .doc = "Size of a sparse image on a loop device, made and removed by the run." },
	{ .name = "sector_size",
	  .type = FST_U64,
	  .offset = TARGET_AT(sector_size),
	  .def = "512",
	  .unit = "bytes",
	  .doc = "Logical sector of the scratch device: 512 or 4096." },
	{ .name = "scratch_dir",
	  .type = FST_PATH,
	  .offset = TARGET_AT(scratch_dir),
	  .def = "/var/tmp",
	  .doc = "Where the image is made." },
	{ .name = "count",
	  .type = FST_U64,
	  .offset = TARGET_AT(count),
	  .def = "1",
	  .min = "1",
	  .max = "64",
	  .unit = "devices",
	  .doc = "How many such images, each of that size: for arrays, volumes, external logs." },
	{ .name = "device",
	  .type = FST_STR,
	  .offset = TARGET_AT(device),
	  .doc = "Full path of a block device; what is on it is lost." },
	{ .name = "devices",
	  .type = FST_LIST,
	  .offset = TARGET_AT(devices),
	  .doc = "Full paths of several; the first is the trial's device until a step makes another one of them." },
	{ .name = "destroy",
	  .type = FST_LIST,
	  .offset = TARGET_AT(destroy),
	  .doc = "Confirms each device by its kernel name, serial number or by-id name." },
	{ .name = "overwrite",
	  .type = FST_BOOL,
	  .offset = TARGET_AT(overwrite),
	  .def = "false",
	  .doc = "Goes on although the device holds a file system or the like." },
	{ .name = "directory",
	  .type = FST_PATH,
	  .offset = TARGET_AT(directory),
	  .doc = "An existing directory: nothing is formatted or mounted, no root is needed." },
};

/* Which of the three kinds a key belongs to, in the table's order. */
static const enum target_kind target_key_kind[] = { TARGET_SCRATCH, TARGET_SCRATCH, TARGET_SCRATCH,
						    TARGET_SCRATCH, TARGET_DEVICE,  TARGET_DEVICE,
						    TARGET_DEVICE,  TARGET_DEVICE,  TARGET_DIRECTORY };
static const char *const target_kind_names[] = { "scratch", "device", "directory" };
/* The keys that say which it is. */
static const struct {
	const char *key;
	enum target_kind kind;
} target_makers[] = {
	{ "scratch", TARGET_SCRATCH },
	{ "device", TARGET_DEVICE },
	{ "devices", TARGET_DEVICE },
	{ "directory", TARGET_DIRECTORY },
};

static struct param_layer target_layer(struct target_cfg *cfg, uint64_t *given)
{
	return (struct param_layer){
		"target", target_params, ARRAY_SIZE(target_params), sizeof(target_params[0]),
		cfg,	  given
	};
}

static void target_unknown(const struct value *at, const char *key, struct diag *d)
{
	const char *names[ARRAY_SIZE(target_params)];

	for (size_t i = 0; i < ARRAY_SIZE(target_params); i++)
		names[i] = target_params[i].name;
	frame_unknown(at, key, names, ARRAY_SIZE(names), d);
}

/* Exactly one of them; a group with none of them but keys of scratch is a scratch. */
static int target_kind_of(const struct value *target, enum target_kind *kind, struct diag *d)
{
	unsigned n = 0;

	*kind = TARGET_SCRATCH;
	for (size_t i = 0; i < ARRAY_SIZE(target_makers); i++) {
		if (!value_get(target, target_makers[i].key))
			continue;
		*kind = target_makers[i].kind;
		n++;
	}
	if (n <= 1)
		return 0;
	diag_add(d, target->file, target->line,
		 "only one of scratch, device, devices and directory can be the target");
	return -EINVAL;
}

static void target_parse(const struct job *job, const struct value *target, enum target_kind kind,
			 struct param_layer *l, struct param_arena *a, struct diag *d)
{
	for (size_t i = 0; i < target->u.l.n; i++) {
		const struct value *v = target->u.l.v[i];
		const char *key = target->u.l.names[i];
		uint32_t at;

		if (param_find(l, key, &at)) {
			target_unknown(v, key, d);
		} else if (target_key_kind[at] != kind) {
			diag_add(d, v->file, v->line, "%s goes with %s, and this target is a %s",
				 key, target_kind_names[target_key_kind[at]],
				 target_kind_names[kind]);
		} else if (frame_set(job, l, at, v, a, d)) {
			continue; /* said */
		}
	}
}

static const struct value *target_at(const struct value *target, const char *key)
{
	const struct value *v = value_get(target, key);

	return v ? v : target;
}

/* What a list can have that one device cannot; who they are is for the guard to find out. */
static void target_check_devices(const struct fst_list *l, const struct value *at, struct diag *d)
{
	if (!l->n)
		diag_add(d, at->file, at->line, "devices: expects one at least");
	if (l->n > TARGET_MAX_DEVICES)
		diag_add(d, at->file, at->line, "devices: %zu are too many, at most %d", l->n,
			 TARGET_MAX_DEVICES);
	for (size_t i = 0; i < l->n; i++) {
		if (*l->v[i] != '/')
			diag_add(d, at->file, at->line,
				 "devices: \"%s\": expects a full path, \"/dev/%s\"", l->v[i], l->v[i]);
		for (size_t k = 0; k < i; k++)
			if (str_eq(l->v[i], l->v[k]))
				diag_add(d, at->file, at->line, "devices: %s is there twice", l->v[i]);
	}
}

static void target_check(const struct target_cfg *cfg, const struct value *target,
			 enum target_kind kind, struct diag *d)
{
	const struct value *at = value_get(target, "devices");

	if (at)
		target_check_devices(&cfg->devices, at, d);
	if (kind == TARGET_SCRATCH && cfg->sector_size != 512 && cfg->sector_size != 4096) {
		at = target_at(target, "sector_size");
		diag_add(d, at->file, at->line, "sector_size = %llu: must be 512 or 4096",
			 (unsigned long long)cfg->sector_size);
	} else if (kind == TARGET_SCRATCH && cfg->scratch % cfg->sector_size) {
		at = target_at(target, "scratch");
		diag_add(d, at->file, at->line,
			 "scratch: %llu bytes are not a multiple of the sector size",
			 (unsigned long long)cfg->scratch);
	} else if (kind == TARGET_DEVICE && cfg->device && *cfg->device != '/') {
		at = target_at(target, "device");
		diag_add(d, at->file, at->line, "device = \"%s\": expects a full path, \"/dev/%s\"",
			 cfg->device, cfg->device);
	}
}

static char **target_strings(const char *const *v, size_t n)
{
	char **out = xcalloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = xstrdup(v[i]);
	return out;
}

static void target_fill(struct job_target *t, const struct target_cfg *cfg, enum target_kind kind)
{
	t->kind = kind;
	t->scratch_size = cfg->scratch;
	t->scratch_count = (uint32_t)cfg->count;
	t->scratch_sector = (uint32_t)cfg->sector_size;
	t->scratch_dir = xstrdup(cfg->scratch_dir);
	t->overwrite = cfg->overwrite;
	if (cfg->device)
		t->devices = target_strings(&cfg->device, 1);
	else
		t->devices = target_strings(cfg->devices.v, cfg->devices.n);
	if (cfg->directory)
		t->directory = xstrdup(cfg->directory);
	t->destroy = target_strings(cfg->destroy.v, cfg->destroy.n);
}

/* --destroy NAME, behind what the job says. */
static void target_add_destroy(struct job_target *t, const struct job_options *opt)
{
	size_t n = 0;

	while (t->destroy[n])
		n++;
	t->destroy = xreallocarray(t->destroy, n + opt->n_destroy + 1, sizeof(*t->destroy));
	for (size_t i = 0; i < opt->n_destroy; i++)
		t->destroy[n++] = xstrdup(opt->destroy[i]);
	t->destroy[n] = NULL;
}

/* --directory: relative to where the command is given. */
static void target_use_directory(struct job_target *t, const char *directory)
{
	_cleanup_free_ char *cwd = getcwd(NULL, 0);

	t->kind = TARGET_DIRECTORY;
	free(t->directory);
	if (*directory == '/' || !cwd)
		t->directory = xstrdup(directory);
	else
		t->directory = xasprintf("%s/%s", cwd, directory);
}

void frame_load_target(struct job *job, const struct value *target, const struct job_options *opt,
		       struct diag *d)
{
	struct target_cfg cfg = { 0 };
	uint64_t given = 0;
	struct param_layer l = target_layer(&cfg, &given);
	enum target_kind kind = TARGET_SCRATCH;
	struct param_arena a = { 0 };

	d->prefix = "target";
	param_set_defaults(&l, &job->names, &a);
	if (target && target->type != VALUE_GROUP) {
		diag_add(d, target->file, target->line,
			 "expects a group, as in target = { scratch = \"2GiB\"; };");
	} else if (target) {
		job->target.file = target->file;
		job->target.line = target->line;
		if (!target_kind_of(target, &kind, d)) {
			target_parse(job, target, kind, &l, &a, d);
			target_check(&cfg, target, kind, d);
		}
	}
	target_fill(&job->target, &cfg, kind);
	if (opt)
		target_add_destroy(&job->target, opt);
	if (opt && opt->directory)
		target_use_directory(&job->target, opt->directory);
	job->names.target_size = job_target_size(&job->target, 1);
	job->names.target_count = job_target_count(&job->target);
	param_arena_free(&a);
	d->prefix = NULL;
}

void frame_release_target(struct job_target *t)
{
	free(t->scratch_dir);
	str_freev(t->devices);
	str_freev(t->destroy);
	free(t->directory);
	*t = (struct job_target){ 0 };
}
