/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen as a front end: the part of the stopped thread, and how both threads begin and end.  All code
   that uses the session runs here, with the GIL; the UI thread is in loop.c. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "base/sigstack.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/screen.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "event/event_table.h"
#include "py/hook/audit.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/args.h"
#include "ui/beside.h"
#include "ui/output/console.h"
#include "ui/tui/exit_restore.h"
#include "ui/front.h"
#include "ui/log.h"
#include "ui/lost_fds.h"
#include "ui/output/progtty.h"
#include "ui/tui/tui_serve.h"
#include "ui/term/codes.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

static struct {
	struct tui *ui;	      /* the UI thread's, while there is one */
	bool took;	      /* the program took what its threads need: to be said at the end */
	bool up, child, lent; /* lent: the program has the screen */
	const char *device;   /* the screen is there, and the program's terminal its own; NULL: it is that */
	int news_fd, file;    /* file: where `set output FILE` writes */
	char *file_name;
	pid_t pid;
} tui = { .file = -1 };

static bool here(void)
{
	return tui.up && tui.pid == getpid();
}

/* ---- the screen's verbs, from whatever thread --------------------------------------------------- */

static int screen_verb(const char *verb, const char *args, struct buf *out, struct err *err)
{
	if (!here())
		return err_set(err, "there is no full screen here");
	if (tui_thread_is_self())
		return tui_verb(tui.ui, verb, args, out, err);
	if (!strcmp(verb, "watchdog")) { /* a clone is made by a thread that holds no lock of the UI */
		exit_restore_guard(!strcmp(args, "on"));
		return 0;
	}
	return channel_call(verb, args, out, err);
}

static void screen_names(const char *what, struct val *list)
{
	struct err err;
	struct buf out = { 0 };
	char *s, *save = NULL;

	if (here() && channel_call("names", what, &out, &err) == 0 && out.len)
		for (s = strtok_r(out.s, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
			val_push(list, val_str(s));
	buf_release(&out);
}

/* ---- what the program does with its terminal ---------------------------------------------------- */

static void lend(bool to_program)
{
	if (tui.lent == to_program)
		return;
	channel_hand(to_program);
	if (to_program)
		progtty_give();
	else if (!tui.ui->terminal.elsewhere)
		progtty_take();
	tui.lent = to_program;
}

/* The output of the program's other threads still goes to the pane. */
static int lend_screen(bool on)
{
	if (!here() || tui.lent)
		return -1;
	channel_hand(on);
	return on ? term_copy() : -1;
}

static const struct screen_ops screen = { .run = screen_verb, .names = screen_names, .lend = lend_screen };

static void on_input(void)
{
	if (here() && !tui.ui->terminal.remote && !tui.lent)
		channel_input();
}

/* getpass() and the like: the screen is lent while the terminal is open by name. */
static void on_tty(void)
{
	if (here() && !tui.ui->terminal.remote && !tui.lent)
		channel_lend();
}

static bool close_at_end; /* atexit() has tui_close() */

static void tui_close(void)
{
	struct tui *t = tui.ui;
	struct err err;

	if (!here())
		return;
	tui.up = false;
	if (!progtty_ok())
		progtty_give(); /* before the last reader of its pty ends */
	screen_set(NULL);
	audit_watch(NULL, &err);
	channel_shut();
	tui_thread_join();
	progtty_close();
	if (!tui.lent && !t->terminal.elsewhere && !tui_thread_lost())
		tui_tell_output(t);
	if (tui.took && !tui_thread_lost())
		lost_fds_say(-1);
	tui.took = false;
	exit_restore_unwatch();
	channel_close();
	console_release();
	layouts_release();
	tui_free(t);
	tui.ui = NULL;
	tui.lent = false;
}

/* os._exit() would end the process with all that is known of the program: that stays readable until the user leaves. */
static void on_exiting(int status)
{
	if (here() && !tui.lent && session_living() && !hook_thread_self()->in_stop)
		session_exit(session_living(), status);
}

static void on_leaving(void)
{
	if (!here())
		return;
	host_flush();
	tui_close();
}

/* A signal that would end the process may be at its default again. */
static void on_handles(void)
{
	if (here())
		exit_restore_watch();
}

static const struct audit_watch watch = {
	.input = on_input,
	.tty = on_tty,
	.exiting = on_exiting,
	.leaving = on_leaving,
	.handles = on_handles,
};

/* ---- stops -------------------------------------------------------------------------------------- */

/* Are the screen's descriptors that the program's threads use still ours? */
static bool held(void)
{
	if (!tui_thread_private())
		return tui_intact();
	return (tui.ui->terminal.elsewhere || ownfd_ok(term_fd())) && progtty_ok() && channel_ok();
}

/* The screen moved to another terminal: the program's own descriptors are changed by a thread of the program. */
static void give_elsewhere(void)
{
	if (tui.ui->terminal.elsewhere && progtty_taken())
		progtty_give();
}

/* Did the program take our descriptors?  Then the UI thread ends, and this stop is the session's last. */
static bool lost(struct session *s)
{
	if (!tui_thread_lost() && held())
		return false;
	if (!tui_thread_lost()) {
		progtty_give(); /* before the last reader of its pty ends */
		tui.took = true;
		channel_shut();
	}
	session_resume(s, RESUME_DETACH);
	return true;
}

static bool ready(struct session *s)
{
	return here() && !lost(s);
}

static char *read_next(struct session *s, enum input_end *end)
{
	char *line = NULL;

	*end = INPUT_GONE;
	channel_queued(false);
	do {
		if (beside_serve(s)) {
			*end = INPUT_CLEARED;
			break;
		}
	} while (tui_serve_one(s, &line) && !line && ready(s));
	return line;
}

/* Another front end has run a command: the panes ask for their rows again. */
static void changed(struct session *s)
{
	struct answer out = { .type = ASK_BESIDE };

	if (!here())
		return;
	channel_status(tui_serve_status(s));
	channel_answer(&out, false, false);
}

static void begin(struct session *s, bool typed)
{
	(void)s;
	if (here() && !typed)
		channel_queued(true);
}

static void front_ran(struct session *s, const struct ran *r)
{
	struct buf b = { 0 };

	if (r->typed && s->resume == RESUME_NONE)
		hook_interrupt_taken(); /* Ctrl-C that came too late for this command does not end the next one */
	tui_serve_text(s, r, &b);
	if (!here()) /* it was `tui disable` */
		;
	else if (r->typed)
		tui_serve_answer(s, r, &b);
	else if (r->failed)
		channel_say(SAID_WARNING, buf_str(&b));
	else if (b.len)
		channel_say(SAID_TEXT, b.s);
	buf_release(&b);
}

/* Output at the interpreter's exit goes to the program's own descriptors. */
static void served(struct session *s)
{
	if (s->exited)
		tui_close();
	else if (here())
		channel_runs();
}

static void log_said(struct session *s, const char *text)
{
	size_t n = strlen(text);

	log_text(s, text);
	if (n && text[n - 1] != '\n')
		log_text(s, "\n");
}

static void front_say(struct session *s, const char *text)
{
	struct buf safe = { 0 };

	front_text(&safe, text, false);
	log_said(s, buf_str(&safe));
	if (here())
		channel_say(SAID_TEXT, buf_str(&safe));
	buf_release(&safe);
}

/* Empty for a stop that its place describes. */
static void describe_stop(struct session *s, const struct event *ev, struct buf *out)
{
	struct bp *b = ev->number ? bp_find(s, ev->number) : NULL;
	struct buf what = { 0 };

	if (ev->kind == &ev_step || ev->kind == &ev_start || (b && b->silent))
		return;
	front_stop_reason(ev, &what);
	buf_adds(out, "stopped: ");
	front_text(out, buf_str(&what), true);
	buf_release(&what);
}

static void stopped(struct session *s, const struct event *ev)
{
	struct buf text = { 0 };

	if (!here() || lost(s))
		return;
	host_flush();
	give_elsewhere();
	lend(false);
	if (!tui.ui->terminal.elsewhere)
		progtty_output(-1);
	sigstack_thread();
	exit_restore_watch();
	tui_serve_views();
	describe_stop(s, ev, &text);
	if (text.len)
		log_said(s, text.s);
	channel_stopped(LIFE_STOPPED, tui_serve_status(s), text.s);
	buf_release(&text);
}

/* `set output FILE`: opens the file again when the name changes. */
static int output_file(struct session *s, const char *name)
{
	struct err err = { "" };

	if (tui.file_name && !strcmp(name, tui.file_name) && (tui.file < 0 || ownfd_ok(tui.file)))
		return tui.file;
	ownfd_close(tui.file);
	free(tui.file_name);
	tui.file_name = mem_str(name);
	tui.file = ownfd_move(file_append(name, &err));
	if (tui.file < 0)
		session_note(s, NOTE_WARNING, "the program's output goes to the pane: %s", err.text);
	return tui.file;
}

static void running(struct session *s)
{
	const char *output = option_text(s, "output");

	if (!here())
		return;
	give_elsewhere();
	if (option_is(s, "terminal", "program") || !strcmp(output, "terminal"))
		lend(true);
	else if (*output && strcmp(output, "pane"))
		progtty_output(output_file(s, output));
}

static void exited(struct session *s, int code)
{
	(void)code;
	if (!here() || s->detached)
		return;
	if (lost(s)) {
		tui_close();
		return;
	}
	lend(false);
	if (!tui.ui->terminal.elsewhere)
		progtty_output(-1);
	tui_serve_views();
	channel_stopped(LIFE_EXITED, tui_serve_status(s), NULL);
}

static void front_note(struct session *s, enum note_level level, const char *text)
{
	struct buf safe = { 0 };
	char *line;

	front_text(&safe, text, true);
	line = mem_fmt("%s: %s\n", level == NOTE_WARNING ? "warning" : "note", buf_str(&safe));
	log_text(s, line);
	free(line);
	if (here())
		channel_say(level == NOTE_WARNING ? SAID_WARNING : SAID_INFO, buf_str(&safe));
	buf_release(&safe);
}

static bool confirm(struct session *s, const char *question)
{
	if (!here() || !s->setup.interactive || !option_number(s, "confirm"))
		return true;
	return channel_confirm(visible(question));
}

static void front_release(struct session *s)
{
	(void)s;
	tui_close();
}

/* ---- checkpoints -------------------------------------------------------------------------------- */

static void hold_screen(struct session *s, bool on)
{
	(void)s;
	if (!here())
		return;
	channel_hold(on);
	exit_restore_keep(on);
	if (on)
		progtty_drain(16 << 20); /* what the program has written is in the child's pane, too */
}

/* Another process of the program shows its screen. */
static void leave_screen(struct session *s, struct buf *out)
{
	(void)s;
	(void)out;
	tui_close();
}

/* This process was forked while the screen was held: the terminal is as its parent has left it. */
static void forget_screen_of_parent(void)
{
	struct err err;

	exit_restore_keep(false);
	tui.up = false;
	screen_set(NULL);
	audit_watch(NULL, &err);
	channel_woken();
	tui_thread_woken();
	progtty_close();
	exit_restore_unwatch();
	term_woken();
	channel_close();
	console_woken();
	layouts_release();
	tui_free(tui.ui);
	tui.ui = NULL;
	tui.lent = tui.took = false;
	close_at_end = false; /* functions that are older do not run: see fork_woken() */
}

static int enter_screen(struct session *s, const char *said, struct err *err)
{
	(void)s;
	(void)said;
	if (tui.up)
		forget_screen_of_parent();
	return front_tui_open(true, err);
}

const struct front_ops front_tui = {
	.name = "tui",
	.no_child = "in the full screen: the thread that draws it stays in the parent; 'tui disable' first",
	.stopped = stopped,
	.ready = ready,
	.read = read_next,
	.begin = begin,
	.ran = front_ran,
	.served = served,
	.running = running,
	.wake = channel_nudge,
	.changed = changed,
	.note = front_note,
	.say = front_say,
	.exited = exited,
	.confirm = confirm,
	.release = front_release,
	.hold = hold_screen,
	.leave = leave_screen,
	.enter = enter_screen,
};

bool front_wants_screen(const struct args *a)
{
	const char *term = getenv("TERM");

	if (a->report)
		return false;
	return (!a->json || a->address) && !a->plain && !a->batch && isatty(0) && isatty(1) &&
	       !(term && !strcmp(term, "dumb"));
}

void front_tui_terminal(const char *device, const char *type, int rows)
{
	tui.device = device;
	codes_leave_rows(rows);
	term_type(type);
}

int front_tui_open(bool quiet, struct err *err)
{
	struct session *s = session_get();

	if (term_can(tui.device, err) < 0)
		return -1;
	lost_fds_remember();
	if (progtty_open(err) < 0) {
		term_close_device();
		return -1;
	}
	tui.news_fd = channel_open();
	if (tui.news_fd < 0) {
		progtty_close();
		term_close_device();
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	}
	tui.ui = mem_alloc(sizeof(*tui.ui));
	tui.ui->terminal.elsewhere = tui.ui->terminal.remote = tui.device != NULL;
	tui.pid = getpid();
	sigstack_thread();
	exit_restore_watch(); /* before the screen is taken */
	if (tui_thread_start(tui.ui, tui.news_fd, quiet, err) < 0) {
		exit_restore_unwatch();
		channel_close();
		progtty_close();
		tui_free(tui.ui);
		tui.ui = NULL;
		return -1;
	}
	tui.up = true;
	tui.lent = false;
	bug_restore(exit_restore_now);
	host_flush();
	if (!tui.device)
		progtty_take();
	if (!close_at_end)
		atexit(tui_close); /* after the interpreter's last flush */
	close_at_end = true;
	screen_set(&screen);
	/* a fork is safe before the program has begun */
	exit_restore_guard(s->setup.restartable && !s->started && option_number(s, "watchdog"));
	s->setup.interactive = true;
	return audit_watch(&watch, err);
}
