/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder: see recorder.h.  Hot: record_instr() runs before each recorded instruction. */
#include <Python.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/ticks.h"
#include "py/code/code.h"
#include "py/record/recorder.h"
#include "py/record/record_file.h"
#include "py/record/record_gone.h"
#include "py/record/record_read.h"
#include "py/record/record_value.h"
#include "py/version/raw.h"

enum {
	FRAMES_MOST = 1 << 16,
	FRAMES_LISTED = 256, /* at the beginning of a chunk */
	RINGS_MOST = 160,
	LOG_SIZE = 512 << 10,
	ITEM_MOST = 64 << 20,
	SMALL_WORDS = 16, /* an event without values */
};

/* A frame that runs, or waits for those above it. */
struct running {
	uintptr_t at; /* py_frame_address() */
	const struct record_code *code;
	uint64_t serial;
	uint64_t chunk;			/* the end of that in which it was recorded whole last; 0: it is to be */
	const struct record_step *prev; /* its last event; NULL: the state is to be recorded whole */
	int depth;			/* before that */
	uint32_t room;			/* words that an event of it takes at most */
	bool values;			/* they are recorded */
};

struct record_thread {
	struct record_thread *next;
	uint64_t *words, head, mask;
	uint64_t chunk_end; /* the first word after the chunk */
	struct record_segment *seg;
	struct running *frame;
	int n;
	size_t cap;
	uint64_t serial, count, awaited;
	struct record_thread **slot; /* whose it is; NULL: of a record that has ended */
	bool ended;
};

static struct {
	bool on, values;
	size_t words; /* of a ring */
	uint64_t chunk;
	struct record_file file;
	struct record_code **code; /* owned */
	struct code **live;
	size_t ncodes, cap, live_cap;
	struct record_thread *threads; /* owned; those of earlier records stay, since their threads have them */
	int rings;
	struct texts {
		char **text; /* owned */
		size_t n, cap;
	} types, data; /* data: who made them keeps their numbers, so they stay */
	char *log;     /* room for items */
	size_t log_left;
	struct record_segment *log_seg;
	unsigned long left, id;
	/* record_await() of a thread that has recorded nothing yet */
	struct record_thread **awaits;
	uint64_t awaited;
} rec = { .file = { .fd = -1 } };

/* ---- the log ---------------------------------------------------------------------------------------------- */

/* false: there is no room. */
static bool log_item(const struct record_item *item)
{
	size_t size = item->size;

	if (size > rec.log_left) {
		size_t room = size > LOG_SIZE ? size : LOG_SIZE;

		rec.log = size > ITEM_MOST ? NULL : record_file_add(&rec.file, RECORD_LOG, 0, room, &rec.log_seg);
		rec.log_left = rec.log ? rec.log_seg->size : 0;
	}
	if (!rec.log)
		return false;
	memcpy(rec.log, item, size);
	rec.log += size;
	rec.log_left -= size;
	__atomic_store_n(&rec.log_seg->used, rec.log_seg->used + size, __ATOMIC_RELEASE);
	return true;
}

static void log_text(enum record_item_kind kind, uint32_t id, const char *text)
{
	struct {
		struct record_item item;
		char text[112];
	} new = { .item = { .kind = kind, .size = sizeof(new), .id = id } };
	size_t n = strnlen(text, sizeof(new.text) - 1);

	memcpy(new.text, text, n);
	log_item(&new.item);
}

static void new_text(struct texts *t, enum record_item_kind kind, uint32_t id, const char *text)
{
	t->text = mem_grow(t->text, &t->cap, (size_t)id + 1, sizeof(*t->text));
	free(t->text[id]);
	t->text[id] = mem_str(text);
	if (id >= t->n)
		t->n = (size_t)id + 1;
	log_text(kind, id, text);
}

static void drop_texts(struct texts *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->text[i]);
	free(t->text);
	*t = (struct texts){ 0 };
}

static void new_type(uint32_t id, const char *name)
{
	new_text(&rec.types, RECORD_ITEM_TYPE, id, name);
}

const char *record_type_name(uint32_t id)
{
	const char *text = record_gone() ? record_gone_type(id) : id < rec.types.n ? rec.types.text[id] : NULL;

	return text ? text : "?";
}

uint32_t record_data_new(const char *text)
{
	uint32_t id = rec.data.n ? (uint32_t)rec.data.n : 1;

	if (!rec.on || id >= RECORD_TYPES)
		return 0;
	new_text(&rec.data, RECORD_ITEM_DATA, id, text);
	return id;
}

const char *record_data_text(uint32_t id)
{
	const char *text = record_gone() ? record_gone_data(id) : id < rec.data.n ? rec.data.text[id] : NULL;

	return text ? text : "";
}

/* ---- code ------------------------------------------------------------------------------------------------- */

static void code_gone(struct code *c)
{
	const struct record_code *r = c->hook.record;

	if (r && r->item.id < rec.ncodes && rec.live[r->item.id] == c)
		rec.live[r->item.id] = NULL;
}

static __attribute__((noinline)) const struct record_code *new_code(struct code *c)
{
	uint32_t id = (uint32_t)rec.ncodes;
	struct record_code *r = id < RECORD_CODES ? record_code_make(c, id) : NULL;

	if (!r || !log_item(&r->item)) {
		rec.left++;
		free(r);
		return NULL;
	}
	rec.code = mem_grow(rec.code, &rec.cap, rec.ncodes + 1, sizeof(*rec.code));
	rec.live = mem_grow(rec.live, &rec.live_cap, rec.ncodes + 1, sizeof(*rec.live));
	rec.code[rec.ncodes] = r;
	rec.live[rec.ncodes++] = c;
	c->hook.record = r;
	return r;
}

bool record_prepare(struct code *c)
{
	return rec.on && (c->hook.record || new_code(c));
}

void record_renew(struct code *c)
{
	if (rec.on && c->hook.record) {
		code_gone(c);
		c->hook.record = NULL;
		new_code(c);
	}
}

void record_each_code(void (*each)(struct code *c))
{
	size_t i;

	for (i = 0; i < rec.ncodes; i++)
		if (rec.live[i])
			each(rec.live[i]);
}

const struct record_code *record_code_at(uint32_t id)
{
	return record_gone() ? record_gone_code(id) : id < rec.ncodes ? rec.code[id] : NULL;
}

struct code *record_code_live(uint32_t id)
{
	return id < rec.ncodes ? rec.live[id] : NULL;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static inline void put(struct record_thread *t, uint64_t word)
{
	t->words[t->head++ & t->mask] = word;
}

static inline uint64_t *put_value(uint64_t *to, uintptr_t word)
{
	struct record_value v = record_value_of(word);

	to[0] = v.head;
	to[1] = v.payload;
	return to + 2;
}

static inline uint64_t time_word(void)
{
	return RECORD_TIME | ticks_now() << 4;
}

static void put_begin(struct record_thread *t, const struct running *x)
{
	put(t, RECORD_BEGIN | (uint64_t)x->code->item.id << 4 | x->serial << 24);
}

/* n slots of the stack, whose depth is depth. */
static uint64_t *put_key(uint64_t *to, const struct running *x, const uintptr_t *w, uint32_t unit, int depth, int n,
			 bool waits)
{
	unsigned i, nlocals = x->code->nlocals;

	*to++ = RECORD_KEY | (uint64_t)unit << 4 | (uint64_t)x->code->item.id << 24 | (uint64_t)nlocals << 44 |
		(uint64_t)n << 54;
	*to++ = x->serial | (uint64_t)depth << 40 | (uint64_t)waits << 50;
	for (i = 0; i < nlocals + (unsigned)n; i++)
		to = put_value(to, w[i]);
	return to;
}

/* Where the next word goes: up to the end of the chunk, those after it follow. */
static inline uint64_t *head_of(const struct record_thread *t)
{
	return t->words + (t->head & t->mask);
}

/* ---- chunks ----------------------------------------------------------------------------------------------- */

/* Half a chunk lists the frames; the other half has room for one state. */
static inline bool has_room(const struct record_code *code)
{
	return code->values && 2 * (uint64_t)code->room + 32 <= rec.chunk / 2;
}

/* A frame that waits in a call: its variables, and the slots below what the call took. */
static void list_waiting(struct record_thread *t, struct running *x, uintptr_t at)
{
	const struct record_step *st = x->prev;
	uint64_t *from = head_of(t);
	int n;

	if (!st)
		return;
	n = x->depth > st->pops ? x->depth - st->pops : 0;
	t->head += (uint64_t)(put_key(from, x, py_frame_words_at(at), record_code_unit(x->code, st), x->depth, n,
				      true) -
			      from);
	x->chunk = st->effect == EFFECT_RESULTS ? t->chunk_end : 0; /* else what it makes next cannot be derived */
}

/* The frames are listed with what they hold, the innermost as far as half a chunk has room for them.  Only those that
   are on the interpreter's own chain are read. */
static void list_frames(struct record_thread *t, uintptr_t innermost)
{
	int first = t->n > FRAMES_LISTED ? t->n - FRAMES_LISTED : 0, i, k, read = t->n;
	uintptr_t chain[FRAMES_LISTED], at = innermost;
	uint64_t room = rec.chunk / 2 - FRAMES_LISTED;

	if (rec.chunk / 2 < 2 * FRAMES_LISTED) {
		first = t->n > 32 ? t->n - 32 : 0;
		room = rec.chunk / 2 - 32;
	}
	for (i = t->n - 1; i >= first && at; i--) {
		uint64_t size = 2 + 2 * (uint64_t)t->frame[i].code->room;

		for (k = 0; at && at != t->frame[i].at && k < FRAMES_LISTED; k++)
			at = py_frame_outer_at(at);
		if (at != t->frame[i].at || size > room)
			break;
		room -= size;
		chain[i - first] = at;
		read = i;
	}
	for (i = first; i < t->n; i++) {
		put_begin(t, &t->frame[i]);
		if (i >= read && t->frame[i].at != innermost)
			list_waiting(t, &t->frame[i], chain[i - first]);
		else
			t->frame[i].prev = NULL;
	}
}

static __attribute__((noinline)) void begin_chunk(struct record_thread *t, uintptr_t innermost)
{
	while (t->head & (rec.chunk - 1))
		put(t, RECORD_PAD);
	rec.file.header->ticks[1] = ticks_now();
	rec.file.header->ns[1] = ticks_ns();
	t->chunk_end = t->head + rec.chunk;
	put(t, RECORD_CHUNK | t->head / rec.chunk << 4);
	put(t, t->count);
	put(t, rec.file.header->ticks[1]);
	list_frames(t, innermost);
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

/* The thread's part of the present record; NULL: it has none. */
static inline struct record_thread *owned(struct record_thread **slot)
{
	return rec.on && *slot && (*slot)->slot == slot ? *slot : NULL;
}

/* An ended thread's ring is used again when there are many: what it did is gone then. */
static struct record_thread *spare_ring(void)
{
	struct record_thread *t;

	for (t = rec.threads; t && (!t->words || !t->ended); t = t->next)
		;
	return t;
}

static struct record_thread *new_ring(int number)
{
	struct record_thread *t;
	struct record_segment *seg;
	void *words = record_file_add(&rec.file, RECORD_RING, (uint32_t)number, rec.words * 8, &seg);

	if (!words)
		return NULL;
	rec.rings++;
	for (t = rec.threads; t && t->words; t = t->next)
		;
	if (!t) {
		t = mem_alloc(sizeof(*t));
		t->next = rec.threads;
		rec.threads = t;
	}
	t->words = words;
	t->seg = seg;
	t->mask = rec.words - 1;
	return t;
}

static __attribute__((noinline)) struct record_thread *new_thread(struct record_thread **slot, int number)
{
	struct record_thread *t = rec.rings < RINGS_MOST ? new_ring(number) : NULL;

	if (!t) {
		t = spare_ring();
		if (!t) {
			rec.left++;
			return NULL;
		}
		t->seg->thread = (uint32_t)number;
		memset(t->words, 0, (t->mask + 1) * 8); /* nothing of the other thread's is left */
		__atomic_store_n(&t->seg->used, 0, __ATOMIC_RELEASE);
	}
	t->ended = false;
	t->n = 0;
	t->head = t->count = t->chunk_end = 0;
	t->awaited = rec.awaits == slot ? rec.awaited : (uint64_t)RECORD_NEVER;
	t->slot = slot;
	*slot = t;
	return t;
}

void record_ended(struct record_thread **slot)
{
	struct record_thread *t = owned(slot);

	if (t) {
		t->ended = true;
		t->slot = NULL;
	}
	*slot = NULL;
}

/* ---- frames ----------------------------------------------------------------------------------------------- */

static void put_end(struct record_thread *t, uint64_t serial, int how)
{
	put(t, RECORD_END | (uint64_t)how << 4 | serial << 24);
}

/* The frames above this one are gone, unseen. */
static __attribute__((noinline)) struct running *find_frame(struct record_thread *t, uintptr_t at,
							    const struct record_code *code)
{
	int n = t->n;

	while (n && (t->frame[n - 1].at != at || t->frame[n - 1].code != code))
		n--;
	if (n == t->n || !n)
		return n ? &t->frame[n - 1] : NULL;
	put_end(t, t->frame[n].serial, 3);
	t->n = n;
	return &t->frame[n - 1];
}

static __attribute__((noinline)) struct running *begin_frame(struct record_thread *t, uintptr_t at,
							     const struct record_code *code)
{
	struct running *x;

	if (t->n == FRAMES_MOST) {
		put_end(t, t->frame[0].serial, 3);
		t->n = 0;
	}
	t->frame = mem_grow(t->frame, &t->cap, (size_t)t->n + 1, sizeof(*t->frame));
	x = &t->frame[t->n++];
	*x = (struct running){ .at = at, .code = code, .serial = ++t->serial, .values = rec.values && has_room(code) };
	x->room = SMALL_WORDS + (x->values ? 2 * code->room : 0);
	put_begin(t, x);
	put(t, time_word());
	return x;
}

/* It is not the one of the last event. */
static __attribute__((noinline)) struct running *enter_frame(struct record_thread *t, uintptr_t at,
							     const struct record_code *code)
{
	struct running *x;

	if (t->head + SMALL_WORDS > t->chunk_end)
		begin_chunk(t, at);
	x = find_frame(t, at, code);
	return x ? x : begin_frame(t, at, code);
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

/* What the frame's last instruction made. */
static inline uint64_t *put_results(uint64_t *to, const struct running *x, const uintptr_t *w, int depth)
{
	const struct record_step *st = x->prev;
	const uintptr_t *slots = w + x->code->nlocals;
	int i = x->depth - st->pops;

	switch (st->effect) {
	case EFFECT_TOUCH:
		to = put_value(to, slots[x->depth - st->a]);
		/* fallthrough */
	case EFFECT_RESULTS:
		for (; i < depth; i++)
			to = put_value(to, slots[i]);
		return to;
	case EFFECT_METHOD:
		return put_value(put_value(to, slots[i]), slots[i + 1]);
	}
	return to;
}

/* Can the state be derived from that at its last event? */
static inline bool follows(const struct record_thread *t, const struct running *x, int unit, int depth)
{
	const struct record_step *st = x->prev;

	return st && x->chunk == t->chunk_end && (st->next == unit || st->jump == unit) && x->depth >= st->pops &&
	       depth >= x->depth - st->pops;
}

static inline int depth_at(uintptr_t frame, const struct record_step *st)
{
	int depth = py_saves_depth ? py_frame_depth_at(frame) : -1;

	return depth >= 0 ? depth : st->depth == 0xffff ? -1 : st->depth;
}

bool record_instr(struct record_thread **slot, int number, uintptr_t frame, struct code *c, int unit)
{
	struct record_thread *t = *slot;
	const struct record_code *code = c->hook.record;
	const struct record_step *st;
	const uintptr_t *w = py_frame_words_at(frame);
	uint64_t *from, *to;
	struct running *x;
	int depth, n = 0;

	if (!rec.on || unit < 0)
		return false;
	if (!t || t->slot != slot)
		t = new_thread(slot, number);
	if (!code)
		code = new_code(c);
	if (!t || !code)
		return false;
	x = t->n ? &t->frame[t->n - 1] : NULL;
	if (!x || x->at != frame || x->code != code)
		x = enter_frame(t, frame, code);
	if (t->head + x->room > t->chunk_end)
		begin_chunk(t, frame);
	from = to = head_of(t);
	st = record_code_step(code, (uint32_t)unit);
	depth = depth_at(frame, st);
	if (depth < 0 || depth > (int)(code->room - code->nlocals) || !x->values) {
		x->prev = NULL;
		depth = RECORD_VALUES_MOST; /* the state is not known */
	} else {
		if (follows(t, x, unit, depth)) {
			to = put_results(to, x, w, depth);
			n = (int)(to - from) / 2;
		} else {
			to = put_key(to, x, w, (uint32_t)unit, depth, depth, false);
			x->chunk = t->chunk_end;
		}
		x->prev = st;
		x->depth = depth;
	}
	if (st->flags & RECORD_STEP_LEADS)
		*to++ = time_word();
	*to++ = RECORD_INSTR | (uint64_t)unit << 4 | (uint64_t)code->item.id << 24 | (uint64_t)depth << 44 |
		(uint64_t)n << 54;
	t->head += (uint64_t)(to - from);
	__atomic_store_n(&t->seg->used, t->head, __ATOMIC_RELEASE);
	return t->count++ == t->awaited;
}

void record_leave(struct record_thread **slot, uintptr_t at, const struct code *c, int how)
{
	struct record_thread *t = owned(slot);
	int n;

	if (!t || !c->hook.record)
		return;
	for (n = t->n; n && (t->frame[n - 1].at != at || t->frame[n - 1].code != c->hook.record); n--)
		;
	if (!n)
		return;
	if (t->head + SMALL_WORDS > t->chunk_end)
		begin_chunk(t, at);
	put(t, time_word());
	put_end(t, t->frame[n - 1].serial, how);
	t->n = n - 1;
	__atomic_store_n(&t->seg->used, t->head, __ATOMIC_RELEASE);
}

void record_wrote(struct record_thread **slot)
{
	struct record_thread *t = owned(slot);
	int i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++) {
		t->frame[i].prev = NULL;
		if (t->head + SMALL_WORDS > t->chunk_end)
			begin_chunk(t, t->frame[t->n - 1].at);
		put(t, RECORD_WROTE | t->frame[i].serial << 4);
	}
	__atomic_store_n(&t->seg->used, t->head, __ATOMIC_RELEASE);
}

/* ---- life ------------------------------------------------------------------------------------------------- */

void record_forked(void)
{
	rec.on = false;
}

uint64_t record_count(struct record_thread **slot)
{
	struct record_thread *t = owned(slot);

	return t ? t->count : 0;
}

void record_await(struct record_thread **slot, uint64_t number)
{
	struct record_thread *t = owned(slot);

	if (t)
		t->awaited = number;
	rec.awaits = t ? NULL : slot;
	rec.awaited = number;
}

void *record_keep(void)
{
	return rec.on ? record_file_keep(&rec.file) : NULL;
}

void record_woken(void *kept)
{
	rec.on = kept != NULL;
	if (kept)
		record_file_restore(&rec.file, kept);
	free(kept);
}

unsigned long record_id(void)
{
	return rec.id;
}

int record_start(const struct record_setup *setup, struct err *err)
{
	static bool told;
	size_t i;

	if (rec.on)
		return err_set(err, "a record is being made already: 'record off' ends it");
	record_stop();
	if (!told) {
		if (pthread_atfork(NULL, NULL, record_forked))
			return err_set(err, "cannot record: no memory");
		code_on_free(code_gone);
		told = true;
	}
	rec.id++;
	rec.words = setup->size / 8;
	rec.chunk = RECORD_CHUNK_LEAST;
	while (rec.chunk < RECORD_CHUNK_MOST && rec.chunk * 16 < rec.words)
		rec.chunk *= 2;
	if (record_file_open(&rec.file, setup->file, (uint32_t)rec.chunk, (uint32_t)Py_Version, err) < 0)
		return -1;
	rec.values = setup->values;
	for (i = 1; i < rec.data.n; i++)
		log_text(RECORD_ITEM_DATA, (uint32_t)i, rec.data.text[i]);
	record_value_start(new_type);
	rec.on = true;
	return 0;
}

void record_stop(void)
{
	struct record_thread *t;
	size_t i;

	rec.on = false;
	for (i = 0; i < rec.ncodes; i++) {
		if (rec.live[i])
			rec.live[i]->hook.record = NULL;
		free(rec.code[i]);
	}
	drop_texts(&rec.types);
	for (t = rec.threads; t; t = t->next) {
		t->words = NULL;
		t->slot = NULL;
	}
	free(rec.code);
	free(rec.live);
	rec.code = NULL;
	rec.live = NULL;
	rec.ncodes = rec.cap = rec.live_cap = 0;
	rec.log = NULL;
	rec.log_left = 0;
	rec.left = 0;
	rec.rings = 0;
	record_file_close(&rec.file);
}

bool record_on(void)
{
	return rec.on;
}

int record_save(const char *file, struct err *err)
{
	return rec.file.header ? record_file_save(&rec.file, file, err) :
				 err_set(err, "nothing is recorded: 'record' begins");
}

void record_facts(struct record_facts *out)
{
	struct record_thread *t;

	*out = (struct record_facts){
		.threads = rec.rings, .codes = (int)rec.ncodes, .bytes = rec.file.end, .left = rec.left
	};
	for (t = rec.threads; t; t = t->next)
		out->instructions += t->count;
}

static const struct record_code *live_code(const void *arg, uint32_t id)
{
	(void)arg;
	return record_code_at(id);
}

bool record_reader(struct record_thread **slot, struct record_read *out)
{
	struct record_thread *t = owned(slot);

	if (!t)
		return false;
	*out = (struct record_read){
		.words = t->words, .mask = t->mask, .head = t->head, .chunk = rec.chunk, .names = { .code = live_code }
	};
	return true;
}

double record_seconds(uint64_t from, uint64_t to)
{
	const struct record_header *h = rec.file.header;
	double ticks, ns;

	if (record_gone())
		return to > from ? record_gone_seconds(to - from) : 0;
	if (!h || to <= from)
		return 0;
	ticks = (double)(ticks_now() - h->ticks[0]);
	ns = (double)(ticks_ns() - h->ns[0]);
	return ticks > 0 ? (double)(to - from) * ns / ticks / 1e9 : 0;
}
