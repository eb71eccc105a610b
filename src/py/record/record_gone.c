/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a process that is gone: see record_gone.h. */
#include "py/record/record_gone.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/record/record_file.h"

enum { CUT_MOST = 1 << 30 }; /* as large as 'set record-size' makes a ring */

struct names {
	const void **item; /* by number, into the file; owned */
	size_t n, cap;
};

static struct {
	struct buf bytes;
	const struct record_header *header; /* in bytes; NULL: there is none */
	struct names code, type, data;
	struct record_gone_ring ring[RECORD_SEGMENTS];
	int rings;
	bool cut;	    /* the file is shorter than it was */
	uint64_t *cut_ring; /* a copy of the one that the cut is in; owned */
	long long written;
} gone;

bool record_gone(void)
{
	return gone.header;
}

void record_gone_release(void)
{
	buf_release(&gone.bytes);
	free(gone.code.item);
	free(gone.type.item);
	free(gone.data.item);
	free(gone.cut_ring);
	memset(&gone, 0, sizeof(gone));
}

/* ---- the log ---------------------------------------------------------------------------------------------- */

static const void *item_at(const struct names *t, uint32_t id)
{
	return id < t->n ? t->item[id] : NULL;
}

static void keep_item(struct names *t, uint32_t id, const void *item)
{
	size_t cap = t->cap;

	t->item = mem_grow(t->item, &t->cap, (size_t)id + 1, sizeof(*t->item));
	if (t->cap > cap)
		memset(t->item + cap, 0, (t->cap - cap) * sizeof(*t->item));
	if (id >= t->n)
		t->n = (size_t)id + 1;
	t->item[id] = item;
}

/* What is no character becomes a question mark. */
static void make_text(char *s, size_t n)
{
	uint32_t c;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = text_next(s + i, n - i, &c);
		if (c == 0xfffd && len == 1)
			s[i] = '?';
	}
}

/* Makes its texts UTF-8.  Items of a hostile file may overlap, so all of this is done before anything is checked. */
static bool mend_item(struct record_item *item)
{
	const struct record_code *code = (const struct record_code *)item;

	if (item->kind != RECORD_ITEM_CODE)
		make_text((char *)(item + 1), item->size - sizeof(*item));
	else if (item->size >= sizeof(*code) && code->texts >= sizeof(*code) && code->texts <= item->size &&
		 code->ntexts <= item->size - code->texts)
		make_text((char *)item + code->texts, code->ntexts);
	return true;
}

/* false: the item makes no sense. */
static bool take_item(struct record_item *item)
{
	const char *text = (const char *)(item + 1);
	size_t room = item->size - sizeof(*item);

	switch (item->kind) {
	case RECORD_ITEM_CODE:
		if (item->id >= RECORD_CODES || !record_code_valid(item, item->size))
			return false;
		keep_item(&gone.code, item->id, item);
		return true;
	case RECORD_ITEM_TYPE:
	case RECORD_ITEM_DATA:
		if (item->id >= RECORD_TYPES || !room || text[room - 1])
			return false;
		keep_item(item->kind == RECORD_ITEM_TYPE ? &gone.type : &gone.data, item->id, text);
		return true;
	}
	return false;
}

/* Each item of a log up to one that is damaged; false: there is one. */
static bool each_item(const struct record_segment *seg, bool (*each)(struct record_item *item))
{
	uint64_t has = record_file_has(seg, gone.bytes.len);
	char *at = gone.bytes.s + (has ? seg->at : 0), *end = at + (seg->used < has ? seg->used : has);
	struct record_item *item;

	while ((size_t)(end - at) >= sizeof(*item)) {
		item = (struct record_item *)at;
		if (item->size < sizeof(*item) || item->size % 8 || item->size > (size_t)(end - at) || !each(item))
			return false;
		at += item->size;
	}
	return at == end && seg->used <= has;
}

/* ---- rings ------------------------------------------------------------------------------------------------ */

static const struct record_code *code_of(const void *arg, uint32_t id)
{
	(void)arg;
	return record_gone_code(id);
}

struct record_read record_gone_reader(const struct record_gone_ring *ring)
{
	return (struct record_read){ .words = ring->words,
				     .mask = ring->mask,
				     .head = ring->head,
				     .chunk = gone.header->chunk,
				     .names = { .code = code_of } };
}

/* Do the numbers of the chunks grow, by no more than a chunk can have? */
static bool numbers_grow(const struct record_read *r)
{
	uint64_t chunk = record_read_first(r), before = 0, number, ticks, at = 0;
	bool any = false;

	for (; chunk < r->head; chunk += r->chunk) {
		if (!record_read_number(r, chunk, &number, &ticks))
			continue;
		if (number >> 60 || (any && (number < before || number - before > chunk - at)))
			return false;
		any = true;
		before = number;
		at = chunk;
	}
	return any;
}

/* Reads a chunk to its end: has it an instruction?  *left: has a frame ended after the last one? */
static bool has_instruction(struct record_read *r, uint64_t chunk, uint64_t head, bool *left)
{
	enum record_event what;
	bool any = false;

	r->head = head - chunk < r->chunk ? head : chunk + r->chunk;
	if (!record_read_seek(r, chunk))
		return false;
	while ((what = record_read_next(r)) != RECORD_READ_END) {
		any |= what == RECORD_READ_INSTR;
		*left = what == RECORD_READ_LEAVE;
	}
	return any;
}

/* The ring ends behind the last chunk that has an instruction; false: none has. */
static bool find_end(struct record_gone_ring *ring)
{
	struct record_read r = record_gone_reader(ring);
	uint64_t first = record_read_first(&r), chunk;
	bool found = false;

	while (!found && ring->head > first) {
		chunk = (ring->head - 1) & ~(r.chunk - 1);
		found = has_instruction(&r, chunk, ring->head, &ring->left);
		if (!found)
			ring->head = chunk;
	}
	ring->ticks = r.ticks;
	record_read_release(&r);
	return found;
}

/* The words of a ring; chunks that the file lacks are empty.  NULL: it has none of them. */
static const uint64_t *words_of(const struct record_segment *seg)
{
	uint64_t has = record_file_has(seg, gone.bytes.len);

	if (has == seg->size)
		return (const uint64_t *)(gone.bytes.s + seg->at);
	if (!has || gone.cut_ring || seg->size > CUT_MOST)
		return NULL;
	gone.cut_ring = mem_alloc(seg->size); /* its pages come where it is written or read, a few in each chunk */
	memcpy(gone.cut_ring, gone.bytes.s + seg->at, has);
	return gone.cut_ring;
}

static bool take_ring(const struct record_segment *seg)
{
	struct record_gone_ring *ring = &gone.ring[gone.rings];
	struct record_read r;

	*ring = (struct record_gone_ring){ .words = words_of(seg),
					   .mask = seg->size / 8 - 1,
					   .head = seg->used,
					   .thread = (int)(seg->thread & INT32_MAX) };
	if (!seg->used)
		return true; /* the thread wrote nothing */
	if (!ring->words)
		return false;
	r = record_gone_reader(ring);
	if (!numbers_grow(&r) || !find_end(ring))
		return false;
	gone.rings++;
	return true;
}

static int newest_first(const void *a, const void *b)
{
	const struct record_gone_ring *x = a, *y = b;

	return x->ticks < y->ticks ? 1 : x->ticks > y->ticks ? -1 : 0;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

int record_gone_take(struct buf *bytes, struct err *err)
{
	const struct record_segment *seg;
	int damaged = 0;
	uint32_t i;

	record_gone_release();
	gone.bytes = *bytes;
	*bytes = (struct buf){ 0 };
	gone.header = record_file_check(gone.bytes.s, gone.bytes.len, err);
	if (!gone.header)
		goto failed;
	for (i = 0; i < gone.header->nsegments; i++) {
		seg = &gone.header->segment[i];
		gone.cut |= record_file_has(seg, gone.bytes.len) < seg->size;
		if (seg->kind == RECORD_LOG)
			each_item(seg, mend_item);
	}
	for (i = 0; i < gone.header->nsegments; i++) {
		seg = &gone.header->segment[i];
		if (seg->kind == RECORD_LOG)
			damaged += !each_item(seg, take_item);
	}
	for (i = 0; i < gone.header->nsegments; i++) {
		seg = &gone.header->segment[i];
		if (seg->kind == RECORD_RING)
			damaged += !take_ring(seg);
	}
	if (gone.rings) {
		qsort(gone.ring, (size_t)gone.rings, sizeof(*gone.ring), newest_first);
		return 0;
	}
	err_set(err, gone.cut ? "this record was cut: what is left has no instruction that can be read" :
		     damaged  ? "this record is damaged: no instruction in it can be read" :
				"this record is empty: no recorded code has run");
failed:
	record_gone_release();
	return -1;
}

int record_gone_load(const char *file, struct err *err)
{
	struct buf bytes = { 0 };
	struct stat st;
	int ret = record_file_load(file, &bytes, err);

	if (ret == 0)
		ret = record_gone_take(&bytes, err);
	if (ret == 0 && stat(file, &st) == 0)
		gone.written = st.st_mtime;
	buf_release(&bytes);
	return ret;
}

/* ---- answers ---------------------------------------------------------------------------------------------- */

uint32_t record_gone_pid(void)
{
	return gone.header ? gone.header->pid : 0;
}

const struct record_gone_ring *record_gone_ring(int i)
{
	return i >= 0 && i < gone.rings ? &gone.ring[i] : NULL;
}

uint32_t record_gone_codes(void)
{
	return (uint32_t)gone.code.n;
}

bool record_gone_cut(void)
{
	return gone.cut;
}

long long record_gone_written(void)
{
	return gone.written;
}

const struct record_code *record_gone_code(uint32_t id)
{
	return item_at(&gone.code, id);
}

const char *record_gone_type(uint32_t id)
{
	return item_at(&gone.type, id);
}

const char *record_gone_data(uint32_t id)
{
	return item_at(&gone.data, id);
}

double record_gone_seconds(uint64_t ticks)
{
	const struct record_header *h = gone.header;
	double passed = h ? (double)h->ticks[1] - (double)h->ticks[0] : 0;
	double ns = h ? (double)h->ns[1] - (double)h->ns[0] : 0;

	return passed > 0 && ns > 0 ? (double)ticks * ns / passed / 1e9 : 0;
}
