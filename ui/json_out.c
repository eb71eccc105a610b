/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of the machine interface: see json_out.h. */
#include "config.h"
#include "ui/json_out.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "engine/plug.h"
#include "py/host.h"
#include "ui/capture.h"
#include "ui/val_json.h"
#include "view/view.h"

static struct {
	int fd;                              /* -1: nobody is told */
	pthread_mutex_t lock;                /* objects are written whole */
} jo = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

void json_out_open(int fd)
{
	jo.fd = fd;
}

void json_out_close(void)
{
	jo.fd = -1;
	pthread_mutex_init(&jo.lock, NULL);
}

/* SIGPIPE is the program's: it may have any disposition. */
static ssize_t write_quietly(const char *s, size_t n)
{
	static const struct timespec at_once;
	sigset_t pipe, pending, old;
	bool had;
	ssize_t r;
	int e;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	had = sigismember(&pending, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	r = write(jo.fd, s, n);
	e = errno;
	if (r < 0 && e == EPIPE && !had)
		sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = e;
	return r;
}

/* The object, which ends without newline; the buffer is emptied. */
static void send_line(struct buf *b)
{
	const char *p;
	size_t left;
	ssize_t n;

	buf_addc(b, '\n');
	p = b->s;
	left = b->len;
	pthread_mutex_lock(&jo.lock);
	while (left && jo.fd >= 0) {
		n = write_quietly(p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;               /* nobody listens: the end of input will say so too */
		p += n;
		left -= (size_t)n;
	}
	pthread_mutex_unlock(&jo.lock);
	buf_release(b);
}

void json_send_val(struct val *v)
{
	struct buf b = { 0 };

	json_val(&b, v);
	val_free(v);
	send_line(&b);
}

void json_output(int stream, const char *text, size_t n)
{
	struct buf b = { 0 };

	buf_addf(&b, "{\"event\":\"output\",\"stream\":\"%s\",\"text\":", stream == 1 ? "stdout" : "stderr");
	json_string(&b, text, n);
	buf_addc(&b, '}');
	send_line(&b);
}

void json_note_object(enum note_level level, const char *text)
{
	struct val *m = val_map();
	size_t n = strlen(text);
	char *copy;

	while (n && text[n - 1] == '\n')
		n--;
	copy = mem_strn(text, n);
	val_put(m, "event", val_str("note"));
	val_put(m, "level", val_str(level == NOTE_WARNING ? "warning" : "info"));
	val_put(m, "text", val_str(copy));
	free(copy);
	capture_drain();
	json_send_val(m);
}

void json_ready(struct session *s)
{
	struct val *m = val_map(), *plugins;
	const char *name;
	int i;

	val_put(m, "event", val_str("ready"));
	val_put(m, "protocol", val_int(1));
	val_put(m, "version", val_str(PACKAGE_VERSION));
	val_put(m, "python", val_str(host_version()));
	plugins = val_put(m, "plugins", val_list());
	for (i = 0; (name = plug_name(s, i)); i++)
		val_push(plugins, val_str(name));
	json_send_val(m);
}

void json_reply(const char *line, bool ok, const struct reply *r, const struct err *err, bool resumes)
{
	struct buf b = { 0 };
	size_t n = r->text.len;

	buf_addc(&b, '{');
	json_key(&b, "reply");
	json_string(&b, line, strlen(line));
	buf_adds(&b, ok ? ",\"ok\":true" : ",\"ok\":false");
	while (n && r->text.s[n - 1] == '\n')
		n--;
	if (!ok) {
		json_key(&b, "error");
		json_string(&b, err->text, strlen(err->text));
	}
	if (ok && r->rows) {
		json_key(&b, "view");
		json_string(&b, r->rows->ops->name, strlen(r->rows->ops->name));
		json_key(&b, "rows");
		json_rows(&b, r->rows);
	}
	if (ok && !r->rows && (n || !resumes)) {
		json_key(&b, "text");
		json_string(&b, buf_str(&r->text), n);
	}
	buf_addc(&b, '}');
	send_line(&b);
}

void json_reply_at_once(const char *line, const char *error)
{
	struct reply r = { 0 };
	struct err err = { "" };

	if (error)
		err_set(&err, "%s", error);
	json_reply(line, !error, &r, &err, true);
}
