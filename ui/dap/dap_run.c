/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that move the program: continue, next, stepIn, stepOut, pause, goto. */
#include <stdlib.h>
#include <string.h>
#include "engine/stop.h"
#include "py/hook/hook.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"

/* The thread that stopped goes on by steps, or, where the client says so, the selected one. */
static int step(struct session *s, struct dap_call *c, const char *line, const char *instruction, struct err *err)
{
	long long thread = val_number(c->args, "threadId", s->thread->number);

	if (s->viewed->number != thread && session_select_thread(s, (int)thread, err) < 0)
		return -1;
	session_select(s, 0);
	c->line = mem_str(strcmp(val_text(c->args, "granularity"), "instruction") ? line : instruction);
	return 0;
}

int dap_run_on(struct session *s, struct dap_call *c, struct err *err)
{
	(void)s;
	(void)err;
	c->line = mem_str("continue");
	c->body = val_map();
	val_put(c->body, "allThreadsContinued", val_bool(true));
	return 0;
}

int dap_step_over(struct session *s, struct dap_call *c, struct err *err)
{
	return step(s, c, "next", "nexti", err);
}

int dap_step_into(struct session *s, struct dap_call *c, struct err *err)
{
	return step(s, c, "step", "stepi", err);
}

int dap_step_out(struct session *s, struct dap_call *c, struct err *err)
{
	dap.stepping_out = true;
	return step(s, c, "finish", "finish", err);
}

/* In the record: 'record' in the console begins one. */
int dap_step_back(struct session *s, struct dap_call *c, struct err *err)
{
	return step(s, c, "rnext", "rstepi", err);
}

int dap_run_back(struct session *s, struct dap_call *c, struct err *err)
{
	(void)s;
	(void)err;
	c->line = mem_str("rcontinue");
	return 0;
}

/* While the program runs, the reader's thread does it. */
int dap_pause(struct session *s, struct dap_call *c, struct err *err)
{
	(void)c;
	(void)err;
	if (!session_stopped(s) && !s->exited)
		hook_interrupt();
	return 0;
}

/* ---- goto ------------------------------------------------------------------------------------------------------- */

/* A target's number is its place here, from 1. */
static struct {
	char **location;
	size_t n, cap;
} targets;

int dap_goto_targets(struct session *s, struct dap_call *c, struct err *err)
{
	const char *path = val_text(val_get(c->args, "source"), "path");
	long long line = val_number(c->args, "line", 0), at = line + 1 - dap.first_line;
	struct val *one;

	(void)s;
	if (!*path)
		return err_set(err, "a jump needs a file of the program: its lines are the targets");
	targets.location = mem_grow(targets.location, &targets.cap, targets.n + 1, sizeof(*targets.location));
	targets.location[targets.n++] = mem_fmt("%s:%lld", path, at);
	c->body = val_map();
	one = val_push(val_put(c->body, "targets", val_list()), val_map());
	val_put(one, "id", val_int((long long)targets.n));
	val_put(one, "label", val_str(targets.location[targets.n - 1]));
	val_put(one, "line", val_int(line));
	return 0;
}

static void tell_gone(struct session *s)
{
	struct val *body = val_map();

	dap_frames_forget();
	dap_variables_forget();
	val_put(body, "reason", val_str("goto"));
	val_put(body, "threadId", val_int(s->thread->number));
	val_put(body, "allThreadsStopped", val_bool(true));
	dap_event("stopped", body);
}

int dap_goto(struct session *s, struct dap_call *c, struct err *err)
{
	long long id = val_number(c->args, "targetId", 0);

	(void)s;
	if (id < 1 || id > (long long)targets.n)
		return err_set(err, "no target %lld: gotoTargets gives them", id);
	c->line = mem_fmt("jump %s", targets.location[id - 1]);
	c->after = tell_gone;
	return 0;
}
