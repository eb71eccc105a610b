/* SPDX-License-Identifier: BSD-3-Clause */
/* The controller's machine interface: see ranks_json.h.  A process beside this one writes the objects and the job's
   output (relay.h), so that the job can write when the controller has gone.  Lines come through a pipe from a thread
   that does nothing else. */
#include "config.h"
#include "ui/ranks/ranks_json.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/own_thread.h"
#include "base/ownfd.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "py/interp/host.h"
#include "ui/args.h"
#include "ui/json/json_out.h"
#include "ui/json/json_read.h"
#include "ui/json/request.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_data.h"
#include "ui/ranks/ranks_show.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"

enum { PART = 4096, WAIT_MS = 20 };

/* A line that has come. */
struct asked {
	struct asked *next;
	struct request rq;
};

static struct {
	int in, out; /* of the pipe that lines come through */
	struct buf part;
	struct asked *first;
	struct asked *now; /* its command runs, and was not answered */
	bool eof, settling, told_end;
	struct listener listener;
} js;

/* ---- out ------------------------------------------------------------------------------------ */

/* One event, with the members of v after its name; takes v. */
static void send_event(const char *name, struct val *v)
{
	struct val *m = val_map();
	size_t i;

	val_put(m, "event", val_str(name));
	for (i = 0; i < v->u.list.n; i++)
		val_put(m, v->u.list.key[i], val_copy(v->u.list.item[i]));
	val_free(v);
	json_send_val(m);
}

static void say(const char *text)
{
	json_note_object(NULL, NOTE_INFO, text);
}

static void joined(struct controller *c, const struct rank *r, bool again)
{
	(void)c;
	(void)again; /* "restart" tells it */
	send_event("joined", ranks_data_member(r));
}

static void gone(struct controller *c, const struct rank *r)
{
	(void)c;
	send_event("gone", ranks_data_member(r));
}

static void refused(struct controller *c, const char *who, const char *why)
{
	struct val *v = val_map();

	(void)c;
	val_put(v, "peer", val_str(who));
	val_put(v, "error", val_str(why));
	send_event("refused", v);
}

static void send_notes(struct rank *r)
{
	struct val *v;
	size_t i;

	for (i = 0; i < r->notes->u.list.n; i++) {
		v = val_map();
		val_put(v, "rank", val_int(r->number));
		val_put(v, "level", val_str("info"));
		val_put(v, "text", val_str(r->notes->u.list.item[i]->u.s));
		send_event("note", v);
	}
	if (!i)
		return;
	val_free(r->notes);
	r->notes = val_list();
}

/* Stops and ends that were not told. */
static void tell_news(struct controller *c)
{
	struct rank *r;
	size_t i;

	if (c->diverged)
		json_send_val(ranks_data_divergence(c));
	c->diverged = false;
	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (!r)
			continue;
		send_notes(r);
		if (r->fresh)
			json_send_val(ranks_data_event(r));
		r->fresh = false;
	}
	if (controller_over(c) && !js.told_end) {
		js.told_end = true;
		if (c->job.pid)
			json_exited(job_exit_status(&c->job));
	}
}

/* ---- replies ---------------------------------------------------------------------------------- */

static void reply(struct request *rq, struct val *data, const char *text)
{
	struct val *m = val_map();
	struct err err;
	size_t i;

	if (rq->id)
		val_put(m, "id", json_read(rq->id, strlen(rq->id), false, &err));
	val_put(m, "reply", val_str(rq->line));
	val_put(m, "ok", val_bool(true)); /* unless data says otherwise */
	for (i = 0; data && i < data->u.list.n; i++)
		val_put(m, data->u.list.key[i], val_copy(data->u.list.item[i]));
	if (text && *text)
		val_put(m, "text", val_str(text));
	json_send_val(m);
}

/* Of the command that runs, once. */
static void answer(struct controller *c, const char *text)
{
	if (js.now)
		reply(&js.now->rq, c->data, text);
	js.now = NULL;
	relay_wait();
}

static void resumed(struct controller *c)
{
	answer(c, NULL);
}

/* ---- in --------------------------------------------------------------------------------------- */

static bool is_interrupt(const struct request *rq)
{
	const char *p = rq->line + strspn(rq->line, " \t\r");

	return !rq->fault && !strncmp(p, "interrupt", 9) && !p[9 + strspn(p + 9, " \t\r")];
}

static struct asked *take(struct asked **at)
{
	struct asked *a = *at;

	*at = a->next;
	return a;
}

static void drop(struct asked *a)
{
	request_release(&a->rq);
	free(a);
}

/* The ranks run: a line that asks for a stop is taken before those in front of it. */
static void look_for_interrupt(struct controller *c)
{
	struct asked **at = &js.first, *a;

	while (*at && !is_interrupt(&(*at)->rq))
		at = &(*at)->next;
	if (!*at || c->interrupted)
		return;
	a = take(at);
	c->interrupted = true;
	reply(&a->rq, NULL, NULL);
	drop(a);
}

static void queue(const char *s, size_t n)
{
	struct asked *a = mem_alloc(sizeof(*a)), **at = &js.first;

	if (n && s[n - 1] == '\r')
		n--;
	request_read(&a->rq, cmd_line(s, n));
	while (*at)
		at = &(*at)->next;
	*at = a;
}

static void take_lines(const char *s, size_t n)
{
	const char *nl;

	for (; (nl = memchr(s, '\n', n)); n -= (size_t)(nl + 1 - s), s = nl + 1) {
		buf_add(&js.part, s, (size_t)(nl - s));
		queue(buf_str(&js.part), js.part.len);
		buf_reset(&js.part);
	}
	buf_add(&js.part, s, n);
}

static void input(struct controller *c)
{
	char part[PART];
	ssize_t n = read(js.in, part, sizeof(part));

	if (n > 0)
		take_lines(part, (size_t)n);
	js.eof = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
	if (js.eof && js.part.len)
		queue(js.part.s, js.part.len);
	if (!js.eof)
		controller_want_input(c);
	if (js.settling)
		look_for_interrupt(c);
}

static void waiting(struct controller *c)
{
	js.settling = true;
	look_for_interrupt(c);
}

static const struct controller_ops machine = {
	.say = say,
	.joined = joined,
	.gone = gone,
	.refused = refused,
	.input = input,
	.waiting = waiting,
	.moved = tell_news,
	.resumed = resumed,
};

/* ---- the loop ---------------------------------------------------------------------------------- */

/* A line of -x or -ex is answered by a note. */
static enum ranks_end run_given(struct controller *c, const char *line)
{
	struct buf text = { 0 };
	enum ranks_end end = ranks_cmd_run(c, line, &text);

	while (text.len && text.s[text.len - 1] == '\n')
		text.s[--text.len] = '\0';
	if (text.len)
		say(text.s);
	buf_release(&text);
	return end;
}

static enum ranks_end run_asked(struct controller *c, struct asked *a)
{
	enum ranks_end end = RANKS_GO_ON;
	struct buf text = { 0 };

	js.now = a;
	c->data = val_map();
	c->as = a->rq.text ? "text" : a->rq.lines ? "lines" : "rows";
	if (a->rq.fault) {
		val_put(c->data, "ok", val_bool(false));
		val_put(c->data, "error", val_str(a->rq.fault));
	} else {
		end = ranks_cmd_run(c, a->rq.line, &text);
	}
	answer(c, val_get(c->data, "rows") ? NULL : text.s);
	val_free(c->data);
	c->data = NULL;
	c->as = "text";
	buf_release(&text);
	drop(a);
	return end;
}

enum ranks_end ranks_json_serve(struct controller *c, const struct args *a)
{
	enum ranks_end end = RANKS_GO_ON;
	size_t i;

	controller_want_input(c);
	controller_settle(c, NULL, true);
	for (i = 0; end == RANKS_GO_ON; i++) {
		js.settling = false;
		tell_news(c);
		while (i >= a->nlines && !a->batch && !js.first && !js.eof) {
			controller_wait(c, -1);
			tell_news(c);
		}
		c->interrupted = false;
		if (i < a->nlines)
			end = run_given(c, a->lines[i]);
		else if (js.first)
			end = run_asked(c, take(&js.first));
		else
			end = a->batch ? RANKS_QUIT : RANKS_DETACHED;
	}
	while (js.first)
		drop(take(&js.first));
	return end;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* Until nothing more comes, or the client has left.  Never takes the GIL. */
static void *pass_lines(void *unused)
{
	char part[PART];
	enum relay_got got;
	size_t n;

	(void)unused;
	while ((got = relay_read(part, sizeof(part), &n)) == RELAY_BYTES)
		if (file_write_all(js.out, part, n) < 0)
			break;
	close(js.out);
	return NULL;
}

static int start_thread(struct err *err)
{
	int e = own_thread_start(NULL, pass_lines, NULL);

	return e ? err_set(err, "cannot start a thread: %s", strerror(e)) : 0;
}

static int listen_for(const struct args *a, struct err *err)
{
	char byte;
	size_t n;

	if (listener_open(&js.listener, a->address, a->token_file, err) < 0)
		return -1;
	js.listener.once = true;
	if (relay_listen(&js.listener, &json_words, err) < 0)
		return -1;
	listener_tell(&js.listener, true, a->quiet);
	while (!relay_readable(0))
		if (host_pause(WAIT_MS, err) < 0)
			return -1;
	if (relay_read(&byte, 1, &n) != RELAY_CLIENT)
		return err_set(err, "nobody has come to %s", js.listener.shown);
	relay_welcome();
	return 0;
}

static int speak(const struct args *a, struct err *err)
{
	int in = ownfd_copy(a->talk_fd < 0 ? 0 : a->talk_fd), out = a->talk_fd < 0 ? ownfd_copy(1) : in;

	if (in < 0 || out < 0)
		return a->talk_fd < 0 ? err_set(err, "--json needs an open standard input and output") :
					err_set(err, "descriptor %d is not open: --json=FD needs a socket", a->talk_fd);
	return relay_start(in, out, a->talk_fd < 0, &json_words, err);
}

int ranks_json_open(struct controller *c, const struct args *a, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	js.in = ends[0];
	js.out = ends[1];
	fcntl(js.in, F_SETFL, O_NONBLOCK);
	if ((a->address ? listen_for(a, err) : speak(a, err)) < 0)
		return -1;
	c->ops = &machine;
	c->input_fd = js.in;
	return start_thread(err);
}

void ranks_json_started(struct controller *c, const char *start)
{
	struct val *v = val_map(), *env;

	val_put(v, "protocol", val_int(1));
	val_put(v, "version", val_str(PACKAGE_VERSION));
	val_put(v, "python", val_str(host_version()));
	val_put(v, "world", c->world ? val_int(c->world) : val_null());
	if (!c->job.pid && start) {
		env = val_put(v, "environment", val_map());
		val_put(env, "CDBG_CONNECT", val_str(c->door.listener.shown));
		if (c->door.listener.token_file[0])
			val_put(env, "CDBG_TOKEN_FILE", val_str(c->door.listener.token_file));
		else
			val_put(env, "CDBG_TOKEN", val_str(c->door.listener.token));
		val_put(env, "PYTHONPATH", val_str(start));
	}
	send_event("ready", v);
}
