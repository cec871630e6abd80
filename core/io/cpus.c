/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processors a worker may run on. */
#include "core/io/cpus.h"

#include <errno.h>
#include <stdlib.h>

/* One number; *text moves behind it. -1: none, or beyond what there can be. */
static long cpus_number(const char **text)
{
	char *end;
	long n;

	if (**text < '0' || **text > '9')
		return -1;
	n = strtol(*text, &end, 10);
	*text = end;
	return n < CPU_SETSIZE ? n : -1;
}

int cpus_parse(const char *text, cpu_set_t *set, struct err *e)
{
	const char *at = text;

	CPU_ZERO(set);
	for (;;) {
		long from = cpus_number(&at), to = from;

		if (from >= 0 && *at == '-') {
			at++;
			to = cpus_number(&at);
		}
		if (from < 0 || to < from)
			break;
		for (long i = from; i <= to; i++)
			CPU_SET((size_t)i, set);
		if (!*at)
			return 0;
		if (*at++ != ',')
			break;
	}
	return err_set(e, EINVAL, "is not a list of processors like \"0,2-3\", below %d",
		       CPU_SETSIZE);
}

void cpus_of_worker(const cpu_set_t *all, int policy, uint32_t index, cpu_set_t *own)
{
	uint32_t skip = index % (uint32_t)CPU_COUNT(all);

	*own = *all;
	if (policy == CPUS_SHARED)
		return;
	CPU_ZERO(own);
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, all) && !skip--) {
			CPU_SET(i, own);
			return;
		}
	}
}

int cpus_bind(const struct step_options *o, uint32_t index, struct err *e)
{
	cpu_set_t all, own;
	int r;

	if (!o->cpus_allowed)
		return 0;
	r = cpus_parse(o->cpus_allowed, &all, e);
	if (r < 0)
		return r;
	cpus_of_worker(&all, o->cpus_allowed_policy, index, &own);
	if (sched_setaffinity(0, sizeof(own), &own) == 0)
		return 0;
	return errno == EINVAL ? err_set(e, EINVAL,
					 "cpus_allowed = \"%s\": worker %u has no processor that "
					 "is there and that this process may use",
					 o->cpus_allowed, index)
			       : err_sys(e, errno, "cpus_allowed = \"%s\"", o->cpus_allowed);
}
