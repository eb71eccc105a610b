/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of a record: a file that several parts share.  A header, then segments: a ring for each thread, and a log
 * of what is said once (code objects, types).  Plain data; knows neither CPython nor a session.
 *
 * A ring consists of chunks, and a chunk of 8-byte words.  The low 4 bits of a word are its tag:
 *
 *     CHUNK  sequence 60; number 64; ticks 64	the chunk begins; number: of its first instruction
 *     BEGIN  code 20 | serial 40		a frame begins, or is below those that run
 *     KEY    unit 20 | code 20 | locals 10 | slots 10; serial 40 | depth 10 | suspended 1
 *						that many VALUEs follow: all that is known of the newest frame
 *     VALUE  kind 6 | flags 2 | type 20 | info 32; payload 64
 *     INSTR  unit 20 | code 20 | depth 10 | values 10	 before each instruction of the newest frame; the VALUEs
 *						directly before it are what the frame's last one made
 *     END    how 4 | spare 16 | serial 40	the frame ends, and those above it
 *     TIME   ticks 60				of what follows
 *     WROTE  serial 40				the user wrote to the frame
 *     PAD    0					to the end of the chunk
 *
 * A chunk can be read without those before it: it begins with all frames.  The ring's head, in words, grows for ever;
 * it is stored once the words before it are.
 */
#ifndef CDBG_RECORD_WORDS_H
#define CDBG_RECORD_WORDS_H
#include <stdint.h>

enum record_tag {
	RECORD_PAD,
	RECORD_INSTR,
	RECORD_VALUE,
	RECORD_KEY,
	RECORD_BEGIN,
	RECORD_END,
	RECORD_TIME,
	RECORD_CHUNK,
	RECORD_WROTE,
};

enum {
	RECORD_UNITS = 1 << 20,
	RECORD_CODES = 1 << 20,
	RECORD_TYPES = 1 << 20,
	RECORD_VALUES_MOST = 1023, /* of locals, of slots */
	RECORD_SMALLEST = 64 << 10,
	RECORD_CHUNK_LEAST = 1024, /* words */
	RECORD_CHUNK_MOST = 8192,
};

enum record_kind {
	RECORDED_UNKNOWN, /* the record does not tell */
	RECORDED_NULL,	  /* no value: an unbound variable, or a NULL of the interpreter */
	RECORDED_NONE,
	RECORDED_FALSE,
	RECORDED_TRUE,
	RECORDED_INT,	 /* payload: the number */
	RECORDED_BIG,	 /* an int of more than 64 bits; payload: the address */
	RECORDED_FLOAT,	 /* payload: the number */
	RECORDED_STR,	 /* info: characters; payload: the first 8 if all are ASCII and RECORDED_TEXT is set */
	RECORDED_BYTES,	 /* info: bytes; payload: the first 8 */
	RECORDED_SIZED,	 /* a tuple, list, dict, set: info: items; payload: the address */
	RECORDED_DATA,	 /* a value of a library: info: what was said of it; payload: the address.  With
			    RECORDED_NUMBERS: info: that 12 | numbers 20; payload: address / 16 44 | numbers 20 */
	RECORDED_OBJECT, /* payload: the address */
	RECORDED_NUMBER, /* a number of the interpreter's own, no object; payload: it */
	RECORDED_KINDS
};

enum record_flag {
	RECORDED_CELL = 1, /* the value of a cell */
	RECORDED_TEXT = 2,
	RECORDED_NUMBERS = 2, /* of RECORDED_DATA */
};

struct record_value {
	uint64_t head, payload;
};

static inline unsigned record_tag(uint64_t w)
{
	return w & 15;
}

static inline unsigned record_bits(uint64_t w, int from, int n)
{
	return (unsigned)(w >> from & ((UINT64_C(1) << n) - 1));
}

static inline enum record_kind record_value_kind(const struct record_value *v)
{
	return (enum record_kind)record_bits(v->head, 4, 6);
}

static inline struct record_value record_value_make(enum record_kind kind, unsigned flags, uint32_t type, uint32_t info,
						    uint64_t payload)
{
	return (struct record_value){ RECORD_VALUE | (uint64_t)kind << 4 | (uint64_t)flags << 10 |
					      (uint64_t)type << 12 | (uint64_t)info << 32,
				      payload };
}

/* ---- the file --------------------------------------------------------------------------------------------- */

#define RECORD_MAGIC "CDBGREC1"
enum { RECORD_SEGMENTS = 252, RECORD_HEADER = 8192 };
enum record_segment_kind { RECORD_RING = 1, RECORD_LOG };

struct record_segment {
	uint64_t at, size; /* bytes, multiples of 8 */
	uint32_t kind, thread;
	uint64_t used; /* a ring's head in words; a log's bytes */
};

struct record_header {
	char magic[8];
	uint32_t version, order; /* of bytes: 0x01020304 */
	uint32_t pid, python;	 /* PY_VERSION_HEX */
	uint32_t chunk, nsegments;
	uint64_t ticks[2], ns[2]; /* two moments by both clocks */
	struct record_segment segment[RECORD_SEGMENTS];
};

/* Items of a log: each begins with this, at a multiple of 8 bytes. */
enum record_item_kind { RECORD_ITEM_CODE = 1, RECORD_ITEM_TYPE, RECORD_ITEM_DATA };
struct record_item {
	uint32_t kind, size; /* size: all of it, a multiple of 8 */
	uint32_t id, spare;
};

#endif
