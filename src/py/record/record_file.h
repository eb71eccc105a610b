/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a record: a file that is mapped and grows by segments, whose room on the disk is taken at once.  Who
   opens it reads what a process that is gone wrote last.  Knows no word of a ring. */
#ifndef CDBG_RECORD_FILE_H
#define CDBG_RECORD_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include "py/record/record_words.h"

struct err;
struct buf;

struct record_file {
	int fd; /* -1: none is open */
	struct record_header *header;
	uint64_t end;
	struct {
		void *at;
		size_t size;
	} map[RECORD_SEGMENTS];
};

/* name NULL: a file without a name, which ends with the process.  A file of that name is replaced if it is the user's
   own and a record; anything else is refused.  -1: err. */
int record_file_open(struct record_file *f, const char *name, uint32_t chunk, uint32_t python, struct err *err);
/* A new segment, zeroed; NULL: the disk is full, or there are too many. */
void *record_file_add(struct record_file *f, enum record_segment_kind kind, uint32_t thread, size_t size,
		      struct record_segment **seg);
void record_file_close(struct record_file *f);
/* Writes what the file has now under another name, 0600.  -1: err. */
int record_file_save(const struct record_file *f, const char *name, struct err *err);

/* What the file has now, for a process that waits while another of the same family writes to it: to be released by
   free(). */
void *record_file_keep(const struct record_file *f);
void record_file_restore(const struct record_file *f, const void *kept);

/* Reads a file of a record into memory, at most 4 GB.  -1: err: it is none, or damaged. */
int record_file_load(const char *name, struct buf *out, struct err *err);
/* The same of bytes that are in memory, at an address that is a multiple of 8: checks the header and the segments,
   which need not lie within `size`.  NULL: err. */
const struct record_header *record_file_check(const void *bytes, size_t size, struct err *err);
/* How many bytes of the segment, from its beginning, are in a file of that size: less than all if it was cut. */
uint64_t record_file_has(const struct record_segment *s, size_t size);

#endif
