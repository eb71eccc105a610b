/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: interrupt, detach, quit, kill, restart; how a session ends or begins anew.  Knows no process. */
#include <stdlib.h>
#include "cmd/table.h"
#include "engine/session.h"

static int run_detach(struct session *s, const char *args, struct reply *out, struct err *err)
{
	if (*args)
		return err_set(err, "detach takes no arguments");
	s->resume = RESUME_DETACH;
	buf_adds(&out->text, "detached: the program runs on without cdbg\n");
	return 0;
}

static int run_quit(struct session *s, const char *args, struct reply *out, struct err *err)
{
	char *end;
	long status = strtol(args, &end, 10);

	(void)out;
	if (*args && (end == args || *end || status < 0 || status > 255))
		return err_set(err, "'%s' is no exit status: it is a number from 0 to 255", args);
	if (!s->exited && !s->front->confirm(s, "The program is running.  End it?"))
		return 0;
	if (!s->exited)
		s->status = (int)status;
	s->resume = RESUME_QUIT;
	return 0;
}

/* A debugger of another process would stay; what can stay of this one begins anew with the program. */
static int run_kill(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "kill takes no arguments: 'quit STATUS' ends with a status");
	if (s->exited)
		return err_set(err, "the program has ended: 'run' starts it anew, 'quit' leaves");
	if (s->front->confirm(s, "End the program, and cdbg with it?  'run' starts it anew."))
		s->resume = RESUME_QUIT;
	return 0;
}

static int run_restart(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "restart takes no arguments: the program gets those it had");
	if (!s->restartable)
		return err_set(err, "cannot restart: this process did not begin as 'python -m cdbg', or the program "
			       "closed descriptors that a restart needs");
	if (!s->exited && !s->front->confirm(s, "The program is running.  Start it from the beginning?"))
		return 0;
	s->resume = RESUME_RESTART;
	return 0;
}

/* While the program runs the front end hears it; when it comes here the program stands already. */
static int run_interrupt(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)s;
	(void)args;
	(void)out;
	(void)err;
	return 0;
}

const struct cmd_def cmd_run[] = {
	{ .name = "interrupt", .group = GROUP_RUN, .flags = CMD_AFTER_EXIT, .run = run_interrupt,
	  .help = "stop the running program, as Ctrl-C does (for machines)" },
	{ .name = "detach", .group = GROUP_RUN, .flags = CMD_NEEDS_STOP | CMD_RESUMES, .run = run_detach,
	  .help = "take all hooks out and let the program run on without cdbg" },
	{ .name = "quit", .alias = "q exit", .args = "[STATUS]", .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT | CMD_RESUMES, .run = run_quit, .help = "end the program and cdbg",
	  .more = "The program is ended where it stands, as gdb does it: no finally, no atexit function.\n"
		  "The process ends with status 0, or STATUS.  After the program's own end: with its status." },
	{ .name = "kill", .group = GROUP_RUN, .flags = CMD_AFTER_EXIT | CMD_RESUMES, .run = run_kill,
	  .help = "end the program, and with it cdbg, which lives in it",
	  .more = "The same as 'quit', which may say a status.  'run' ends the program, too, and starts it anew." },
	{ .name = "restart", .alias = "run", .group = GROUP_RUN, .flags = CMD_AFTER_EXIT | CMD_RESUMES,
	  .run = run_restart, .help = "run the program anew; breakpoints, displays and options stay",
	  .more = "Arguments, environment and directory are those that it began with." },
	{ .name = NULL }
};
