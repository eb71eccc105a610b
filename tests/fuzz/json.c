/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine interface: bytes as they come from the other side become lines and replies, each a JSON object; texts of
   the program become JSON strings. */
#include "../../ui/json/json.c"
#define take_bytes inbox_take_bytes /* json.c has both, too */
#define stop_is_late late_stop
#include "../../ui/wire/inbox.c"
#include <Python.h>
#include <jansson.h>
#include "fuzz.h"
#include "ui/json/val_json.h"

/* ---- the conversation, in place of the process that holds it -------------------------------------------- */

static struct {
	const uint8_t *data;
	size_t size;
} wire;

enum relay_got relay_read(char *s, size_t max, size_t *got)
{
	size_t n = max < wire.size ? max : wire.size;

	if (n > 7)
		n = 1 + wire.data[0] % n; /* in pieces */
	memcpy(s, wire.data, n);
	wire.data += n;
	wire.size -= n;
	*got = n;
	return n ? RELAY_BYTES : RELAY_ENDED;
}

bool relay_readable(int ms)
{
	(void)ms;
	return true;
}

static struct buf parts;

void relay_part(const char *s, size_t n)
{
	buf_add(&parts, s, n);
}

/* What is sent is one JSON object and a newline. */
void relay_send(const char *s, size_t n, bool last)
{
	json_error_t why;
	json_t *o;

	(void)last;
	buf_add(&parts, s, n);
	s = parts.s;
	n = parts.len;
	HOLDS(n && s[n - 1] == '\n' && !memchr(s, '\n', n - 1));
	o = json_loadb(s, n, JSON_ALLOW_NUL, &why);
	HOLDS(json_is_object(o));
	json_decref(o);
	buf_release(&parts);
}

int relay_start(int in, int out, bool capture, const struct relay_words *words, struct err *err)
{
	(void)in;
	(void)out;
	(void)capture;
	(void)words;
	return err_set(err, "not here");
}

int relay_listen(struct listener *l, const struct relay_words *words, struct err *err)
{
	(void)l;
	(void)words;
	return err_set(err, "not here");
}

void relay_welcome(void) {}
void relay_wait(void) {}
void relay_flush(void) {}
void relay_keep(int seconds)
{
	(void)seconds;
}
void relay_forked(void) {}
void relay_end(void) {}
void relay_release(void) {}
void relay_leave(void) {}

void relay_told(unsigned long n)
{
	(void)n;
}

int relay_arrive(struct err *err)
{
	return err_set(err, "not here");
}

unsigned long relay_stop(void)
{
	return 0;
}

bool relay_here(void)
{
	return false;
}

/* ---- the targets ------------------------------------------------------------------------------------------ */

static void check_string(const uint8_t *data, size_t size)
{
	struct buf b = { 0 };
	json_error_t why;
	json_t *o;

	HOLDS(text_unfinished((const char *)data, size) <= size);
	json_add_text(&b, (const char *)data, size);
	o = json_loadb(b.s, b.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	HOLDS(json_is_string(o));
	json_decref(o);
	buf_release(&b);
}

static void check_output(const uint8_t *data, size_t size)
{
	struct buf b = { 0 };

	json_words.output(&b, 1, (const char *)data, size);
	relay_send(b.s, b.len, false);
	buf_release(&b);
}

static void converse(const uint8_t *data, size_t size, enum inbox_state state)
{
	struct request rq;
	pthread_t t;
	char *line;

	wire.data = data;
	wire.size = size;
	in.words = &words;
	in.eof = false;
	in.state = state;
	if (pthread_create(&t, NULL, reader, NULL))
		abort();
	while ((line = inbox_next())) {
		request_read(&rq, line);
		json_reply_at_once(&rq, "not here");
		request_release(&rq);
	}
	pthread_join(t, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int what = fuzz_byte(&data, &size);

	if (!Py_IsInitialized())
		Py_InitializeEx(0);
	if (what & 1)
		check_string(data, size), check_output(data, size);
	else
		converse(data, size, what >> 1 & 3);
	return 0;
}
