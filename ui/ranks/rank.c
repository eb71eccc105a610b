/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank as the controller sees it: see rank.h. */
#include "ui/ranks/rank.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "ui/json/json_read.h"
#include "ui/json/look.h"
#include "ui/json/val_json.h"

enum { LINE_MOST = 64 << 20, PART = 64 << 10, NOTES_MOST = 1000 };

struct rank *rank_new(int number, int fd, struct val *hello)
{
	struct rank *r = mem_alloc(sizeof(*r));

	r->number = number;
	r->fd = fd;
	r->hello = hello;
	r->screen_wanted = -1;
	r->notes = val_list();
	return r;
}

void rank_close(struct rank *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	if (r->state != RANK_EXITED)
		r->state = RANK_GONE;
	r->waits = r->resumes = 0;
	buf_release(&r->in);
	buf_release(&r->out);
	r->searched = 0;
}

void rank_free(struct rank *r)
{
	rank_close(r);
	val_free(r->hello);
	val_free(r->stop);
	val_free(r->look);
	val_free(r->answer);
	val_free(r->notes);
	free(r);
}

bool rank_live(const struct rank *r)
{
	return r->fd >= 0 && r->state != RANK_EXITED;
}

/* ---- out ---------------------------------------------------------------------------------------------------- */

void rank_flush(struct rank *r)
{
	ssize_t n;

	while (r->fd >= 0 && r->out.len) {
		n = send(r->fd, r->out.s, r->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) /* no room; or it has gone, which reading will tell */
			return;
		r->out.len -= (size_t)n;
		memmove(r->out.s, r->out.s + n, r->out.len + 1);
	}
}

void rank_send(struct rank *r, long id, const char *command, const char *as)
{
	if (r->fd < 0)
		return;
	buf_addf(&r->out, "{\"id\":%ld,\"as\":\"%s\",\"command\":", id, as);
	json_add_text(&r->out, command, strlen(command));
	buf_adds(&r->out, "}\n");
	rank_flush(r);
}

/* ---- in ----------------------------------------------------------------------------------------------------- */

static void keep_stop(struct rank *r, struct val *v)
{
	val_free(r->stop);
	r->stop = v;
	r->fresh = true;
}

/* A refused command did not continue it. */
static void take_reply(struct rank *r, struct val *v)
{
	const struct val *ok = val_get(v, "ok"), *pending = val_get(v, "pending");
	long id = (long)val_number(v, "id", 0);

	if (id && id == r->resumes) {
		r->resumes = 0;
		if (r->state == RANK_RUNNING && ok && ok->type == VAL_BOOL && !ok->u.b && !pending)
			r->state = RANK_STOPPED;
	}
	if (id && id == r->waits) {
		r->waits = 0;
		r->answer = v;
	} else {
		val_free(v);
	}
}

static void take_stop(struct rank *r, struct val *v)
{
	r->state = RANK_STOPPED;
	keep_stop(r, v);
	if (!r->joined_late)
		return;
	r->joined_late = r->fresh = false;
	r->state = RANK_RUNNING;
	rank_send(r, 0, "continue", "rows");
}

static void take_object(struct rank *r, struct val *v)
{
	const char *event = val_text(v, "event");

	if (val_get(v, "reply")) {
		take_reply(r, v);
		return;
	}
	if (!strcmp(event, "stopped")) {
		take_stop(r, v);
		return;
	}
	if (!strcmp(event, "exited")) { /* it waits for `quit`, and the launcher for it */
		r->state = RANK_EXITED;
		keep_stop(r, v);
		rank_send(r, 0, "quit", "rows");
		return;
	}
	if (!strcmp(event, "running") && r->state == RANK_STOPPED)
		r->state = RANK_RUNNING;
	r->screen_left = r->screen_left || !strcmp(event, "screen-left");
	if (!strcmp(event, "screen-wanted"))
		r->screen_wanted = (long)val_number(v, "rank", -1);
	if (!strcmp(event, "note") && r->notes->u.list.n < NOTES_MOST)
		val_push(r->notes, val_str(val_text(v, "text")));
	val_free(v);
}

/* What is no JSON is shown as a note: another program writes there. */
static void take_line(struct rank *r, const char *line, size_t n)
{
	struct err err;
	struct val *v = json_read(line, n, true, &err);

	if (v && v->type == VAL_MAP)
		take_object(r, v);
	else if (!v && r->notes->u.list.n < NOTES_MOST)
		val_pushf(r->notes, "what it sent cannot be read: %s", err.text);
	else
		val_free(v);
}

static void take_lines(struct rank *r)
{
	size_t from = 0, i;

	for (i = r->searched; r->fd >= 0 && i < r->in.len; i++)
		if (r->in.s[i] == '\n') {
			take_line(r, r->in.s + from, i - from);
			from = i + 1;
		}
	if (from) {
		r->in.len -= from;
		memmove(r->in.s, r->in.s + from, r->in.len + 1);
	}
	r->searched = r->in.len;
	if (!r->in.len && r->in.cap > PART)
		buf_release(&r->in);
}

bool rank_read(struct rank *r)
{
	static char part[PART];
	ssize_t n = recv(r->fd, part, sizeof(part), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	buf_add(&r->in, part, (size_t)n);
	take_lines(r);
	if (r->in.len <= LINE_MOST)
		return true;
	val_pushf(r->notes, "it was cut off: a line has more than %d bytes", LINE_MOST);
	return false;
}

/* ---- for people --------------------------------------------------------------------------------------------- */

static void describe_stop(const struct val *stop, struct buf *out)
{
	const struct val *frame = val_get(stop, "frame");
	const char *function = val_text(frame, "function"), *file = val_text(frame, "file");
	long long line = val_number(frame, "line", 0);

	buf_addf(out, "stopped %s", visible(val_text(stop, "reason")));
	if (*val_text(stop, "waits"))
		buf_addf(out, " (%s)", visible(val_text(stop, "waits")));
	if (*function)
		buf_addf(out, " %s", visible(function));
	if (*file)
		buf_addf(out, " %s", visible(text_path_file_name(file)));
	if (*file && line)
		buf_addf(out, ":%lld", line);
}

static void describe_look(const struct val *look, struct buf *out)
{
	const struct val *in = val_get(look, "collective"), *place = val_get(look, "place");
	const char *file = val_text(place, "file");
	struct buf wait = { 0 };

	if (in && in->type == VAL_MAP)
		look_add_wait(&wait, in);
	else
		buf_adds(&wait, "running");
	visible_add(out, buf_str(&wait), wait.len, false);
	buf_release(&wait);
	if (*val_text(look, "error"))
		buf_addf(out, ": %s", visible(val_text(look, "error")));
	if (*val_text(place, "function"))
		buf_addf(out, ", %s", visible(val_text(place, "function")));
	if (*file)
		buf_addf(out, " %s:%lld", visible(text_path_file_name(file)), val_number(place, "line", 0));
}

void rank_describe(const struct rank *r, struct buf *out)
{
	switch (r->state) {
	case RANK_STARTING:
		buf_adds(out, "starting");
		break;
	case RANK_STOPPED:
		describe_stop(r->stop, out);
		break;
	case RANK_RUNNING:
		describe_look(r->look, out);
		break;
	case RANK_EXITED:
		if (*val_text(r->stop, "signal"))
			buf_addf(out, "ended by %s", visible(val_text(r->stop, "signal")));
		else
			buf_addf(out, "ended with status %lld", val_number(r->stop, "status", -1));
		break;
	case RANK_GONE:
		buf_adds(out, r->detached ? "detached" : "gone");
		break;
	}
}
