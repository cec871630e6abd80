/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics that depend on a step's parameters: declared by its plugin's check, beside those of the table. */
#include <errno.h>
#include <string.h>

#include "core/plugin/element.h"
#include "core/plugin/host.h"
#include "core/plugin/validate.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* More is a mistake. */
#define DECLARED_MAX 256u

struct fst_metric *plugin_metrics(const struct fstrial_plugin *d, const struct fst_metric *more, uint32_t n_more,
				  uint32_t *n)
{
	struct fst_metric *all = xcalloc(d->n_metrics + n_more + 1UL, sizeof(*all));

	for (*n = 0; *n < d->n_metrics; ++*n)
		plugin_metric(d, *n, &all[*n]);
	for (uint32_t i = 0; i < n_more; i++) {
		uint32_t k = 0;

		while (k < *n && !str_eq(all[k].name, more[i].name))
			k++;
		all[k] = more[i];
		*n += k == *n;
	}
	return all;
}

static void declared_free(struct fst_metric *m)
{
	/* Ours, by declared_copy(). */
	free((char *)(uintptr_t)m->name);
	free((char *)(uintptr_t)m->unit);
	free((char *)(uintptr_t)m->doc);
}

static struct fst_metric declared_copy(const struct fst_metric *m)
{
	struct fst_metric copy = *m;

	copy.name = xstrdup(m->name);
	copy.unit = xstrdup(m->unit);
	copy.doc = xstrdup(m->doc);
	return copy;
}

static int declared_check(const struct host *h, const struct fst_metric *m, struct err *e)
{
	if (!(h->plugin->desc.flags & FST_DECLARES_METRICS))
		return err_set(e, EPERM, "fst_declare_metric() of a plugin without FST_DECLARES_METRICS");
	if (!m->name || !validate_word(m->name))
		return err_set(e, EINVAL, "metric \"%.64s\": a name is of the form [a-z][a-z0-9_]*",
			       m->name ? m->name : "");
	if (h->n_declared == DECLARED_MAX)
		return err_set(e, EINVAL, "metric \"%s\": more than %u", m->name, DECLARED_MAX);
	return validate_metric(m, e);
}

int host_declare(struct fst_ctx *ctx, const struct fst_metric *raw, uint32_t size)
{
	struct host *h = host_of(ctx);
	struct fst_metric m;
	struct err e = { 0 };
	uint32_t i = 0;

	element_copy(raw, 0, size, &m, sizeof(m));
	if (!element_tail_is_zero(raw, size, sizeof(m)))
		return err_set(&h->err, EINVAL, "a declared metric " VALIDATE_NEWER);
	if (declared_check(h, &m, &e) < 0)
		return err_set(&h->err, e.code, "%s", e.text);
	while (i < h->n_declared && !str_eq(h->declared[i].name, m.name))
		i++;
	if (i == h->n_declared)
		h->declared = xrealloc(h->declared, ++h->n_declared * sizeof(*h->declared));
	else
		declared_free(&h->declared[i]);
	h->declared[i] = declared_copy(&m);
	return 0;
}

void host_release_declared(struct host *h)
{
	for (uint32_t i = 0; i < h->n_declared; i++)
		declared_free(&h->declared[i]);
	free(h->declared);
	h->declared = NULL;
	h->n_declared = 0;
}
