/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registry and job for the commands. */
#include "core/cli/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/record/result.h"
#include "core/run/session.h"
#include "core/util/exit.h"
#include "core/util/log.h"

void load_free(struct load_args *a)
{
	args_free_list(&a->plugin_dirs);
	args_free_list(&a->set);
	args_free_list(&a->destroy);
}

int load_registry(const struct load_args *a, struct registry *reg)
{
	struct err e = { 0 };

	memset(reg, 0, sizeof(*reg));
	if (registry_load(a->plugin_dirs.v, a->plugin_dirs.n, reg, &e) == 0)
		return 0;
	log_error("%s", e.text);
	return EXIT_USAGE;
}

int load_job(const char *path, const struct load_args *a, const struct registry *reg,
	     struct job *job)
{
	const struct job_options opt = {
		.set = a->set.v,
		.n_set = a->set.n,
		.repeats = a->repeats,
		.directory = a->directory,
		.destroy = a->destroy.v,
		.n_destroy = a->destroy.n,
	};
	struct diag d = { 0 };
	int r;

	memset(job, 0, sizeof(*job));
	r = job_load(path, &opt, reg, job, &d);
	if (r == 0)
		r = preflight_check(job, &d);
	diag_print(&d, stderr);
	if (r < 0 && !d.n)
		log_error("%s: %s", path, strerror(-r));
	diag_free(&d);
	if (r == 0)
		return 0;
	return r == -EPERM ? EXIT_REFUSED : EXIT_USAGE;
}

int load_result(const char *path, json_t **doc)
{
	struct err e = { 0 };

	if (result_load(path, doc, &e) == 0)
		return 0;
	log_error("%s", e.text);
	return EXIT_USAGE;
}
