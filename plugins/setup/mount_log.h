/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mount: reasons, from the log of the file system context and from the kernel's log. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#define MOUNT_LOG_SIZE 2048

/* Lines joined by "; "; best is the one that names an error, else the last. */
struct mount_log {
	char all[MOUNT_LOG_SIZE];
	char best[512];
	bool sure;
};

/*
 * "loop3" of "/dev/loop3": the kernel's name, also behind symbolic links and device-mapper
 * nodes.
 */
static inline void mount_kernel_name(const char *device, char *name, size_t size)
{
	char path[64], link[512];
	const char *base = strrchr(device, '/') ? strrchr(device, '/') + 1 : device;
	struct stat st;
	ssize_t n;

	snprintf(name, size, "%.60s", base);
	if (stat(device, &st) < 0 || !S_ISBLK(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	base = strrchr(link, '/');
	snprintf(name, size, "%.60s", base ? base + 1 : link);
}

/* Is the device's name there as a word of its own? "loop3" is not in "loop31". */
static inline bool mount_mentions(const char *line, const char *name)
{
	size_t len = strlen(name);
	const char *p = line;

	while (len && (p = strstr(p, name)) != NULL) {
		bool before = p == line || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');

		if (before && !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
		p++;
	}
	return false;
}

static inline bool mount_names_error(const char *line)
{
	static const char *const words[] = { "invalid",	    "must",  "error",	    "fail",
					     "cannot",	    "can't", "unknown",	    "bad ",
					     "too ",	    "not ",  "unsupported", "refus",
					     "corrupt",	    "no ",   "specify",	    "wrong",
					     "unrecognized" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

static inline void mount_log_add(struct mount_log *log, const char *line)
{
	size_t used = strlen(log->all);

	snprintf(log->all + used, sizeof(log->all) - used, "%s%s", used ? "; " : "", line);
	if (log->sure)
		return;
	snprintf(log->best, sizeof(log->best), "%.500s", line);
	log->sure = mount_names_error(line);
}

/* Messages of the context: "e ..." into errors; warnings become warnings of the step. */
static inline void mount_read_context(struct fst_ctx *ctx, int fd, struct mount_log *errors)
{
	char line[1024];
	ssize_t n;
	int limit = 100;

	while (limit-- > 0 && (n = read(fd, line, sizeof(line) - 1)) >= 0) {
		while (n > 0 && line[n - 1] == '\n')
			n--;
		line[n] = '\0';
		if (n > 2 && line[0] == 'e' && line[1] == ' ')
			mount_log_add(errors, line + 2);
		else if (n > 2 && line[0] == 'w' && line[1] == ' ')
			fst_warning(ctx, "mount: %s", line + 2);
	}
}

/* The kernel's log from here on, or -1 when it may not be read. */
static inline int mount_kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The text of one record "6,1234,5678,-;TEXT\n KEY=VALUE", cut in place; NULL: none. */
static inline char *mount_kmsg_text(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text++;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* What the kernel said of the device since the log was opened. */
static inline void mount_read_kmsg(int fd, const char *name, struct mount_log *log)
{
	char record[8192], *text;
	ssize_t n;
	int limit = 10000;

	while (fd >= 0 && limit-- > 0) {
		n = read(fd, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		text = mount_kmsg_text(record);
		if (text && mount_mentions(text, name))
			mount_log_add(log, text);
	}
}
