/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of the machine interface: see json_out.h. */
#include "config.h"
#include "ui/json/json_out.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/file.h"
#include "base/normal.h"
#include "base/signame.h"
#include "engine/bp.h"
#include "engine/plug.h"
#include "py/crash/crash.h"
#include "py/interp/host.h"
#include "ui/wire/relay.h"
#include "ui/json/val_json.h"
#include "view/view.h"

/* ---- paths: an editor that gets one file by two names opens it twice ---- */

static bool is_path(const char *key)
{
	return !strcmp(key, "file") || !strcmp(key, "user_file");
}

/* Replaces a path that has another spelling. */
static void make_plain(struct val **v)
{
	const char *plain, *path = (*v)->u.s;
	char room[PATH_MAX];

	if ((*v)->type != VAL_STR || (!strstr(path, "/.") && !strstr(path, "//")))
		return;
	plain = file_plain_path(path, room);
	if (plain == path)
		return;
	val_free(*v);
	*v = val_str(plain);
}

static void make_paths_plain(struct val *v)
{
	size_t i;

	for (i = 0; (v->type == VAL_MAP || v->type == VAL_LIST) && i < v->u.list.n; i++)
		if (v->type == VAL_MAP && is_path(v->u.list.key[i]))
			make_plain(&v->u.list.item[i]);
		else
			make_paths_plain(v->u.list.item[i]);
}

static void make_rows_plain(struct rows *r)
{
	size_t columns = (size_t)r->ncols, c, i;
	struct cell *cell;

	for (c = 0; c < columns; c++)
		for (i = 0; is_path(r->ops->cols[c].name) && i < r->n; i++) {
			cell = &r->cell[i * columns + c];
			if (cell->shared) /* it belongs to the row above, which may have another one now */
				cell->v = r->cell[(i - 1) * columns + c].v;
			else if (cell->v)
				make_plain(&cell->v);
		}
}

/* The object, which ends without newline; the buffer is emptied. */
static void send_line(struct buf *b, bool last)
{
	buf_addc(b, '\n');
	relay_send(b->s, b->len, last);
	buf_release(b);
}

static void send_val(struct val *v, bool last)
{
	struct buf b = { 0 };

	make_paths_plain(v);
	json_add_val(&b, v);
	val_free(v);
	send_line(&b, last);
}

void json_send_val(struct val *v)
{
	send_val(v, false);
}

static void json_output(struct buf *out, int stream, const char *text, size_t n)
{
	buf_addf(out, "{\"event\":\"output\",\"stream\":\"%s\",\"text\":", stream == 1 ? "stdout" : "stderr");
	json_add_text(out, text, n);
	buf_adds(out, "}\n");
}

/* ---- a crash ---------------------------------------------------------------------------------------------- */

static void put_string(struct val *m, const struct crash *c, const char *key, uint32_t text)
{
	if (text)
		val_put(m, key, val_str(crash_string(c, text)));
}

static void put_values(struct val *list, const struct crash *c, int first, int n)
{
	struct val *m;
	int i;

	for (i = first; i < first + n; i++) {
		m = val_push(list, val_map());
		put_string(m, c, "name", c->value[i].name);
		put_string(m, c, "kind", c->value[i].kind);
	}
}

/* The note has the name of what it is about as its key: "node", "kernel", "region". */
static void put_note(struct val *m, const struct crash *c, const struct crash_frame *f)
{
	put_string(m, c, "entry", f->entry);
	if (f->what)
		put_string(m, c, crash_string(c, f->what), f->name);
	put_string(m, c, "user_file", f->user);
	if (f->user_line)
		val_put(m, "user_line", val_int(f->user_line));
}

static void put_position(struct val *m, const struct crash *c, const struct crash_frame *f)
{
	put_string(m, c, "function", f->function);
	put_string(m, c, "file", f->file);
	if (f->line > 0)
		val_put(m, "line", val_int(f->line));
	if (f->offset >= 0)
		val_put(m, "offset", val_int(f->offset));
	put_string(m, c, "opname", f->op);
	if (f->arg >= 0)
		val_put(m, "arg", val_int(f->arg));
}

static struct val *crash_frame_map(const struct crash *c, const struct crash_frame *f)
{
	struct val *m = val_map();

	if (f->skipped)
		val_put(m, "skipped", val_int(f->skipped));
	put_position(m, c, f);
	put_string(m, c, "makes", f->makes);
	put_string(m, c, "title", f->title);
	put_note(m, c, f);
	if (f->nslots >= 0)
		put_values(val_put(m, "stack", val_list()), c, f->first_slot, f->nslots);
	if (f->nlocals)
		put_values(val_put(m, "locals", val_list()), c, f->first_local, f->nlocals);
	return m;
}

/* Its innermost frame, with the innermost note of all. */
static struct val *crash_thread_map(const struct crash *c, const struct crash_thread *t)
{
	struct val *m = val_map(), *frames;
	int i;

	val_put(m, "id", val_int((long long)t->ident));
	val_put(m, "died", val_bool(t->died));
	if (t->nframes)
		put_position(m, c, &c->frame[t->first]);
	for (i = t->first; i < t->first + t->nframes; i++)
		if (c->frame[i].what) {
			put_note(m, c, &c->frame[i]);
			break;
		}
	frames = val_put(m, "frames", val_list());
	for (i = t->first; i < t->first + t->nframes; i++)
		val_push(frames, crash_frame_map(c, &c->frame[i]));
	return m;
}

/* The object for a crash that was reported, if there was one; in the relay's process. */
static void json_crashed(struct buf *out)
{
	const struct crash *c = crash_shared();
	struct val *m, *threads;
	const char *name;
	int i;

	if (!c || atomic_load(&c->state) == CRASH_NONE)
		return;
	m = val_map();
	name = signame_name(c->signal);
	val_put(m, "event", val_str("crashed"));
	val_put(m, "signal", val_str(name ? name : "?"));
	if (c->at_address)
		val_put(m, "address", val_int((long long)c->address));
	threads = val_put(m, "threads", val_list());
	for (i = 0; i < c->nthreads; i++)
		val_push(threads, crash_thread_map(c, &c->thread[i]));
	json_add_val(out, m);
	buf_addc(out, '\n');
	val_free(m);
}

/* In the relay's process, which has no session. */
static void json_ended(struct buf *out, int status)
{
	if (status < 0 || WIFSIGNALED(status))
		json_crashed(out);
	if (status >= 0 && WIFSIGNALED(status))
		buf_addf(out, "{\"event\":\"exited\",\"signal\":\"%s\"}\n", signame_name(WTERMSIG(status)));
	else if (status >= 0)
		buf_addf(out, "{\"event\":\"exited\",\"status\":%d}\n", WEXITSTATUS(status));
	else
		buf_adds(out, "{\"event\":\"exited\",\"status\":null}\n");
}

static void json_refused(struct buf *out, const char *why)
{
	buf_adds(out, "{\"event\":\"refused\",\"error\":");
	json_add_text(out, why, strlen(why));
	buf_adds(out, "}\n");
}

static void json_warning(struct buf *out, const char *text)
{
	buf_adds(out, "{\"event\":\"note\",\"level\":\"warning\",\"text\":");
	json_add_text(out, text, strlen(text));
	buf_adds(out, "}\n");
}

const struct relay_words json_words = {
	.output = json_output, .ended = json_ended, .refused = json_refused, .warning = json_warning
};

void json_exited(int status)
{
	struct val *m = val_map();

	val_put(m, "event", val_str("exited"));
	val_put(m, "status", val_int(status));
	send_val(m, true);
	relay_wait();
}

void json_going_on(void)
{
	struct val *m = val_map();

	val_put(m, "event", val_str("running"));
	json_send_val(m);
	relay_wait();
}

void json_note_object(struct session *s, enum note_level level, const char *text)
{
	struct val *m = val_map();
	size_t n = strlen(text);
	char *copy;

	(void)s;
	while (n && text[n - 1] == '\n')
		n--;
	copy = mem_strn(text, n);
	val_put(m, "event", val_str("note"));
	val_put(m, "level", val_str(level == NOTE_WARNING ? "warning" : "info"));
	val_put(m, "text", val_str(copy));
	free(copy);
	json_send_val(m);
	relay_wait();
}

void json_log(struct session *s, const struct log_line *line)
{
	struct val *m = val_map();
	char *text = mem_fmt("%s\n", line->text);

	(void)s;
	val_put(m, "event", val_str("output"));
	val_put(m, "stream", val_str("log"));
	val_put(m, "text", val_str(text));
	val_put(m, "number", val_int(line->number));
	val_put(m, "file", val_str(line->file));
	val_put(m, "line", line->line ? val_int(line->line) : val_null());
	free(text);
	json_send_val(m);
	relay_wait();
}

void json_breakpoint(struct session *s, const struct bp *b)
{
	struct val *m = val_map(), *about = bp_summary(s, b);
	size_t i;

	val_put(m, "event", val_str("breakpoint"));
	for (i = 0; i < about->u.list.n; i++)
		val_put(m, about->u.list.key[i], val_copy(about->u.list.item[i]));
	val_free(about);
	json_send_val(m);
	relay_wait();
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

/* The command as it was sent, NULs and all: see cmd_line(). */
static void add_command_text(struct buf *b, const char *line)
{
	struct buf raw = { 0 };
	const char *nul;

	for (; (nul = strstr(line, CMD_NUL)); line = nul + strlen(CMD_NUL)) {
		buf_add(&raw, line, (size_t)(nul - line));
		buf_addc(&raw, '\0');
	}
	buf_adds(&raw, line);
	json_add_text(b, buf_str(&raw), raw.len);
	buf_release(&raw);
}

/* Equal in processes whose rows are equal but for what is measured. */
static void add_same(struct buf *b, const struct rows *rows)
{
	struct val *texts = row_texts(rows);
	unsigned long long hash = 0xcbf29ce484222325ull; /* FNV-1a */
	struct buf all = { 0 }, text = { 0 };
	size_t i;

	normal_addresses(&all, rows->title ? rows->title : "");
	for (i = 0; i < texts->u.list.n; i++)
		buf_addf(&all, "\n%s", texts->u.list.item[i]->u.s);
	for (i = 0; i < all.len; i++)
		hash = (hash ^ (unsigned char)all.s[i]) * 0x100000001b3ull;
	buf_addf(&text, "%s %zu %llx", rows->ops->name, texts->u.list.n, hash);
	json_add_key(b, "same");
	json_add_text(b, text.s, text.len);
	buf_release(&text);
	buf_release(&all);
	val_free(texts);
}

static void begin_reply(struct buf *b, const struct request *rq)
{
	buf_addc(b, '{');
	if (rq->id) {
		json_add_key(b, "id");
		buf_adds(b, rq->id);
	}
	json_add_key(b, "reply");
	add_command_text(b, rq->line);
}

static void add_rows(struct buf *b, struct rows *rows, bool lines)
{
	struct val *texts = lines ? row_texts(rows) : NULL;

	make_rows_plain(rows);
	json_add_key(b, "view");
	json_add_text(b, rows->ops->name, strlen(rows->ops->name));
	json_add_key(b, lines ? "lines" : "rows");
	if (lines)
		json_add_val(b, texts);
	else
		json_add_rows(b, rows, relay_part);
	val_free(texts);
}

void json_reply(const struct request *rq, bool ok, const struct reply *r, const struct err *err, bool resumes)
{
	struct buf b = { 0 };
	size_t i, n = r->text.len;

	begin_reply(&b, rq);
	buf_adds(&b, ok ? ",\"ok\":true" : ",\"ok\":false");
	while (n && r->text.s[n - 1] == '\n')
		n--;
	if (!ok) {
		json_add_key(&b, "error");
		json_add_text(&b, err->text, strlen(err->text));
	}
	if (ok && r->rows && !rq->text)
		add_rows(&b, r->rows, rq->lines);
	if (ok && r->rows && rq->text)
		add_same(&b, r->rows);
	for (i = 0; ok && r->more && i < r->more->u.list.n; i++) {
		make_paths_plain(r->more->u.list.item[i]);
		json_add_key(&b, r->more->u.list.key[i]);
		json_add_val(&b, r->more->u.list.item[i]);
	}
	if (ok && (n || rq->text || (!r->rows && !resumes))) {
		json_add_key(&b, "text");
		json_add_text(&b, buf_str(&r->text), n);
	}
	buf_addc(&b, '}');
	send_line(&b, false);
	if (resumes)
		relay_wait();
}

void json_reply_at_once(const struct request *rq, const char *error)
{
	struct reply r = { 0 };
	struct err err = { "" };

	if (error)
		err_set(&err, "%s", error);
	json_reply(rq, !error, &r, &err, true);
}

void json_pending(const struct request *rq)
{
	struct buf b = { 0 };

	begin_reply(&b, rq);
	buf_adds(&b, ",\"ok\":false,\"pending\":true,\"error\":\"pending: the main thread is in C code and cannot be "
		     "reached; the command is run, and answered again, when that returns\"}");
	send_line(&b, false);
}
