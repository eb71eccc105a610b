/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen of a rank beside the machine interface: see rank_screen.h. */
#include "rank_screen.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/err.h"
#include "engine/session.h"
#include "ui/front.h"
#include "ui/json/json_out.h"

enum { NAME = 64 };

static struct {
	void (*leave)(struct session *s);
	bool shown;    /* the stop at which it was opened was told */
	bool visiting; /* what is said belongs to the controller's command */
} rs;

int rank_screen_open(const char *where, void (*leave)(struct session *s), struct err *err)
{
	static char device[NAME], type[NAME]; /* kept by address */
	unsigned long long filesystem, inode;
	struct stat st;

	if (sscanf(where, "%63s %llu %llu %63s", device, &filesystem, &inode, type) != 4)
		return err_set(err, "expected the name, file system, inode and type of a terminal");
	if (stat(device, &st) < 0 || st.st_dev != filesystem || st.st_ino != inode)
		return err_set(err, "this rank does not see the controller's terminal: it runs on another host, or in "
				    "a container of its own");
	front_tui_terminal(device, type);
	if (front_tui_open(true, err) < 0) {
		front_tui_terminal(NULL, NULL);
		return -1;
	}
	rs.leave = leave;
	rs.shown = rs.visiting = false;
	return 0;
}

void rank_screen_left(void)
{
	struct val *v = val_map();

	val_put(v, "event", val_str("screen-left"));
	json_send_val(v);
}

static const struct front_ops *speaker(void)
{
	return rs.visiting ? &front_json : &front_tui;
}

static void stopped(struct session *s, const struct event *ev)
{
	if (rs.shown)
		front_json.stopped(s, ev);
	rs.shown = true;
	front_tui.stopped(s, ev);
}

static bool ready(struct session *s)
{
	return front_tui.ready(s);
}

static char *read_line(struct session *s, enum input_end *end)
{
	char *line = front_tui.read(s, end);

	if (!line && *end == INPUT_GONE) {
		rs.leave(s);
		*end = INPUT_CLEARED;
	}
	return line;
}

static void begin(struct session *s, bool typed)
{
	speaker()->begin(s, typed);
}

static void ran(struct session *s, const struct ran *r)
{
	speaker()->ran(s, r);
}

static void served(struct session *s)
{
	front_tui.served(s);
}

static void running(struct session *s)
{
	front_json.running(s);
	front_tui.running(s);
}

static void visit(struct session *s)
{
	rs.visiting = true;
	front_json.visit(s);
	rs.visiting = false;
}

static void note(struct session *s, enum note_level level, const char *text)
{
	speaker()->note(s, level, text);
}

static void say(struct session *s, const char *text)
{
	speaker()->say(s, text);
}

/* The controller says what becomes of the process. */
static void exited(struct session *s, int status)
{
	rs.leave(s);
	front_json.exited(s, status);
}

static bool confirm(struct session *s, const char *question)
{
	return speaker()->confirm(s, question);
}

static void release(struct session *s)
{
	front_tui.release(s);
	front_json.release(s);
}

const struct front_ops rank_screen = {
	.name = "rank-screen",
	.no_child = "on the screen of a rank: the process that holds the conversation serves the one it was started "
		    "for, and ends with it",
	.stopped = stopped,
	.ready = ready,
	.read = read_line,
	.begin = begin,
	.ran = ran,
	.served = served,
	.running = running,
	.visit = visit,
	.note = note,
	.say = say,
	.exited = exited,
	.confirm = confirm,
	.release = release,
};
