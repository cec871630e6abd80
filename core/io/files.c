/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a step's data files, and how they are opened. */
#include "core/io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/io/device.h"
#include "core/util/units.h"

/* Descriptors that are open anyway: standard ones, logs, rings. */
enum { FILES_SPARE_FDS = 64 };

int files_init(struct io_files *f, const char *dir, const struct io_params *p, struct err *e)
{
	memset(f, 0, sizeof(*f));
	f->dirfd = f->hold_fd = -1;
	f->dir = dir;
	f->direct = p->direct;
	f->p = p;
	f->sync = p->sync;
	if (!dir)
		return 0;
	f->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return f->dirfd < 0 ? err_sys(e, errno, "open %s", dir) : 0;
}

void files_release(struct io_files *f)
{
	for (size_t i = 0; i < f->file.n; i++)
		free(f->file.v[i].name);
	vec_free(&f->file);
	if (f->dirfd >= 0)
		close(f->dirfd);
	f->dirfd = -1;
	device_release(f);
}

/* "a", "a/b"; no absolute name, no empty part, none that begins with a dot and says where to go. */
static bool files_name_ok(const char *name)
{
	if (!name || !*name)
		return false;
	for (;;) {
		size_t len = strcspn(name, "/");

		if (!len || (len == 1 && name[0] == '.') ||
		    (len == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

static void files_push(struct io_files *f, char *name, uint64_t size, uint32_t mode,
		       uint32_t worker)
{
	struct io_file file = { .name = name, .size = size, .mode = mode, .worker = worker };

	vec_push(&f->file, file);
}

int files_add_set(struct io_files *f, const struct io_params *p, uint32_t nworkers, uint32_t mode,
		  struct err *e)
{
	char size[32];

	if (f->file.n)
		return err_set(e, EINVAL, "fst_files() comes once, before fst_file_add()");
	if (mode > FST_FILE_AS_IS)
		return err_set(e, EINVAL, "fst_files(): mode %u is not known", mode);
	if (f->device)
		return device_add(f, p, nworkers, mode, e);
	if (!p->nrfiles || p->size / p->nrfiles == 0)
		return err_set(e, EINVAL, "size = %s is too small for nrfiles = %llu",
			       units_format_size(p->size, size, sizeof(size)),
			       (unsigned long long)p->nrfiles);
	if (p->nrfiles > UINT32_MAX / 2 / nworkers)
		return err_set(e, EINVAL,
			       "nrfiles = %llu for each of %u workers is more than there can be",
			       (unsigned long long)p->nrfiles, nworkers);
	for (uint32_t j = 0; j < nworkers; j++) {
		for (uint64_t i = 0; i < p->nrfiles; i++)
			files_push(f, xasprintf("data.%u.%llu", j, (unsigned long long)i),
				   p->offset + j * p->offset_increment + p->size / p->nrfiles, mode,
				   j);
	}
	return 0;
}

int files_add(struct io_files *f, const struct fst_file *file, uint32_t nworkers, uint32_t *number,
	      struct err *e)
{
	if (f->device)
		return err_set(
			e, EINVAL,
			"fst_file_add(): on a device there are no files but that of fst_files()");
	if (!files_name_ok(file->name))
		return err_set(e, EINVAL, "fst_file_add(): \"%s\" is no name below the directory",
			       file->name ? file->name : "");
	if (file->mode > FST_FILE_AS_IS ||
	    (file->worker >= nworkers && file->worker != FST_EVERY_WORKER))
		return err_set(e, EINVAL, "fst_file_add(): %s: mode %u, worker %u of %u",
			       file->name, file->mode, file->worker, nworkers);
	*number = (uint32_t)f->file.n;
	files_push(f, xstrdup(file->name), file->size, file->mode, file->worker);
	return 0;
}

uint64_t files_total(const struct io_files *f)
{
	uint64_t total = 0;

	for (size_t i = 0; i < f->file.n; i++)
		total += f->file.v[i].size;
	return total;
}

/* One directory down, made if it is missing. Takes and closes at. */
static int files_enter(int at, const char *name, const char *whole, struct err *e)
{
	int fd;

	if (mkdirat(at, name, 0755) < 0 && errno != EEXIST) {
		err_sys(e, errno, "mkdir for %s", whole);
		close(at);
		return -e->code;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_sys(e, errno, "%s: %s is not a directory to enter", whole, name);
	close(at);
	return fd < 0 ? -e->code : fd;
}

int files_parent(const struct io_files *f, const char *name, const char **base, struct err *e)
{
	int fd = fcntl(f->dirfd, F_DUPFD_CLOEXEC, 0);
	const char *slash;

	*base = name;
	if (fd < 0)
		return err_sys(e, errno, "open %s", f->dir);
	while (fd >= 0 && (slash = strchr(*base, '/'))) {
		char *part = xstrndup(*base, (size_t)(slash - *base));

		fd = files_enter(fd, part, name, e);
		free(part);
		*base = slash + 1;
	}
	return fd;
}

static int files_explain_open(const char *name, int code, int flags, struct err *e)
{
	if (code == ELOOP)
		return err_set(e, ELOOP, "%s is a symbolic link, not a data file of ours", name);
	if (code == EINVAL && (flags & O_DIRECT))
		return err_set(e, EINVAL,
			       "direct = true: this file system has no direct I/O (open %s)", name);
	return err_set(e, code, "open %s", name);
}

int files_open_one(const struct io_files *f, const char *name, int flags, struct err *e)
{
	struct stat st;
	const char *base = NULL;
	int at, fd;

	if (f->device)
		return device_open(f, flags, e);
	at = files_parent(f, name, &base, e);
	if (at < 0)
		return at;
	/* A FIFO must not block the open. The flag is taken away below: io_uring would obey it. */
	fd = openat(at, base, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
	if (fd < 0)
		files_explain_open(name, errno, flags, e);
	close(at);
	if (fd < 0)
		return -e->code;
	if (fstat(fd, &st) < 0)
		err_sys(e, errno, "stat %s", name);
	else if (!S_ISREG(st.st_mode))
		err_set(e, EINVAL, "%s is not a regular file", name);
	else if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0)
		err_sys(e, errno, "flags of %s", name);
	else
		return fd;
	close(fd);
	return -e->code;
}

static int files_flags(const struct io_files *f, const struct io_file *file)
{
	static const int sync[] = {
		[FST_SYNC_NONE] = 0, [FST_SYNC_SYNC] = O_SYNC, [FST_SYNC_DSYNC] = O_DSYNC
	};

	return (file->mode == FST_FILE_READ ? O_RDONLY : O_RDWR) | (f->direct ? O_DIRECT : 0) |
	       sync[f->sync];
}

static bool files_belongs(const struct io_file *file, uint32_t worker)
{
	return file->worker == worker || file->worker == FST_EVERY_WORKER;
}

int files_open(const struct io_files *f, uint32_t worker, struct fst_engine_file **out, uint32_t *n,
	       struct err *e)
{
	struct fst_engine_file *v;
	size_t last = f->file.n, slots;

	while (last && !files_belongs(&f->file.v[last - 1], worker))
		last--;
	slots = MAX(last, (size_t)1);
	v = xcalloc(slots, sizeof(*v));
	for (size_t i = 0; i < slots; i++)
		v[i].fd = -1;
	*out = v;
	*n = (uint32_t)last;
	for (size_t i = 0; i < last; i++) {
		const struct io_file *file = &f->file.v[i];

		if (!files_belongs(file, worker))
			continue;
		v[i].size = file->size;
		v[i].flags = f->device ? FST_FILE_IS_DEVICE : 0;
		v[i].fd = files_open_one(f, file->name, files_flags(f, file), e);
		if (v[i].fd < 0)
			return v[i].fd;
	}
	return 0;
}

void files_close(struct fst_engine_file **v, uint32_t *n)
{
	for (uint32_t i = 0; *v && i < *n; i++)
		if ((*v)[i].fd >= 0)
			close((*v)[i].fd);
	free(*v);
	*v = NULL;
	*n = 0;
}

static int files_check_one(const struct io_file *file, int fd, struct err *e)
{
	const bool whole = file->mode == FST_FILE_READ || file->mode == FST_FILE_OVERWRITE;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "stat %s", file->name);
	if (S_ISBLK(st.st_mode))
		return 0;
	if (!st.st_nlink)
		return err_set(e, ENOENT,
			       "%s was deleted meanwhile: what was done from then on, up to offset "
			       "%llu, is lost",
			       file->name, (unsigned long long)st.st_size);
	if (whole && (uint64_t)st.st_size < file->size)
		return err_set(e, EIO,
			       "%s was truncated meanwhile: it ends at offset %llu, of %llu",
			       file->name, (unsigned long long)st.st_size,
			       (unsigned long long)file->size);
	return 0;
}

int files_still_there(const struct io_files *f, const struct fst_engine_file *v, uint32_t n,
		      struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0; i++)
		if (v[i].fd >= 0)
			r = files_check_one(&f->file.v[i], v[i].fd, e);
	return r;
}

int files_raise_limit(const struct io_files *f, uint32_t nworkers, struct err *e)
{
	uint64_t need = FILES_SPARE_FDS + 2 * (uint64_t)nworkers;
	struct rlimit lim;

	for (size_t i = 0; i < f->file.n; i++)
		need += f->file.v[i].worker == FST_EVERY_WORKER ? nworkers : 1;
	if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur >= need)
		return 0;
	if (lim.rlim_max != RLIM_INFINITY && lim.rlim_max < need) {
		struct rlimit more = { need, need };

		if (setrlimit(RLIMIT_NOFILE, &more) == 0) /* root may */
			return 0;
		return err_set(e, EMFILE,
			       "%zu files and %u workers need %llu open files, the limit is %llu "
			       "(ulimit -Hn)",
			       f->file.n, nworkers, (unsigned long long)need,
			       (unsigned long long)lim.rlim_max);
	}
	lim.rlim_cur = need;
	return setrlimit(RLIMIT_NOFILE, &lim) < 0 ? err_sys(e, errno, "limit of open files") : 0;
}
