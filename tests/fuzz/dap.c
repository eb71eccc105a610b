/* SPDX-License-Identifier: BSD-3-Clause */
/* The Debug Adapter Protocol at a stop: bytes as they come from a client, and requests with any arguments.  What is sent
   is JSON with all that a message must have. */
#include "../../ui/dap/dap.c"
#include <jansson.h>
#include "fuzz.h"

/* ---- the conversation, in place of the process that holds it -------------------------------------------- */

static struct buf parts;

void relay_part(const char *s, size_t n)
{
	buf_add(&parts, s, n);
}

static void check_message(const char *s, size_t n)
{
	json_t *o = json_loadb(s, n, JSON_ALLOW_NUL, NULL);
	const char *type = json_string_value(json_object_get(o, "type"));

	HOLDS(json_is_object(o) && type);
	HOLDS(!strcmp(type, "event") || json_is_integer(json_object_get(o, "request_seq")));
	json_decref(o);
}

void relay_send(const char *s, size_t n, bool last)
{
	const char *nl;

	(void)last;
	buf_add(&parts, s, n);
	for (s = parts.s; (nl = strchr(s, '\n')); s = nl + 1)
		check_message(s, (size_t)(nl - s));
	HOLDS(!*s);
	buf_reset(&parts);
}

void relay_told(unsigned long n)
{
	(void)n;
}

int relay_start(int in, int out, bool capture, const struct relay_words *r, struct err *err)
{
	(void)in;
	(void)out;
	(void)capture;
	(void)r;
	return err_set(err, "not here");
}

int relay_listen(struct listener *l, const struct relay_words *r, struct err *err)
{
	(void)l;
	(void)r;
	return err_set(err, "not here");
}

enum relay_got relay_read(char *s, size_t max, size_t *n)
{
	(void)s;
	(void)max;
	*n = 0;
	return RELAY_ENDED;
}

bool relay_readable(int ms)
{
	(void)ms;
	return true;
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

/* ---- the target -------------------------------------------------------------------------------------------- */

/* Costly to evaluate, or without an end. */
static bool too_much(const char *text)
{
	return strstr(text, "**") || strstr(text, "<<") || strstr(text, "for") || strstr(text, "*9");
}

/* Command lines that requests make are another target's. */
static void serve_all(struct session *s)
{
	while (inbox_waits()) {
		free(serve(s, inbox_next()));
		call_free(d.now);
		d.now = NULL;
		s->resume = RESUME_NONE;
	}
}

static void send_request(int which, const char *arguments)
{
	struct buf text = { 0 }, b = { 0 };
	int n = 0;

	while (dap_rows[n].name)
		n++;
	buf_addf(&text, "{\"type\":\"request\",\"seq\":%d,\"command\":\"%s\",\"arguments\":%s}", which,
		 dap_rows[which % n].name, arguments);
	dap_framing_head(&b, text.len);
	buf_add(&b, text.s, text.len);
	inbox_given(&words, b.s, b.len);
	buf_release(&text);
	buf_release(&b);
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	int what = fuzz_byte(&data, &size), which = fuzz_byte(&data, &size);
	char *text = fuzz_text(data, size);
	size_t i, n;

	forget_client();
	dap.phase = what & 2 ? DAP_CONFIGURED : DAP_NEW;
	inbox_enter(INBOX_STOPPED);
	if (!(what & 1))
		for (i = 0; i < size; i += n) {
			n = size - i < 7 ? size - i : 1 + data[i] % 7;
			inbox_given(&words, (const char *)data + i, n);
		}
	else if (!too_much(text)) {
		send_request(8 + 14, "{\"threadId\":1}"); /* frames get numbers */
		send_request(which, text);
	}
	if (!too_much(text))
		serve_all(s);
	while (inbox_waits())
		free(inbox_next());
	inbox_given(&words, NULL, 0);
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
