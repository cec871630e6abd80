/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a compressed disk in memory; the trial goes on there. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "block_cmd.h"
#include "block_module.h"

#define ZRAM_CONTROL "/sys/class/zram-control"
#define ZRAM_MAX_LIST 512

struct zram_cfg {
	uint64_t size, mem_limit;
	const char *algorithm;
};

#define ZRAM_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct zram_cfg, n)

static const struct fst_param zram_params[] = {
	{ ZRAM_PARAM(size, FST_SIZE), .alias = "disksize", .flags = FST_REQUIRED,
	  .doc = "The disk's size, whole pages." },
	{ ZRAM_PARAM(algorithm, FST_STR), .alias = "comp_algorithm",
	  .doc = "How it compresses, one of what the kernel offers: lzo-rle, lz4, zstd; the "
		 "kernel's choice when not "
		 "given." },
	{ ZRAM_PARAM(mem_limit, FST_SIZE), .doc = "Memory that it may take; a write beyond that "
						  "fails with EIO, as on a full thin device." },
};

static const struct fst_tool zram_tools[] = {
	{ "modprobe", "--version", "kmod" },
};

/* ---- probe, check, estimate -------------------------------------------------------------------- */

static int zram_probe(struct fst_ctx *ctx)
{
	if (access(ZRAM_CONTROL, F_OK) == 0)
		return 0;
	if (!fst_find_tool(ctx, "modprobe"))
		return fst_error(
			ctx, EOPNOTSUPP,
			"the kernel has no zram, and there is no modprobe (package kmod) to load "
			"it");
	return block_need_module(ctx, "zram");
}

static int zram_check(struct fst_ctx *ctx)
{
	const struct zram_cfg *cfg = ctx->cfg;

	if (!cfg->size)
		return fst_error(ctx, 0, "size is 0");
	if (cfg->size % 4096)
		return fst_error(ctx, 0, "size is not a multiple of 4KiB");
	if (cfg->algorithm &&
	    cfg->algorithm[strspn(cfg->algorithm, "abcdefghijklmnopqrstuvwxyz0123456789-_")])
		return fst_error(ctx, 0, "algorithm: %s is none", cfg->algorithm);
	return 0;
}

static int zram_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct zram_cfg *cfg = ctx->cfg;

	fst_plan(ctx, NULL, "adds a zram device of %" PRIu64 " bytes", cfg->size);
	est->time_ns = 50000000;
	return 0;
}

/* ---- which one is ours ------------------------------------------------------------------------- */

/* Names of all zram devices, each between blanks, and the highest sequence number of any disk. */
static void zram_list(char *text, size_t size, uint64_t *newest)
{
	size_t n = (size_t)snprintf(text, size, " ");
	struct dirent *e;
	uint64_t seq;
	DIR *d = opendir("/sys/block");

	*newest = 0;
	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		if (block_sys_number(e->d_name, "diskseq", &seq) == 0 && seq > *newest)
			*newest = seq;
		if (strncmp(e->d_name, "zram", 4) == 0 && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s ", e->d_name);
	}
	if (d)
		closedir(d);
}

/*
 * The number is only known when the device is there. Killed between the two, it is the one that was not there
 * before, is the next disk that came, and has no size yet: nobody else's can be all of these.
 */
static bool zram_is_nameless(const char *name, const char *before, uint64_t newest)
{
	char word[BLOCK_NAME_MAX];
	uint64_t seq, bytes;

	snprintf(word, sizeof(word), " %.50s ", name);
	return strncmp(name, "zram", 4) == 0 && !strstr(before, word) &&
	       block_sys_number(name, "diskseq", &seq) == 0 && seq == newest + 1 &&
	       block_sys_number(name, "disksize", &bytes) == 0 && bytes == 0;
}

/* The name of the device that apply made; false: there is none, or its number has another one now. */
static bool zram_find(struct fst_ctx *ctx, char *name, size_t size)
{
	const char *saved = fst_saved(ctx, "zram"), *seq = fst_saved(ctx, "diskseq");
	const char *before = fst_saved(ctx, "before"), *newest = fst_saved(ctx, "newest");
	char now[32];
	struct dirent *e;
	bool found = false;
	DIR *d;

	if (saved) {
		snprintf(name, size, "%s", saved);
		if (!block_is_there(name))
			return false;
		return !seq || block_sys_read(name, "diskseq", now, sizeof(now)) < 0 ||
		       strcmp(seq, now) == 0;
	}
	d = before && newest ? opendir("/sys/block") : NULL;
	while (d && !found && (e = readdir(d)) != NULL) {
		found = zram_is_nameless(e->d_name, before, strtoull(newest, NULL, 10));
		snprintf(name, size, "%.60s", e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

/* ---- apply ------------------------------------------------------------------------------------- */

static int zram_load(struct fst_ctx *ctx)
{
	struct block_args a = { .n = 0 };
	int r;

	if (access(ZRAM_CONTROL, F_OK) == 0)
		return 0;
	/* Unloaded again only if this step loaded it, and then nobody else's device is lost: a used one forbids it. */
	r = fst_save(ctx, "module", "zram");
	block_arg(&a, "modprobe");
	block_arg(&a, "zram");
	block_arg(&a, "num_devices=0");
	if (r == 0)
		r = block_run(ctx, &a, NULL);
	if (r == 0 && access(ZRAM_CONTROL, F_OK) < 0)
		r = fst_error(ctx, errno, "the kernel has no " ZRAM_CONTROL);
	return r;
}

static int zram_hot_add(struct fst_ctx *ctx, char *name, size_t size)
{
	char before[ZRAM_MAX_LIST], text[32];
	uint64_t newest;
	int fd, r;
	ssize_t n;

	zram_list(before, sizeof(before), &newest);
	snprintf(text, sizeof(text), "%" PRIu64, newest);
	r = fst_save(ctx, "before", before);
	if (r == 0)
		r = fst_save(ctx, "newest", text);
	if (r < 0)
		return r;
	fd = open(ZRAM_CONTROL "/hot_add", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fst_error(ctx, errno, "open %s", ZRAM_CONTROL "/hot_add");
	n = read(fd, text, sizeof(text) - 1); /* this makes the device */
	r = n < 0 ? errno : 0;
	close(fd);
	if (n < 0)
		return fst_error(ctx, r, "add a zram device");
	text[n] = '\0';
	snprintf(name, size, "zram%d", atoi(text));
	r = fst_save(ctx, "zram", name);
	if (r == 0 && block_sys_read(name, "diskseq", text, sizeof(text)) == 0)
		r = fst_save(ctx, "diskseq", text);
	return r;
}

static int zram_set(struct fst_ctx *ctx, const char *name, const char *attr, const char *value)
{
	char offers[256];
	int r = block_sys_write(name, attr, value);

	if (r == 0)
		return 0;
	if (strcmp(attr, "comp_algorithm") == 0 &&
	    block_sys_read(name, attr, offers, sizeof(offers)) == 0)
		return fst_error(ctx, -r, "algorithm = %s: the kernel offers %s", value, offers);
	return fst_error(ctx, -r, "write %s to %s of %s", value, attr, name);
}

static int zram_set_size(struct fst_ctx *ctx, const char *name, const char *attr, uint64_t bytes)
{
	char text[32];

	if (!bytes)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	return zram_set(ctx, name, attr, text);
}

static int zram_apply(struct fst_ctx *ctx)
{
	const struct zram_cfg *cfg = ctx->cfg;
	char name[BLOCK_NAME_MAX], path[BLOCK_NAME_MAX + 8];
	int r = zram_load(ctx);

	if (r == 0)
		r = zram_hot_add(ctx, name, sizeof(name));
	if (r < 0)
		return r;
	block_ask_number(ctx, "size", cfg->size);
	if (cfg->mem_limit)
		block_ask_number(ctx, "mem_limit", cfg->mem_limit);
	if (cfg->algorithm)
		fst_asked(ctx, "algorithm", cfg->algorithm, 0);
	/* The algorithm can only be chosen while there is no size. */
	if (cfg->algorithm)
		r = zram_set(ctx, name, "comp_algorithm", cfg->algorithm);
	if (r == 0)
		r = zram_set_size(ctx, name, "disksize", cfg->size);
	if (r == 0)
		r = zram_set_size(ctx, name, "mem_limit", cfg->mem_limit);
	snprintf(path, sizeof(path), "/dev/%s", name);
	return r < 0 ? r : fst_set_device(ctx, path);
}

/* ---- readback, revert -------------------------------------------------------------------------- */

/* The chosen one is in brackets. */
static void zram_say_algorithm(struct fst_ctx *ctx, const char *name)
{
	char text[256], *from, *to;

	if (block_sys_read(name, "comp_algorithm", text, sizeof(text)) < 0)
		return;
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		*to = '\0';
	fst_in_force(ctx, "algorithm", to ? from + 1 : text);
}

static int zram_readback(struct fst_ctx *ctx)
{
	const struct zram_cfg *cfg = ctx->cfg;
	char name[BLOCK_NAME_MAX], text[128];
	uint64_t bytes;

	if (!zram_find(ctx, name, sizeof(name)))
		return 0;
	if (block_sys_number(name, "disksize", &bytes) == 0)
		block_say_number(ctx, "size", bytes);
	zram_say_algorithm(ctx, name);
	/* orig compr used LIMIT max ... */
	if (cfg->mem_limit && block_sys_read(name, "mm_stat", text, sizeof(text)) == 0) {
		unsigned long long limit;

		if (sscanf(text, "%*u %*u %*u %llu", &limit) == 1)
			block_say_number(ctx, "mem_limit", limit);
	}
	return 0;
}

static int zram_remove_once(struct fst_ctx *ctx, void *arg)
{
	const char *name = arg;
	int fd, r;

	if (!zram_find(ctx, arg, BLOCK_NAME_MAX))
		return 0;
	r = block_sys_write(name, "reset", "1");
	if (r < 0)
		return r;
	fd = open(ZRAM_CONTROL "/hot_remove", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, name + 4, strlen(name + 4)) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static void zram_unload(struct fst_ctx *ctx)
{
	struct block_args a = { .n = 0 };
	struct fst_cmd_result res;

	if (!fst_saved(ctx, "module") || !block_module_loaded("zram"))
		return;
	block_arg(&a, "modprobe");
	block_arg(&a, "--remove");
	block_arg(&a, "--quiet");
	block_arg(&a, "zram");
	/* Somebody may have a device of his own meanwhile: then it stays. */
	(void)block_try(ctx, &a, &res);
}

static int zram_revert(struct fst_ctx *ctx)
{
	struct mount_holders h;
	char name[BLOCK_NAME_MAX] = "", path[BLOCK_NAME_MAX + 8];
	int r = block_until_free(ctx, zram_remove_once, name, BLOCK_BUSY_NS);

	if (r == 0) {
		zram_unload(ctx);
		return 0;
	}
	snprintf(path, sizeof(path), "/dev/%s", name);
	if (r != -EBUSY)
		return fst_error(ctx, -r, "remove %s", path);
	block_find_holders(&h, path);
	return fst_error(ctx, EBUSY,
			 "%s cannot be removed, it is held by %s; then: echo 1 > "
			 "/sys/block/%s/reset; echo %s > " ZRAM_CONTROL "/hot_remove",
			 path, h.text, name, name + 4);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "zram", .version = "1",
	       .summary = "makes a compressed disk in memory; the steps that follow work on it",
	       .description = "Adds a zram device of its own and removes it afterwards; those that "
			      "are there already are never "
			      "touched. It needs no disk and has no worker threads, so it is the "
			      "device with the least noise to "
			      "see what a file system or this program itself costs.\n"
			      "What is written is compressed: pages of zeros cost nothing at all, "
			      "random data as much memory as "
			      "its size. Sectors have 4KiB.\n"
			      "With mem_limit writes fail with EIO when it is reached.\n"
			      "If the module has to be loaded for it, it is unloaded afterwards.",
	       FST_PARAMS(zram_params), FST_TOOLS(zram_tools), .cfg_size = sizeof(struct zram_cfg),
	       .flags = FST_NEEDS_ROOT | FST_VOLATILE | FST_PROVIDES_DEVICE, .probe = zram_probe,
	       .check = zram_check, .estimate = zram_estimate, .apply = zram_apply,
	       .readback = zram_readback, .revert = zram_revert);
