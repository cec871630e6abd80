/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least that a program can do to make, look at, read and remove files and still measure: what the
 * workload metadata is held against. One system call an operation where there is one, names written by
 * hand, the clock read once an operation, the largest latency kept; nothing else.
 *
 *     meta_loops DIR FILES SIZE
 *
 * Prints a line for each phase: its name, operations a second, ns of processor time an operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DIGITS = 15 };

static char buffer[1 << 18];
static char name[DIGITS + 2] = "f000000000000000";
static uint64_t largest;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000u;
}

static void put_name(uint64_t number)
{
	for (int i = DIGITS; number; i--, number >>= 4)
		name[i] = "0123456789abcdef"[number & 15];
}

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static void create(int dir, size_t size)
{
	int fd;

	if (!size) {
		must(mknodat(dir, name, S_IFREG | 0644, 0) == 0, "create");
		return;
	}
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	must(fd >= 0, "create");
	must(write(fd, buffer, size) == (ssize_t)size, "write");
	must(close(fd) == 0, "close");
}

static void look(int dir, size_t size)
{
	struct stat st;

	(void)size;
	must(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0, "stat");
}

static void read_one(int dir, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	must(fd >= 0, "open");
	must(read(fd, buffer, sizeof(buffer)) == (ssize_t)size, "read");
	must(close(fd) == 0, "close");
}

static void delete(int dir, size_t size)
{
	(void)size;
	must(unlinkat(dir, name, 0) == 0, "unlink");
}

static void phase(const char *what, void (*one)(int dir, size_t size), int dir, uint64_t n, size_t size)
{
	uint64_t cpu = cpu_ns(), begin = now_ns(), last = begin;

	memset(name + 1, '0', DIGITS);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end;

		put_name(i);
		one(dir, size);
		end = now_ns();
		if (end - last > largest)
			largest = end - last;
		last = end;
	}
	printf("%s %.6g %.6g\n", what, (double)n * 1e9 / (double)(last - begin),
	       (double)(cpu_ns() - cpu) / (double)n);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*one)(int dir, size_t size);
	} phases[] = {
		{ "create", create }, { "stat", look }, { "open_read_close", read_one }, { "unlink", delete },
	};
	int dir = argc == 4 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (dir < 0) {
		fprintf(stderr, "meta_loops DIR FILES SIZE\n");
		return 2;
	}
	memset(buffer, 'x', sizeof(buffer));
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		phase(phases[i].name, phases[i].one, dir, strtoull(argv[2], NULL, 10),
		      strtoull(argv[3], NULL, 10));
	return largest ? 0 : 1;
}
