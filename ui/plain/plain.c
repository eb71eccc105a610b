/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line as a front end: a prompt on a terminal, or lines from a pipe. The program has the terminal while
   it runs.  Knows no editor. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/ownfd.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "py/interp/eval.h"
#include "py/interp/host.h"
#include "ui/front.h"
#include "ui/log.h"
#include "ui/lost_fds.h"
#include "ui/line/prompt.h"
#include "view/view.h"

enum { STOP_KEPT = 4096 }; /* bytes of a stop's text that are kept for the next */

static struct {
	int in, out;
	bool kernel;		/* a notebook's: text and lines pass through Python, no descriptor is used */
	bool lost;		/* the program took our descriptors: nothing is read or written */
	bool banner;		/* still to be said */
	bool commands;		/* a line was read */
	bool fresh;		/* a stop was just written: the output is ours, the input is checked when it is read */
	int rows;		/* shown since the last prompt, for pagination */
	struct buf stop, shown; /* a stop's text, and the bytes to write: their memory serves the next stop, too */
} p = { .in = -1, .out = -1 };

/* ---- out --------------------------------------------------------------------------------------------------- */

/* The first time that our descriptors are not what they were, reports it if that is still possible. */
static bool lose(void)
{
	if (!p.lost) {
		p.lost = true;
		prompt_restore();
		lost_fds_say(p.out);
	}
	return false;
}

/* True if our descriptors are unchanged. */
static bool intact(void)
{
	return p.kernel || (!p.lost && ownfd_ok(p.out) && (p.in < 0 || ownfd_ok(p.in)) && prompt_ok()) || lose();
}

/* The same of the output, before a write that follows at once: it fails if the descriptor was opened in another way. */
static bool same_output(void)
{
	return (!p.lost && (session_get()->undisturbed || ownfd_same_file(p.out)) && prompt_ok()) || lose();
}

static void plain_write_all(const char *s, size_t n)
{
	ssize_t done;

	if (p.kernel) {
		host_write(s, n);
		return;
	}
	prompt_aside();
	while (n && same_output()) {
		done = write(p.out, s, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			intact();
			return;
		}
		s += done;
		n -= (size_t)done;
	}
}

static bool colours(struct session *s)
{
	const char *no;

	if (option_is(s, "color", "auto")) {
		no = s->setup.interactive ? getenv("NO_COLOR") : NULL;
		return s->setup.interactive && !(no && *no);
	}
	return option_is(s, "color", "on");
}

static int screen_rows(struct session *s)
{
	struct winsize size;

	if (!s->setup.interactive || !option_number(s, "pagination") || !intact() ||
	    ioctl(p.out, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_row > 2 ? size.ws_row - 1 : 0;
}

/* Shows one screen after the other; false: the user ended it. */
static bool next_page(struct session *s)
{
	enum input_end end;
	char *line = prompt_line(s, "-- more: Enter, or q --", true, &end);
	bool on = line && *line != 'q';

	free(line);
	p.rows = 0;
	return on;
}

/* Text for the person, in one colour (an SGR number, or NULL), added to what is written next. */
static void add_coloured(struct session *s, const char *raw, const char *colour, struct buf *out)
{
	int max = screen_rows(s);
	struct buf safe = { 0 };
	const char *end, *text;
	size_t n = out->len;

	if (colour && !colours(s))
		colour = NULL;
	if (!colour && !max) {
		front_text(out, raw, false);
		log_text(s, out->s ? out->s + n : "");
		return;
	}
	front_text(&safe, raw, false);
	text = buf_str(&safe);
	log_text(s, text);
	for (; *text; text += n) {
		end = strchr(text, '\n');
		n = end ? (size_t)(end - text) + 1 : strlen(text);
		if (max && p.rows++ >= max) {
			plain_write_all(out->s, out->len);
			buf_reset(out);
			if (!next_page(s))
				break;
		}
		if (colour)
			buf_addf(out, "\033[%sm", colour);
		buf_add(out, text, end ? n - 1 : n);
		buf_adds(out, colour ? "\033[0m" : "");
		buf_adds(out, end ? "\n" : "");
	}
	buf_release(&safe);
}

static void show_coloured(struct session *s, const char *raw, const char *colour)
{
	struct buf out = { 0 };

	add_coloured(s, raw, colour, &out);
	plain_write_all(out.s, out.len);
	buf_release(&out);
}

/* Lines of cdbg's own. */
static void show_line(struct session *s, const char *text)
{
	size_t n = strlen(text);
	char *line = mem_fmt("%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");

	show_coloured(s, line, NULL);
	free(line);
}

/* Writes a message that may quote the program: of several lines, only the first is cdbg's own. */
static void show_said(struct session *s, const char *before, const char *text, const char *colour)
{
	size_t n = strlen(text);
	struct buf line = { 0 };

	buf_adds(&line, before);
	front_text(&line, text, true);
	buf_adds(&line, n && text[n - 1] == '\n' ? "" : "\n");
	show_coloured(s, line.s, colour);
	buf_release(&line);
}

static void release_large(struct buf *b)
{
	if (b->cap > STOP_KEPT)
		buf_release(b);
}

/* Writes the stop at once: what happened in bold, and the mark of the location in its own colour. */
static void show_stop(struct session *s, const char *text)
{
	const char *end, *mark;
	char *line;

	buf_reset(&p.shown);
	if (!colours(s)) {
		add_coloured(s, text, NULL, &p.shown);
		text = "";
	}
	for (; *text; text = end) {
		end = strchr(text, '\n');
		end = end ? end + 1 : text + strlen(text);
		line = mem_strn(text, (size_t)(end - text));
		mark = strstr(line, "=> ");
		if (!mark)
			mark = strstr(line, "-> ");
		if (!strncmp(line, "stopped:", 8))
			add_coloured(s, line, "1", &p.shown);
		else
			add_coloured(s, line, mark && mark - line < 12 ? "32" : NULL, &p.shown);
		free(line);
	}
	plain_write_all(p.shown.s, p.shown.len);
	release_large(&p.shown);
}

/* ---- a line ------------------------------------------------------------------------------------------------- */

static void plain_ran(struct session *s, const struct ran *ran)
{
	struct reply *r = ran->reply;

	if (r->rows && !r->text.len)
		view_text(s, r->rows, &r->text);
	if (r->text.len && r->value)
		show_said(s, "", r->text.s, NULL);
	else if (r->text.len)
		show_line(s, r->text.s);
	if (ran->failed)
		show_said(s, "error: ", ran->err->text, "31");
}

/* Python that continues in the next line; *text holds what was typed so far. */
static bool unfinished(struct session *s, const char *text)
{
	return session_stopped(s) && !cmd_gathering(s) && cmd_is_python(s, text) && eval_complete(text) == 1;
}

static char *kernel_line(const char *prompt, enum input_end *end)
{
	bool interrupted;
	char *line = host_input(prompt, &interrupted);

	*end = interrupted ? INPUT_CLEARED : INPUT_NOBODY;
	return line;
}

/* The program may have read what was meant for cdbg. */
static void say_no_commands(struct session *s)
{
	if (p.kernel && session_stopped(s))
		show_line(s, "this notebook is run without input: the program continues; run it where cells can ask, "
			     "as in JupyterLab");
	else if (p.commands && !s->setup.interactive && session_stopped(s) && !s->gone)
		show_line(s, "end of commands: the program continues without cdbg ('-x FILE' takes them from a file)");
}

static char *plain_read(struct session *s, enum input_end *end)
{
	struct buf text = { 0 };
	char past[40];
	const char *prompt;
	char *line;

	snprintf(past, sizeof(past), "(cdbg -%llu) ", s->ago);
	p.rows = 0;
	for (;;) {
		prompt = text.len ? "... " : cmd_gathering(s) ? ">" : s->past && s->ago ? past : "(cdbg) ";
		line = p.kernel ? kernel_line(prompt, end) : prompt_line(s, prompt, false, end);
		if (line) {
			p.commands = true;
			log_line(s, line);
		} else if (!intact()) {
			*end = INPUT_GONE;
		} else if (*end == INPUT_EOF || *end == INPUT_NOBODY) {
			say_no_commands(s);
		}
		if (!line || (!text.len && !unfinished(s, line))) {
			buf_release(&text);
			return line;
		}
		buf_addf(&text, "%s%s", text.len ? "\n" : "", line);
		free(line);
		if (!unfinished(s, text.s))
			return buf_detach(&text);
	}
}

static bool plain_ready(struct session *s)
{
	if (!p.fresh && !intact())
		session_resume(s, RESUME_DETACH);
	p.fresh = false;
	return !p.lost;
}

/* ---- the front end ---------------------------------------------------------------------------------------------- */

static void say_banner(struct session *s)
{
	if (!p.banner)
		return;
	p.banner = false;
	show_coloured(s, "cdbg " PACKAGE_VERSION ": 'help' lists the commands, 'quit' ends.\n", NULL);
}

static void plain_stopped(struct session *s, const struct event *ev)
{
	struct bp *b = ev->number ? bp_find(s, ev->number) : NULL;

	if (!s->undisturbed)
		host_flush();
	say_banner(s);
	p.rows = 0;
	if (!b || !b->silent) {
		buf_reset(&p.stop);
		front_stop_text(s, ev, &p.stop);
		show_stop(s, buf_str(&p.stop));
		p.fresh = p.stop.len && !p.lost && !s->setup.interactive;
		release_large(&p.stop);
	}
}

static void plain_note(struct session *s, enum note_level level, const char *text)
{
	host_flush();
	show_said(s, level == NOTE_WARNING ? "warning: " : "", text, level == NOTE_WARNING ? "33" : NULL);
}

static void plain_say(struct session *s, const char *text)
{
	host_flush();
	show_line(s, text);
}

static void plain_exited(struct session *s, int status)
{
	char *text;

	if (s->detached)
		return;
	text = mem_fmt("the program ended with status %d", status);
	show_line(s, text);
	free(text);
}

static bool plain_confirm(struct session *s, const char *question)
{
	enum input_end end;
	char *ask, *line;
	int yes;

	if (!s->setup.interactive || !option_number(s, "confirm"))
		return true;
	ask = mem_fmt("%s (y or n) ", visible(question));
	do {
		line = prompt_line(s, ask, true, &end);
		yes = line ? prompt_yes(line) : end != INPUT_CLEARED;
		if (yes < 0)
			show_line(s, "Answer y or n; a line that is neither is not run, but kept in the history.");
		free(line);
	} while (yes < 0);
	free(ask);
	return yes;
}

static void plain_release(struct session *s)
{
	(void)s;
	prompt_restore();
}

/* The two processes use the same descriptors, one at a time. */
static void plain_leave(struct session *s, struct buf *out)
{
	(void)s;
	(void)out;
	prompt_restore();
}

static int plain_enter(struct session *s, const char *said, struct err *err)
{
	(void)s;
	(void)said;
	(void)err;
	lost_fds_remember();
	return 0;
}

const struct front_ops front_plain = {
	.name = "plain",
	.stopped = plain_stopped,
	.ready = plain_ready,
	.read = plain_read,
	.ran = plain_ran,
	.wake = prompt_wake,
	.note = plain_note,
	.say = plain_say,
	.exited = plain_exited,
	.confirm = plain_confirm,
	.release = plain_release,
	.leave = plain_leave,
	.enter = plain_enter,
};

void front_plain_input(int fd)
{
	p.in = ownfd_move(fd);
}

void front_plain_terminal(int fd)
{
	p.out = ownfd_copy(fd);
	p.in = ownfd_move(fd);
}

int front_plain_descriptor(void)
{
	return p.in;
}

void front_plain_close(void)
{
	prompt_close();
	ownfd_close(p.in);
	if (p.out != p.in)
		ownfd_close(p.out);
	p.in = p.out = -1;
}

void front_plain_kernel(void)
{
	p.kernel = true;
}

/* The program may close or change its descriptors: we keep our own. */
int front_plain_open(bool quiet, struct err *err)
{
	struct session *s = session_get();

	if (!ownfd_ok(p.in))
		p.in = ownfd_copy(0);
	if (!ownfd_ok(p.out))
		p.out = ownfd_copy(1);
	p.lost = false;
	lost_fds_remember();
	if (p.out < 0)
		return err_set(err, "the command line needs an open standard output");
	s->setup.interactive = !s->setup.batch && !p.kernel && p.in >= 0 && isatty(p.in) && isatty(p.out);
	p.banner = s->setup.interactive && !quiet;
	prompt_open(p.in, p.out, s->setup.interactive);
	bug_restore(prompt_restore);
	return 0;
}
