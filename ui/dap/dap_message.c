/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are sent: see dap_message.h. */
#include "config.h"
#include "ui/dap/dap_message.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/signame.h"
#include "base/val.h"
#include "py/crash/crash.h"
#include "ui/dap/dap_framing.h"
#include "ui/json/json_read.h"
#include "ui/json/val_json.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"

static char *capabilities; /* owned; as JSON */

/* ---- the program's process ----------------------------------------------------------------------------------- */

static void send_text(struct buf *b, bool last)
{
	buf_addc(b, '\n');
	relay_send(b->s, b->len, last);
	buf_release(b);
}

static void add_text(struct buf *b, const char *key, const char *s)
{
	json_add_key(b, key);
	json_add_text(b, s, strlen(s));
}

static void add_event(struct buf *b, const char *event, const struct val *body)
{
	buf_adds(b, "{\"type\":\"event\"");
	add_text(b, "event", event);
	if (body) {
		json_add_key(b, "body");
		json_add_val(b, body);
	}
	buf_addc(b, '}');
}

void dap_event(const char *event, struct val *body)
{
	struct buf b = { 0 };

	add_event(&b, event, body);
	val_free(body);
	send_text(&b, false);
}

static void add_response(struct buf *b, long long seq, const char *command, bool success)
{
	buf_addf(b, "{\"type\":\"response\",\"request_seq\":%lld,\"success\":%s", seq, success ? "true" : "false");
	add_text(b, "command", command);
}

void dap_respond(long long seq, const char *command, struct val *body)
{
	struct buf b = { 0 };

	add_response(&b, seq, command, true);
	if (body) {
		json_add_key(&b, "body");
		json_add_val(&b, body);
	}
	buf_addc(&b, '}');
	val_free(body);
	send_text(&b, false);
}

void dap_refuse(long long seq, const char *command, const char *text, bool user)
{
	struct buf b = { 0 };

	add_response(&b, seq, command, false);
	add_text(&b, "message", text);
	if (user) {
		buf_adds(&b, ",\"body\":{\"error\":{\"id\":1");
		add_text(&b, "format", text);
		buf_adds(&b, ",\"showUser\":true}}");
	}
	buf_addc(&b, '}');
	send_text(&b, false);
}

static struct val *output_body(const char *category, const char *text, size_t n)
{
	struct val *body = val_map();
	char *copy = mem_strn(text, n);

	val_put(body, "category", val_str(category));
	val_put(body, "output", val_str(copy));
	free(copy);
	return body;
}

void dap_console(const char *text, bool important)
{
	struct buf b = { 0 };

	buf_adds(&b, text);
	if (!b.len || b.s[b.len - 1] != '\n')
		buf_addc(&b, '\n');
	dap_event("output", output_body(important ? "important" : "console", b.s, b.len));
	buf_release(&b);
	relay_wait();
}

static void add_ended(struct buf *out, int status)
{
	struct val *body = val_map();

	val_put(body, "exitCode", val_int(status));
	add_event(out, "exited", body);
	val_free(body);
	buf_addc(out, '\n');
	add_event(out, "terminated", NULL);
}

void dap_ended(int status)
{
	struct buf b = { 0 };

	add_ended(&b, status);
	send_text(&b, true);
	relay_wait();
}

/* ---- the relay's process -------------------------------------------------------------------------------------- */

static void output(struct buf *out, int stream, const char *text, size_t n)
{
	buf_addf(out, "{\"type\":\"event\",\"event\":\"output\",\"body\":{\"category\":\"%s\",\"output\":",
		 stream == 1 ? "stdout" : "stderr");
	json_add_text(out, text, n);
	buf_adds(out, "}}\n");
}

static void add_output(struct buf *out, const char *category, const char *text, size_t n)
{
	struct val *body = output_body(category, text, n);

	add_event(out, "output", body);
	buf_addc(out, '\n');
	val_free(body);
}

static void put_crash(void *arg, const char *s, size_t n)
{
	buf_add(arg, s, n);
}

/* What is known of the death of the program. */
static void add_death(struct buf *out, int status)
{
	const struct crash *c = crash_shared();
	struct buf text = { 0 };

	if (c && atomic_load(&c->state) != CRASH_NONE)
		crash_text(c, put_crash, &text);
	else if (status >= 0)
		buf_addf(&text, "the program was ended by %s\n", signame_name(WTERMSIG(status)));
	if (text.len)
		add_output(out, "important", text.s, text.len);
	buf_release(&text);
}

/* As a shell counts: a signal is 128 and its number. */
static void ended(struct buf *out, int status)
{
	if (status < 0 || WIFSIGNALED(status))
		add_death(out, status);
	if (status >= 0) {
		add_ended(out, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	} else {
		add_output(out, "console", "the program has ended; its status is not known\n",
			   strlen("the program has ended; its status is not known\n"));
		add_event(out, "terminated", NULL);
	}
	buf_addc(out, '\n');
}

static void refused(struct buf *out, const char *why)
{
	char *text = mem_fmt("cdbg does not let this client in: %s\n", why);

	add_output(out, "important", text, strlen(text));
	add_event(out, "terminated", NULL);
	buf_addc(out, '\n');
	free(text);
}

static void warning(struct buf *out, const char *words)
{
	char *text = mem_fmt("%s\n", words);

	add_output(out, "console", text, strlen(text));
	free(text);
}

static void wrap(struct buf *out, const char *s, size_t len, unsigned long n)
{
	char seq[40];
	int digits = snprintf(seq, sizeof(seq), "{\"seq\":%lu,", n);

	dap_framing_head(out, (size_t)digits + len - 1);
	buf_add(out, seq, (size_t)digits);
	buf_add(out, s + 1, len - 1);
}

/* ---- a client of TCP that has not shown its token: `initialize` is answered, then it has to be shown ------------ */

void dap_message_welcome(const char *text)
{
	free(capabilities);
	capabilities = mem_str(text);
}

struct guest {
	const struct listener *l;
	struct buf passed; /* what goes to the program */
	struct buf *reply;
	unsigned long *told;
	const char *why;
	int admitted;
};

static void pass(struct guest *g, const char *s, size_t n)
{
	dap_framing_head(&g->passed, n);
	buf_add(&g->passed, s, n);
}

/* Marked, so that it is not answered again. */
static void pass_initialize(struct guest *g, const struct val *m, const char *s, size_t n)
{
	static const char mark[] = "{\"cdbgAnswered\":true,";
	struct buf b = { 0 };

	if (!*g->told) {
		add_response(&b, val_number(m, "seq", 0), "initialize", true);
		buf_addf(&b, ",\"body\":%s}", capabilities);
		wrap(g->reply, b.s, b.len, ++*g->told);
		buf_release(&b);
	}
	s = (const char *)memchr(s, '{', n) + 1;
	buf_adds(&b, mark);
	buf_adds(&b, s);
	pass(g, b.s, b.len);
	buf_release(&b);
}

static void guest_message(void *arg, const char *s, size_t n)
{
	struct guest *g = arg;
	struct val *m = g->admitted ? NULL : json_read(s, n, false, NULL);
	const char *command = m ? val_text(m, "command") : "", *token;

	if (g->admitted > 0) {
		pass(g, s, n);
	} else if (!strcmp(command, "initialize")) {
		pass_initialize(g, m, s, n);
	} else if (!strcmp(command, "launch") || !strcmp(command, "attach")) {
		token = val_text(val_get(m, "arguments"), "token");
		g->admitted = listener_admits(g->l, token, strlen(token)) ? 1 : -1;
		g->why = *token ? "wrong token" : "its launch or attach has no \"token\"";
		pass(g, s, n);
	} else if (g->admitted == 0) {
		g->admitted = -1;
		g->why = "its first requests were not initialize, and attach or launch with a \"token\"";
	}
	val_free(m);
}

static void guest_broken(void *arg, const char *why)
{
	struct guest *g = arg;

	(void)why;
	if (g->admitted == 0) {
		g->admitted = -1;
		g->why = "it does not speak the Debug Adapter Protocol";
	}
}

/* relay_words.guest.  All is looked at again when more has come: it is little. */
static int guest(const struct listener *l, struct buf *text, struct buf *reply, unsigned long *told, const char **why)
{
	struct guest g = { .l = l, .reply = reply, .told = told };
	const struct dap_framing_sink to = { .message = guest_message, .broken = guest_broken, .arg = &g };
	struct dap_framing f = { .length = 0 };

	dap_framing_take(&f, buf_str(text), text->len, &to);
	if (g.admitted > 0) { /* the beginning of a message is passed on as it is */
		dap_framing_rest(&f, &g.passed);
		buf_release(text);
		*text = g.passed;
		g.passed = (struct buf){ .len = 0 };
	}
	*why = g.why;
	buf_release(&g.passed);
	dap_framing_forget(&f);
	return g.admitted;
}

const struct relay_words dap_words = {
	.output = output,
	.ended = ended,
	.refused = refused,
	.warning = warning,
	.wrap = wrap,
	.patience = 30000,
	.guest = guest,
};
