/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload on a device instead of files: what is wrong about that can be seen without looking at the device. */
#include "core/job/step_device.h"

#include <errno.h>
#include <string.h>

#include "core/io/device.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"

bool step_on_device(const struct step *s)
{
	return plugin_is_data_workload(s->plugin) && io_on_device(&s->io);
}

/* "target", "target.2" */
static bool device_is_word(const char *name)
{
	const char *number;

	if (!str_starts(name, "target"))
		return false;
	number = name + strlen("target");
	if (!*number)
		return true;
	return *number++ == '.' && *number >= '1' && *number <= '9' &&
	       strspn(number, "0123456789") == strlen(number);
}

/* The last active step before it that has the flag; NULL: there is none. */
static const struct job_step *device_step_before(const struct job *job, size_t step,
						 uint32_t variant, uint64_t flag, size_t *index)
{
	for (size_t i = step; i-- > 0;) {
		const struct plugin *p = job->steps[i].plugin;

		if (!p || !(p->desc.flags & flag) ||
		    (i >= job->n_once && !job_step_active(job, i, variant)))
			continue;
		*index = i;
		return &job->steps[i];
	}
	return NULL;
}

const struct job_step *step_mounts_device(const struct job *job, size_t step, uint32_t variant)
{
	const struct job_step *mounts;
	size_t mounted, made;

	mounts = device_step_before(job, step, variant, FST_PROVIDES_DIR, &mounted);
	if (!mounts || !device_step_before(job, step, variant, FST_PROVIDES_DEVICE, &made))
		return mounts;
	return made < mounted ? mounts : NULL;
}

bool job_makes_device(const struct job *job, size_t step)
{
	while (step-- > 0)
		if (job->steps[step].plugin &&
		    (job->steps[step].plugin->desc.flags & FST_PROVIDES_DEVICE))
			return true;
	return false;
}

/* How large the device that is meant will be; 0: not known yet. */
static uint64_t device_size(const struct step_work *w)
{
	const struct job *job = w->job;
	const char *name = w->out->io.filename;
	size_t made;

	if (job->target.kind == TARGET_DIRECTORY)
		return 0;
	if (str_eq(name, "target"))
		return device_step_before(job, (size_t)(w->def - job->steps), w->variant,
					  FST_PROVIDES_DEVICE, &made)
			       ? 0
			       : job->names.target_size;
	/* Images are all of one size. */
	return str_eq(name, "target.1") || (job->target.kind == TARGET_SCRATCH && *name != '/')
		       ? job->names.target_size
		       : 0;
}

void step_check_device(struct step_work *w)
{
	const struct io_params *io = &w->out->io;
	uint64_t have, size;
	struct err e = { 0 };

	if (!io_on_device(io) || step_is_bad(w, "filename"))
		return;
	if (*io->filename != '/' && !device_is_word(io->filename)) {
		step_fail(w, "filename",
			  "filename = \"%s\": expects \"target\", \"target.2\" for the second of "
			  "several devices, or the "
			  "full path of one of them",
			  io->filename);
		return;
	}
	if (io->nrfiles > 1 && !step_is_bad(w, "nrfiles"))
		step_fail(w, "nrfiles", "nrfiles = %llu: filename names one device",
			  (unsigned long long)io->nrfiles);
	if (w->failed)
		return;
	have = device_size(w);
	if (have && device_range(io, w->out->opt.numjobs, have, io->filename, &size, &e) < 0)
		step_fail(w, io->size ? "size" : "offset", "%s", e.text);
}
