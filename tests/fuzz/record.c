/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a record, as --post-mortem reads it.  The input is a log and the words of a ring, which are put below a header;
   with an odd first byte it is the whole file, header included. */
#include "base/err.h"
#include "engine/past.h"
#include "fuzz.h"
#include "py/record/record_gone.h"

enum { CHUNK = RECORD_CHUNK_LEAST, RING = 4 * CHUNK * 8 };

/* All that a session asks of a frame. */
static void look_at(const struct record_frame *f, struct buf *text)
{
	const struct record_code *c = record_gone_code(f->code);
	struct past_frame frame = { c, f };
	int i;

	if (!c)
		return;
	past_instr_text(&frame, text);
	buf_adds(text, record_code_text(c, c->qualname));
	for (i = 0; past_local_name(&frame, i); i++) {
		HOLDS(past_local_kind(&frame, i) >= 0);
		if (past_local(&frame, i))
			past_value_text(past_local(&frame, i), text);
	}
	for (i = 0; i < past_depth(&frame); i++)
		past_value_text(past_slot(&frame, i), text);
	HOLDS(past_operands(&frame) >= 0);
}

static void read_ring(const struct record_gone_ring *ring, struct buf *text)
{
	struct record_read r = record_gone_reader(ring);
	uint64_t first, end, at;
	enum record_event what;

	HOLDS(record_read_range(&r, &first, &end));
	HOLDS(record_read_to(&r, end - 1));
	HOLDS(end - first <= ring->mask + 1);
	if (record_read_before(&r, first))
		while ((what = record_read_next(&r)) != RECORD_READ_END) {
			if (what == RECORD_READ_INSTR && record_read_top(&r))
				look_at(record_read_top(&r), text);
			buf_reset(text);
		}
	for (at = end; at > first && end - at < 5; at--)
		if (record_read_to(&r, at - 1))
			HOLDS(r.number == at - 1);
	record_read_release(&r);
}

static void make_file(struct buf *out, const uint8_t *data, size_t size)
{
	struct record_header h = {
		.magic = RECORD_MAGIC, .version = 1, .order = 0x01020304, .chunk = CHUNK, .nsegments = 2
	};
	size_t log = (size_t)(fuzz_byte(&data, &size) | fuzz_byte(&data, &size) << 8), words;
	static const char zeros[RING];

	log = (log < size ? log : size) & ~(size_t)7;
	words = (size - log) / 8;
	h.segment[0] = (struct record_segment){ .at = RECORD_HEADER, .size = log, .kind = RECORD_LOG, .used = log };
	h.segment[1] = (struct record_segment){
		.at = RECORD_HEADER + log, .size = RING, .kind = RECORD_RING, .used = words
	};
	buf_add(out, (const char *)&h, sizeof(h));
	buf_add(out, zeros, RECORD_HEADER - sizeof(h));
	if (log)
		buf_add(out, (const char *)data, log);
	if (words)
		buf_add(out, (const char *)data + log, words * 8);
	buf_add(out, zeros, RING - words * 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf bytes = { 0 }, text = { 0 };
	struct err err = { "" };
	int i;

	if (fuzz_byte(&data, &size) & 1)
		buf_add(&bytes, (const char *)data, size);
	else
		make_file(&bytes, data, size);
	if (record_gone_take(&bytes, &err) < 0)
		HOLDS(*err.text);
	for (i = 0; record_gone_ring(i); i++)
		read_ring(record_gone_ring(i), &text);
	record_gone_release();
	buf_release(&bytes);
	buf_release(&text);
	return 0;
}
