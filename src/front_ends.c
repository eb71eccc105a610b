/* SPDX-License-Identifier: BSD-3-Clause */
/* Which front end the session has: chosen at the start, and by `tui enable` and `tui disable`.  The only file that
   knows more than one of them. */
#include "front_ends.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/screen.h"
#include "listen.h"
#include "py/interp/host.h"
#include "restart.h"
#include "ui/args.h"
#include "ui/beside.h"
#include "ui/front.h"
#include "ui/json/json_out.h"
#include "ui/line/prompt.h"
#include "ui/ranks/rank_join.h"
#include "ui/remote.h"
#include "ui/tui/channel.h"
#include "ui/wire/conversation.h"
#include "ui/wire/inbox.h"

static struct front_ops front; /* a copy of the chosen one, with release_front() as its release */
static void (*own_release)(struct session *s);
static void (*fronts_released)(struct session *s);

static bool attached; /* to the terminal of another process, until the session ends */

static void leave_attached(void)
{
	if (attached) {
		front_plain_close();
		remote_close();
		front_tui_terminal(NULL, NULL, 0);
	}
	attached = false;
}

static void release_front(struct session *s)
{
	own_release(s);
	leave_attached();
	beside_release(s);
	fronts_released(s);
}

/* The other process has gone. */
static void attached_visit(struct session *s)
{
	if (remote_gone())
		session_resume(s, RESUME_DETACH);
}

static void choose_front(const struct front_ops *ops)
{
	front = *beside_with(ops);
	own_release = ops->release;
	front.release = release_front;
	if (attached)
		front.visit = attached_visit;
}

static int enable_screen(struct session *s, const char *where, struct err *err)
{
	if (where[strspn(where, " \t")])
		return err_set(err, "'tui enable' takes no arguments; 'tty' moves the screen to another terminal");
	own_release(s);
	if (front_tui_open(true, err) < 0)
		return -1;
	choose_front(&front_tui);
	beside_told();
	session_change_front(s);
	return 0;
}

static int disable_screen(struct session *s, struct err *err)
{
	own_release(s);
	choose_front(&front_plain);
	beside_told();
	session_change_front(s);
	return front_plain_open(true, err);
}

/* ---- of a rank ---------------------------------------------------------------------------------------------- */

/* The full screen is on a terminal of the controller, and the machine interface beside it: the controller is told of
   stops and ends, and gives commands. */

static char *(*screen_read)(struct session *s, enum input_end *end);

static void rank_screen_left(void)
{
	struct val *v = val_map();

	val_put(v, "event", val_str("screen-left"));
	json_send_val(v);
}

static int want_rank_screen(long n, struct err *err)
{
	struct val *v = val_map();

	(void)err;
	val_put(v, "event", val_str("screen-wanted"));
	val_put(v, "rank", val_int(n));
	json_send_val(v);
	return 0;
}

static void nothing_to_release(struct session *s)
{
	(void)s;
}

/* What runs now may answer by the pair of both. */
static void leave_rank_screen(struct session *s)
{
	struct err err;

	inbox_wakes(NULL);
	front_tui.release(s);
	front_tui_terminal(NULL, NULL, 0);
	if (conversation_watch(&err) < 0)
		session_note(s, NOTE_WARNING, "the end of the process is not told: %s", err.text);
	s->setup.interactive = false;
	front = front_json;
	own_release = nothing_to_release; /* beside_release() releases it */
	front.release = release_front;
	session_change_front(s);
	rank_screen_left();
}

/* The terminal was closed: the controller shows something else. */
static char *rank_read(struct session *s, enum input_end *end)
{
	char *line = screen_read(s, end);

	if (!line && *end == INPUT_GONE) {
		leave_rank_screen(s);
		*end = INPUT_CLEARED;
	}
	return line;
}

/* The controller says what becomes of the process. */
static void rank_exited(struct session *s, int status)
{
	(void)status;
	leave_rank_screen(s);
}

/* where: "DEVICE FILESYSTEM INODE TYPE ROWS" of a terminal; the two numbers, as stat() has them, show that the name
   means the same here; the controller has so many rows above.  -1: err. */
static int open_rank_screen(const char *where, struct err *err)
{
	enum { NAME = 64 };
	static char device[NAME], type[NAME]; /* kept by address */
	unsigned long long filesystem, inode;
	int above = 0;
	struct stat st;

	if (sscanf(where, "%63s %llu %llu %63s %d", device, &filesystem, &inode, type, &above) < 4)
		return err_set(err, "expected the name, file system, inode and type of a terminal");
	if (stat(device, &st) < 0 || st.st_dev != filesystem || st.st_ino != inode)
		return err_set(err, "this rank does not see the controller's terminal: it runs on another host, or in "
				    "a container of its own");
	front_tui_terminal(device, type, above);
	if (front_tui_open(true, err) == 0)
		return 0;
	front_tui_terminal(NULL, NULL, 0);
	return -1;
}

static int enable_rank_screen(struct session *s, const char *where, struct err *err)
{
	if (!session_stopped(s) || !*where)
		return err_set(err, "the controller of the job opens the screen of a rank that has stopped: 'screen'");
	if (open_rank_screen(where, err) < 0)
		return -1;
	beside_add(&front_json);
	choose_front(&front_tui);
	screen_read = front.read;
	front.read = rank_read;
	front.exited = rank_exited;
	inbox_wakes(beside_wake);
	beside_told();
	session_change_front(s);
	return 0;
}

static int disable_rank_screen(struct session *s, struct err *err)
{
	(void)err;
	leave_rank_screen(s);
	return 0;
}

/* ---- none before the first stop ---------------------------------------------------------------------------- */

static const struct args *opened_later; /* what the front end is opened by */
static const struct front_ops front_later;

static void later_stopped(struct session *s, const struct event *ev)
{
	struct err err = { "" };

	choose_front(&front_plain);
	if (front_ends_open(opened_later, &err) == 0) {
		s->front->stopped(s, ev);
		return;
	}
	dprintf(2, "cdbg: %s\n", err.text);
	choose_front(&front_later);
	session_resume(s, RESUME_DETACH);
}

/* Nobody is asked: the session has been told to detach. */
static char *later_read(struct session *s, enum input_end *end)
{
	(void)s;
	*end = INPUT_GONE;
	return NULL;
}

static void later_ran(struct session *s, const struct ran *ran)
{
	(void)s;
	(void)ran;
}

static void later_note(struct session *s, enum note_level level, const char *text)
{
	(void)s;
	if (level == NOTE_WARNING)
		dprintf(2, "cdbg: warning: %s\n", text);
}

static void later_say(struct session *s, const char *text)
{
	(void)s;
	dprintf(2, "%s\n", text);
}

static void later_exited(struct session *s, int status)
{
	(void)s;
	(void)status;
}

static bool later_confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

static const struct front_ops front_later = {
	.name = "none",
	.stopped = later_stopped,
	.read = later_read,
	.ran = later_ran,
	.note = later_note,
	.say = later_say,
	.exited = later_exited,
	.confirm = later_confirm,
	.release = nothing_to_release,
};

void front_ends_open_later(const struct args *a)
{
	opened_later = a;
	choose_front(&front_later);
}

void front_ends_close(struct session *s, const struct args *a)
{
	own_release(s);
	front_ends_open_later(a);
}

/* ---- the full screen, on and off --------------------------------------------------------------------------- */

static const struct screen_switch screens = { .enable = enable_screen, .disable = disable_screen };
static const struct screen_switch rank_screens = { .enable = enable_rank_screen,
						   .disable = disable_rank_screen,
						   .rank = want_rank_screen };

/* A program that listens for clients has a person at its terminal, too. */
static bool person_too(const struct args *a)
{
	return a->address && a->command && !a->listen_only && !a->attached && !a->batch && !a->dap_start.terminal &&
	       isatty(0) && isatty(1);
}

const struct front_ops *front_ends_choose(const struct args *a, void (*released)(struct session *s))
{
	const struct front_ops *machine = a->json || a->join ? &front_json : a->dap ? &front_dap : NULL;
	bool alone = a->report || (machine && !person_too(a));

	fronts_released = released;
	if (machine && !alone)
		beside_add(machine);
	choose_front(a->report ? &front_report : alone ? machine : &front_plain);
	screen_set_switch(a->join ? &rank_screens : alone ? NULL : &screens);
	return &front;
}

/* Nothing can be read from standard input, as where a test runner captures it. */
static bool input_is_null(void)
{
	struct stat in, null;

	return fstat(0, &in) < 0 ||
	       (stat("/dev/null", &null) == 0 && S_ISCHR(in.st_mode) && in.st_rdev == null.st_rdev);
}

/* The controlling terminal of a process in its foreground; -1: there is none. */
static int own_terminal(void)
{
	int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (tty >= 0 && tcgetpgrp(tty) != getpgrp()) {
		close(tty);
		tty = -1;
	}
	return tty;
}

/* A program that no command of cdbg started asks for a stop, and has no terminal on its descriptors. */
static int open_beside(const struct args *a, struct err *err)
{
	int tty;

	if (getenv("PYTEST_XDIST_WORKER"))
		return err_set(err, "a worker of pytest-xdist has no terminal: run pytest with -n 0 to stop in a test");
	if (host_in_kernel()) {
		front_plain_kernel();
		return front_plain_open(true, err);
	}
	tty = input_is_null() ? own_terminal() : -1;
	if (tty >= 0)
		front_plain_terminal(tty);
	return front_plain_open(a->quiet, err);
}

/* On the terminal of the process that attached; the program stops at once. */
static int open_attached(const struct args *a, struct err *err)
{
	static const struct remote_calls calls = { .interrupt = prompt_interrupt, .changed = channel_wake };
	static char device[48], *type; /* owned */
	int tty = remote_open(a->other.channel, &calls, err);

	if (tty < 0)
		return -1;
	attached = true;
	front_plain_terminal(tty);
	free(type);
	type = mem_str(a->other.terminal);
	snprintf(device, sizeof(device), "/proc/self/fd/%d", front_plain_descriptor());
	front_tui_terminal(device, type, 0);
	choose_front(&front_plain);
	if (type && front_tui_open(a->quiet, err) == 0) {
		choose_front(&front_tui);
		return 0;
	}
	if (front_plain_open(a->quiet, err) == 0)
		return 0;
	leave_attached();
	return -1;
}

static int open_socket(const struct args *a, struct err *err)
{
	bool person = person_too(a);
	const struct front_socket where = {
		.address = a->address,
		.token_file = a->token_file,
		.wait = !a->listen_only && !a->attached && !person,
		.quiet = a->quiet || a->attached,
		.once = a->attached,
		.stop = a->attached && a->json,
		.people = a->rank,
		.beside = person,
		.begin = person ? NULL : listen_again,
	};

	return a->json ? front_json_listen(&where, err) : front_dap_listen(&where, err);
}

int front_ends_open(const struct args *a, struct err *err)
{
	int tty, fd;

	if (a->report)
		return front_report_open(a->report, a->report_blame, err);
	if (a->address && open_socket(a, err) < 0)
		return -1;
	if (a->address && !person_too(a))
		return 0;
	if (a->join) {
		fd = rank_join(a->join, err);
		return fd < 0 ? -1 : front_json_join(fd, err);
	}
	if (a->json && !a->address)
		return front_json_open(a->talk_fd, err);
	if (a->dap && !a->address)
		return front_dap_open(
			a->talk_fd,
			&(struct front_given){ a->dap_start.sent, a->dap_start.given, restart_said(a->restart_fd) },
			err);
	if (a->attached)
		return open_attached(a, err);
	if (a->script_in) { /* a person has the terminal; without one there are no more commands than -x and -ex */
		tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (tty >= 0)
			front_plain_input(tty);
	}
	if (front_wants_screen(a)) {
		if (front_tui_open(a->quiet, err) == 0) {
			choose_front(&front_tui);
			return 0;
		}
		dprintf(2, "cdbg: no full screen: %s\n", err->text);
	}
	return a->command ? front_plain_open(a->quiet, err) : open_beside(a, err);
}
