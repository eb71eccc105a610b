/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end of --report: the program runs once, stops nowhere, and a report is written when it ends.  It reads and
   shows nothing; a failure is reported on standard error. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/outdir.h"
#include "cmd/cmd.h"
#include "engine/procs.h"
#include "py/hook/hook.h"
#include "ui/front.h"

/* Signals whose default action ends a process, and which are sent to end one. */
static const int deadly[] = { SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGXCPU };
static char *folder;	   /* as an argument of the command; owned */
static bool ready, judges; /* judges: calls are judged for the report */

static void report_run_line(struct session *s, const char *line, bool say)
{
	struct reply reply = { .rows = NULL };
	struct err err = { "" };

	if (cmd_execute(s, line, &reply, &err) < 0) {
		if (say)
			dprintf(2, "cdbg: no report: %s\n", err.text);
	} else if (say) {
		dprintf(2, "cdbg: report: %s", buf_str(&reply.text));
	}
	reply_release(&reply);
}

static void write_report(struct session *s)
{
	char *line = mem_fmt("report %s", folder);

	report_run_line(s, line, true);
	free(line);
}

/* The program gets Ctrl-C; signals that end it are reported before. */
static void report_take_signals(void)
{
	size_t i;

	procs_handle(SIGINT, (struct disposition){ .stop = false, .print = false, .pass = true }, NULL);
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		procs_handle(deadly[i], (struct disposition){ .stop = true, .print = false, .pass = true }, NULL);
}

static void report_stopped(struct session *s, const struct event *ev)
{
	if (!ready) {
		ready = true;
		report_take_signals();
		report_run_line(s, "set report-keep on", false);
		if (judges)
			report_run_line(s, "catch wrong", false);
	}
	if (ev->signal && hook_signal_default(ev->signal))
		write_report(s);
}

/* There is no user to ask: a stop is continued at once, and nothing follows the end. */
static char *report_read_line(struct session *s, enum input_end *end)
{
	*end = INPUT_EOF;
	return s->exited ? NULL : mem_str("continue");
}

static void report_ran(struct session *s, const struct ran *what)
{
	(void)s;
	(void)what;
}

static void report_note(struct session *s, enum note_level level, const char *text)
{
	(void)s;
	(void)level;
	(void)text;
}

static void report_say(struct session *s, const char *text)
{
	(void)s;
	(void)text;
}

static void report_exited(struct session *s, int status)
{
	(void)status;
	if (!s->detached)
		write_report(s);
}

static void report_release(struct session *s)
{
	(void)s;
}

static bool report_confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

const struct front_ops front_report = {
	.name = "report",
	.stopped = report_stopped,
	.read = report_read_line,
	.ran = report_ran,
	.note = report_note,
	.say = report_say,
	.exited = report_exited,
	.confirm = report_confirm,
	.release = report_release,
	.no_child = "the report is that of one process",
};

int front_report_open(const char *dir, bool blame, struct err *err)
{
	struct buf b = { 0 };
	const char *p;
	char *path;

	if (outdir_check(dir, "index.json", "{\"format\":\"cdbg report\"", err) < 0)
		return -1;
	path = outdir_path(dir, err); /* the program may go elsewhere */
	if (!path)
		return -1;
	buf_addc(&b, '"');
	for (p = path; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_addc(&b, '\\');
		buf_addc(&b, *p);
	}
	buf_addc(&b, '"');
	free(path);
	free(folder);
	folder = buf_detach(&b);
	judges = blame;
	return 0;
}
