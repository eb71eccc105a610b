/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a record: see record_file.h. */
#include "py/record/record_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "base/ticks.h"

#define LARGEST (UINT64_C(4) << 30)

static const uint32_t order = 0x01020304;

_Static_assert(sizeof(struct record_header) <= RECORD_HEADER, "the header fits its room");

/* ---- the file that is written ----------------------------------------------------------------------------- */

/* Is this a record, and the user's own? */
static bool is_own_record(const char *name)
{
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char magic[8] = "";
	struct stat st;
	bool own;

	own = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
	      read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, RECORD_MAGIC, sizeof(magic));
	if (fd >= 0)
		close(fd);
	return own;
}

static int create(const char *name, struct err *err)
{
	enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
	int fd = name ? open(name, FLAGS, 0600) : memfd_create("cdbg record", MFD_CLOEXEC);

	if (fd < 0 && name && errno == EEXIST) {
		if (!is_own_record(name))
			return err_set(err,
				       "cannot record to '%s': the file exists and is no record of yours; name "
				       "another",
				       name);
		/* who records to it still has the file, without its name */
		if (unlink(name) == 0)
			fd = open(name, FLAGS, 0600);
	}
	if (fd < 0)
		return err_set(err, "cannot record to '%s': %s%s", name ? name : "memory", strerror(errno),
			       file_remedy(errno));
	fd = ownfd_move(fd);
	return fd < 0 ? err_set(err, "cannot record: %s", strerror(errno)) : fd;
}

/* Before Linux 6.18 a signal ends it for memory (mm/shmem.c, shmem_fallocate), each time that it is tried again: a
   program may have a fast timer. */
static int take_room(int fd, uint64_t at, size_t size)
{
	sigset_t all, before;
	int reason;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reason = posix_fallocate(fd, (off_t)at, (off_t)size);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return reason;
}

static void *map_part(struct record_file *f, size_t size, int *reason)
{
	void *p = MAP_FAILED;

	*reason = ownfd_ok(f->fd) ? take_room(f->fd, f->end, size) : EBADF;
	if (!*reason) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, (off_t)f->end);
		*reason = p == MAP_FAILED ? errno : 0;
	}
	if (*reason)
		return NULL;
	f->end += size;
	return p;
}

int record_file_open(struct record_file *f, const char *name, uint32_t chunk, uint32_t python, struct err *err)
{
	int reason;

	*f = (struct record_file){ .fd = create(name, err) };
	if (f->fd < 0)
		return -1;
	f->header = map_part(f, RECORD_HEADER, &reason);
	if (!f->header) {
		ownfd_close(f->fd);
		f->fd = -1;
		if (name)
			unlink(name);
		return err_set(err, "cannot record to '%s': %s%s", name ? name : "memory", strerror(reason),
			       file_remedy(reason));
	}
	*f->header = (struct record_header){ .version = 1,
					     .order = order,
					     .pid = (uint32_t)getpid(),
					     .python = python,
					     .chunk = chunk,
					     .ticks = { ticks_now(), ticks_now() },
					     .ns = { ticks_ns(), ticks_ns() } };
	memcpy(f->header->magic, RECORD_MAGIC, sizeof(f->header->magic));
	return 0;
}

void *record_file_add(struct record_file *f, enum record_segment_kind kind, uint32_t thread, size_t size,
		      struct record_segment **seg)
{
	struct record_header *h = f->header;
	uint32_t n = h->nsegments;
	uint64_t at = f->end;
	void *p;
	int reason;

	size = (size + 4095) & ~(size_t)4095;
	p = n < RECORD_SEGMENTS ? map_part(f, size, &reason) : NULL;
	if (!p)
		return NULL;
	f->map[n].at = p;
	f->map[n].size = size;
	h->segment[n] = (struct record_segment){ .at = at, .size = size, .kind = kind, .thread = thread };
	*seg = &h->segment[n];
	__atomic_store_n(&h->nsegments, n + 1, __ATOMIC_RELEASE);
	return p;
}

void record_file_close(struct record_file *f)
{
	uint32_t i;

	if (!f->header)
		return;
	for (i = 0; i < RECORD_SEGMENTS; i++)
		if (f->map[i].at)
			munmap(f->map[i].at, f->map[i].size);
	munmap(f->header, RECORD_HEADER);
	ownfd_close(f->fd);
	*f = (struct record_file){ .fd = -1 };
}

int record_file_save(const struct record_file *f, const char *name, struct err *err)
{
	struct file_out out;
	uint32_t i;

	if (file_begin(&out, name, 0600, err) < 0)
		return -1;
	if (file_write_all(out.fd, (const char *)f->header, RECORD_HEADER) < 0)
		goto failed;
	for (i = 0; i < f->header->nsegments; i++)
		if (file_write_all(out.fd, f->map[i].at, f->map[i].size) < 0)
			goto failed;
	return file_commit(&out, err);
failed:
	file_failed(&out, errno, err);
	file_discard(&out);
	return -1;
}

/* ---- processes that take turns ----------------------------------------------------------------------------- */

static size_t segment_used(const struct record_segment *s)
{
	uint64_t used = s->kind == RECORD_RING ? s->used * 8 : s->used;

	return (size_t)(used < s->size ? used : s->size);
}

void *record_file_keep(const struct record_file *f)
{
	size_t size = RECORD_HEADER;
	char *kept, *p;
	uint32_t i;

	for (i = 0; i < f->header->nsegments; i++)
		size += segment_used(&f->header->segment[i]);
	kept = mem_raw(size);
	p = kept + RECORD_HEADER;
	memcpy(kept, f->header, sizeof(*f->header));
	for (i = 0; i < f->header->nsegments; i++) {
		memcpy(p, f->map[i].at, segment_used(&f->header->segment[i]));
		p += segment_used(&f->header->segment[i]);
	}
	return kept;
}

void record_file_restore(const struct record_file *f, const void *kept)
{
	const char *p = (const char *)kept + RECORD_HEADER;
	uint32_t i;

	memcpy(f->header, kept, sizeof(*f->header));
	for (i = 0; i < f->header->nsegments; i++) {
		memcpy(f->map[i].at, p, segment_used(&f->header->segment[i]));
		p += segment_used(&f->header->segment[i]);
	}
}

/* ---- a file that is read ---------------------------------------------------------------------------------- */

int record_file_load(const char *name, struct buf *out, struct err *err)
{
	return file_read(name, false, out, LARGEST, err);
}

static bool segment_valid(const struct record_header *h, const struct record_segment *s)
{
	bool ring = s->kind == RECORD_RING;
	uint64_t words = s->size / 8;

	if (s->at % 8 || s->size % 8 || s->at < RECORD_HEADER || s->at > LARGEST || s->size > LARGEST)
		return false;
	if (ring)
		return words && !(words & (words - 1)) && words >= 4 * (uint64_t)h->chunk && !(s->used >> 60);
	return s->kind == RECORD_LOG && s->used <= s->size;
}

uint64_t record_file_has(const struct record_segment *s, size_t size)
{
	uint64_t left = s->at < size ? size - s->at : 0;

	return s->size < left ? s->size : left;
}

const struct record_header *record_file_check(const void *bytes, size_t size, struct err *err)
{
	const struct record_header *h = bytes;
	uint32_t i;

	if (size < RECORD_HEADER || memcmp(h->magic, RECORD_MAGIC, sizeof(h->magic))) {
		err_set(err, "this is no record of cdbg");
		return NULL;
	}
	if (h->order != order || h->version != 1) {
		err_set(err, "this record was written by another version of cdbg, or on a machine of another kind");
		return NULL;
	}
	if (h->chunk < RECORD_CHUNK_LEAST || h->chunk > RECORD_CHUNK_MOST || h->chunk & (h->chunk - 1) ||
	    h->nsegments > RECORD_SEGMENTS) {
		err_set(err, "this record is damaged: its header makes no sense");
		return NULL;
	}
	for (i = 0; i < h->nsegments; i++)
		if (!segment_valid(h, &h->segment[i])) {
			err_set(err, "this record is damaged: part %u of %u makes no sense", i + 1, h->nsegments);
			return NULL;
		}
	return h;
}
