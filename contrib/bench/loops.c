/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least that a program can do and still measure: what fstrial is held against. Each loop reads
 * the clock where an I/O begins and where it ends, and counts the latency in a logarithmic histogram
 * with minimum, maximum and sum; nothing else.
 *
 *     loops null COUNT                     bookkeeping alone
 *     loops pread FILE SECONDS [direct]    random 4 KiB
 *     loops mmap FILE SECONDS              likewise, by memcpy
 *     loops uring FILE SECONDS DEPTH       likewise, direct, fixed buffers, registered file
 *     loops putc FILE MIBYTES              one character after the other through 256 KiB
 *
 * Prints one line: operations a second, ns of processor time an operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, SUB_BITS = 7, RANGE_BITS = 40, BUCKETS = 4352, PUTC_BUFFER = 256 << 10 };

struct hist {
	uint64_t count, min, max;
	double sum;
	uint64_t bucket[BUCKETS];
};

static struct hist hist = { .min = UINT64_MAX };

static inline uint64_t tick(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
#endif
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static inline void count(struct hist *h, uint64_t v)
{
	unsigned int e = v < 2u << SUB_BITS ? 0 : 63u - (unsigned int)__builtin_clzll(v) - SUB_BITS;
	uint64_t i = ((uint64_t)e << SUB_BITS) + (v >> e);

	h->bucket[i < BUCKETS ? i : BUCKETS - 1]++;
	h->count++;
	h->sum += (double)(int64_t)v;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
}

static inline uint64_t draw(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_file(const char *path, int flags, uint64_t *blocks)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0 || fstat(fd, &st) < 0)
		fail(path);
	*blocks = (uint64_t)st.st_size / BLOCK;
	if (!*blocks) {
		fprintf(stderr, "%s: empty\n", path);
		exit(1);
	}
	return fd;
}

static void *buffers(size_t n)
{
	void *p = NULL;

	if (posix_memalign(&p, BLOCK, n * BLOCK))
		abort();
	return memset(p, 1, n * BLOCK);
}

/* End of a timed loop, looked at seldom. */
static volatile sig_atomic_t over;

static void ring_bell(int sig)
{
	(void)sig;
	over = 1;
}

static void set_bell(double s)
{
	struct itimerspec t = { .it_value = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) } };
	timer_t id;

	signal(SIGALRM, ring_bell);
	if (timer_create(CLOCK_MONOTONIC, NULL, &id) < 0 || timer_settime(id, 0, &t, NULL) < 0)
		fail("timer");
}

static void loop_null(uint64_t n)
{
	uint64_t s = 88172645463325252u, sink = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t t = tick();

		sink += draw(&s) & 0xffff;
		__asm__ volatile("" : : "r"(sink) : "memory");
		count(&hist, tick() - t);
	}
}

static void loop_pread(const char *path, int flags)
{
	uint64_t blocks, s = 88172645463325252u;
	int fd = open_file(path, flags, &blocks);
	void *buf = buffers(1);

	while (!over) {
		off_t at = (off_t)(draw(&s) % blocks * BLOCK);
		uint64_t t = tick();

		if (pread(fd, buf, BLOCK, at) != BLOCK)
			fail("pread");
		count(&hist, tick() - t);
	}
}

static void loop_mmap(const char *path)
{
	uint64_t blocks, s = 88172645463325252u;
	int fd = open_file(path, 0, &blocks);
	const char *at = mmap(NULL, blocks * BLOCK, PROT_READ, MAP_SHARED, fd, 0);
	char *buf = buffers(1);

	if (at == MAP_FAILED)
		fail("mmap");
	while (!over) {
		uint64_t n = draw(&s) % blocks, t = tick();

		memcpy(buf, at + n * BLOCK, BLOCK);
		__asm__ volatile("" : : "r"(buf) : "memory");
		count(&hist, tick() - t);
	}
}

struct slot {
	uint64_t start;
	void *buf;
};

static void uring_setup(struct io_uring *ring, unsigned int depth, int fd, void *mem)
{
	struct iovec v = { mem, (size_t)depth * BLOCK };
	struct io_uring_params p = { .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN };
	int r = io_uring_queue_init_params(depth, ring, &p);

	if (r == 0)
		r = io_uring_register_buffers(ring, &v, 1);
	if (r == 0)
		r = io_uring_register_files(ring, &fd, 1);
	if (r == 0 && io_uring_register_ring_fd(ring) < 0)
		r = -EINVAL;
	errno = -r;
	if (r < 0)
		fail("io_uring");
}

static void loop_uring(const char *path, unsigned int depth)
{
	uint64_t blocks, s = 88172645463325252u;
	int fd = open_file(path, O_DIRECT, &blocks);
	char *mem = buffers(depth);
	struct slot *slots = calloc(depth, sizeof(*slots)), **unused = calloc(depth, sizeof(*unused));
	unsigned int n_unused = 0, head;
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	uring_setup(&ring, depth, fd, mem);
	for (unsigned int i = 0; i < depth; i++) {
		slots[i].buf = mem + (size_t)i * BLOCK;
		unused[n_unused++] = &slots[i];
	}
	while (!over) {
		uint64_t now;
		unsigned int n = 0;

		while (n_unused) {
			struct slot *slot = unused[--n_unused];
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

			io_uring_prep_read_fixed(sqe, 0, slot->buf, BLOCK, draw(&s) % blocks * BLOCK, 0);
			sqe->flags |= IOSQE_FIXED_FILE;
			sqe->user_data = (uintptr_t)slot;
			slot->start = tick();
		}
		if (io_uring_submit_and_wait(&ring, 1) < 0 && errno != EINTR)
			continue;
		now = tick();
		io_uring_for_each_cqe(&ring, head, cqe) {
			struct slot *slot = (struct slot *)(uintptr_t)cqe->user_data;

			if (cqe->res != BLOCK) {
				errno = -cqe->res;
				fail("read");
			}
			count(&hist, now - slot->start);
			unused[n_unused++] = slot;
			n++;
		}
		io_uring_cq_advance(&ring, n);
	}
}

static void loop_putc(const char *path, uint64_t bytes)
{
	FILE *f = fopen(path, "w");

	if (!f || setvbuf(f, NULL, _IOFBF, PUTC_BUFFER))
		fail(path);
	for (uint64_t i = 0; i < bytes; i++)
		if (putc_unlocked((int)(i & 0x7f), f) == EOF)
			fail(path);
	if (fclose(f))
		fail(path);
	hist.count = bytes;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	double wall, cpu;

	if (argc > 3 && strcmp(mode, "putc") != 0)
		set_bell(atof(argv[3]));
	wall = seconds();
	cpu = cpu_seconds();
	if (argc == 3 && !strcmp(mode, "null"))
		loop_null(strtoull(argv[2], NULL, 10));
	else if (argc >= 4 && !strcmp(mode, "pread"))
		loop_pread(argv[2], argc > 4 ? O_DIRECT : 0);
	else if (argc == 4 && !strcmp(mode, "mmap"))
		loop_mmap(argv[2]);
	else if (argc == 5 && !strcmp(mode, "uring"))
		loop_uring(argv[2], (unsigned int)atoi(argv[4]));
	else if (argc == 4 && !strcmp(mode, "putc"))
		loop_putc(argv[2], strtoull(argv[3], NULL, 10) << 20);
	else {
		fprintf(stderr, "usage: loops null|pread|mmap|uring|putc ...\n");
		return 2;
	}
	wall = seconds() - wall;
	cpu = cpu_seconds() - cpu;
	printf("%.1f %.2f\n", (double)hist.count / wall, cpu * 1e9 / (double)hist.count);
	return 0;
}
