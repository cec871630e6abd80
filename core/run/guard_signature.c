/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device guard: what is written on the device. */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/run/guard_internal.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

#define GUARD_SIGNATURES_MAX 16 /* named in one message; the rest is counted */

struct guard_signatures {
	struct strbuf text;
	unsigned int n;	      /* all of them */
	unsigned int foreign; /* those that are not our own */
};

static const char *guard_value(blkid_probe pr, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(pr, name, &value, NULL) ? NULL : value;
}

/* As one says it: "an xfs", "an LVM2_member", "a btrfs". */
static const char *guard_article(const char *type)
{
	return strchr("aeioxAEFHILMNORSX", *type) ? "an" : "a";
}

static const char *guard_noun(const char *usage)
{
	static const struct {
		const char *usage, *noun;
	} nouns[] = {
		{ "filesystem", "file system" },
		{ "raid", "signature" },
		{ "crypto", "volume" },
	};

	for (size_t i = 0; usage && i < ARRAY_SIZE(nouns); i++) {
		if (str_eq(usage, nouns[i].usage))
			return nouns[i].noun;
	}
	return "signature";
}

static void guard_describe_table(blkid_probe pr, const char *type, struct strbuf *sb)
{
	blkid_partlist list = blkid_probe_get_partitions(pr);
	int n = list ? blkid_partlist_numof_partitions(list) : 0;

	strbuf_addf(sb, "%s %s partition table", guard_article(type), type);
	if (n > 0)
		strbuf_addf(sb, " (%d partition%s)", n, n == 1 ? "" : "s");
}

static void guard_describe_superblock(blkid_probe pr, const char *type, struct strbuf *sb)
{
	const char *label = guard_value(pr, "LABEL"), *uuid = guard_value(pr, "UUID");
	const char *bad = guard_value(pr, "SBBADCSUM");

	strbuf_addf(sb, "%s %s %s", guard_article(type), type,
		    guard_noun(guard_value(pr, "USAGE")));
	if (!label && !uuid && !bad)
		return;
	strbuf_addstr(sb, " (");
	if (label)
		strbuf_addf(sb, "label %s%s", label, uuid || bad ? ", " : "");
	if (uuid)
		strbuf_addf(sb, "uuid %s%s", uuid, bad ? ", " : "");
	if (bad)
		strbuf_addstr(sb, "damaged");
	strbuf_addch(sb, ')');
}

/* One result of the prober; a partition table and a superblock come as two. */
static void guard_add_signature(blkid_probe pr, struct guard_signatures *s)
{
	const char *type = guard_value(pr, "TYPE"), *value = guard_value(pr, "PTTYPE");
	/* Asking for the partitions makes the prober forget its values. */
	_cleanup_free_ char *table = value ? xstrdup(value) : NULL;
	bool ours = type && !table && str_eq(guard_value(pr, "USAGE"), "filesystem") &&
		    str_eq(guard_value(pr, "LABEL"), GUARD_LABEL);

	s->n++;
	s->foreign += !ours;
	if (s->n > GUARD_SIGNATURES_MAX)
		return;
	if (s->n > 1)
		strbuf_addstr(&s->text, " and ");
	if (type)
		guard_describe_superblock(pr, type, &s->text);
	if (type && table)
		strbuf_addstr(&s->text, " and ");
	if (table)
		guard_describe_table(pr, table, &s->text);
	if (!type && !table)
		strbuf_addstr(&s->text, "a signature without a name");
}

static blkid_probe guard_new_probe(int fd)
{
	/* A superblock with a wrong checksum is still somebody's. */
	const int flags = BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
			  BLKID_SUBLKS_UUID | BLKID_SUBLKS_BADCSUM;
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0) || blkid_probe_enable_superblocks(pr, 1) ||
	    blkid_probe_set_superblocks_flags(pr, flags) || blkid_probe_enable_partitions(pr, 1)) {
		blkid_free_probe(pr);
		return NULL;
	}
	return pr;
}

/*
 * safeprobe gives the verdict but names one signature only, and none at all where there are several
 * (-2); the plain prober then lists them all. What either of the two finds counts.
 */
static int guard_probe(blkid_probe pr, struct guard_signatures *s)
{
	int verdict = blkid_do_safeprobe(pr), ret;

	if (verdict == -1)
		return -EIO;
	blkid_reset_probe(pr);
	while ((ret = blkid_do_probe(pr)) == 0)
		guard_add_signature(pr, s);
	if (ret < 0)
		return -EIO;
	if (verdict != 1 && !s->n) {
		s->n = s->foreign = 1;
		strbuf_addstr(&s->text, "several signatures that contradict each other");
	}
	return 0;
}

int guard_check_signature(struct guard *g, struct err *e)
{
	struct guard_signatures s = { .text = STRBUF_INIT };
	blkid_probe pr = guard_new_probe(g->fd);
	int ret = pr ? guard_probe(pr, &s) : -EIO;

	if (ret)
		ret = err_set(e, EPERM,
			      "%s cannot be probed for what it holds: it is not readable to its "
			      "end, or libblkid failed",
			      g->subject);
	else if (s.foreign && !g->r->overwrite)
		ret = err_set(e, EPERM,
			      "%s holds %.700s%s: add overwrite = true to target if that may "
			      "go",
			      g->subject, strbuf_str(&s.text),
			      s.n > GUARD_SIGNATURES_MAX ? " and more" : "");
	blkid_free_probe(pr);
	strbuf_free(&s.text);
	return ret;
}

char *guard_holds(const char *path)
{
	struct guard_signatures s = { .text = STRBUF_INIT };
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	blkid_probe pr = fd < 0 ? NULL : guard_new_probe(fd);
	char *text = NULL;

	if (pr && guard_probe(pr, &s) == 0)
		text = s.n ? strbuf_steal(&s.text) : xstrdup("nothing known");
	blkid_free_probe(pr);
	strbuf_free(&s.text);
	return text;
}
