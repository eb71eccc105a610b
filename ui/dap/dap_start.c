/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: initialize, launch, attach, configurationDone, disconnect, terminate, restart; what cdbg is capable of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/option.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"
#include "ui/wire/conversation.h"

static const char *const capable[] = {
	"supportsConfigurationDoneRequest",
	"supportsFunctionBreakpoints",
	"supportsConditionalBreakpoints",
	"supportsHitConditionalBreakpoints",
	"supportsLogPoints",
	"supportsInstructionBreakpoints",
	"supportsDataBreakpoints",
	"supportsBreakpointLocationsRequest",
	"supportsExceptionFilterOptions",
	"supportsExceptionInfoRequest",
	"supportsEvaluateForHovers",
	"supportsSetVariable",
	"supportsSetExpression",
	"supportsCompletionsRequest",
	"supportsGotoTargetsRequest",
	"supportsDelayedStackTraceLoading",
	"supportsLoadedSourcesRequest",
	"supportsDisassembleRequest",
	"supportsStepBack",
	"supportsSteppingGranularity",
	"supportsTerminateRequest",
	"supportsRestartRequest",
	"supportTerminateDebuggee",
	NULL,
};

static void add_filter(struct val *list, const char *name, const char *label, const char *help, bool on, bool condition)
{
	struct val *f = val_push(list, val_map());

	val_put(f, "filter", val_str(name));
	val_put(f, "label", val_str(label));
	val_put(f, "description", val_str(help));
	val_put(f, "default", val_bool(on));
	if (condition) {
		val_put(f, "supportsCondition", val_bool(true));
		val_put(f, "conditionDescription", val_str("a Python expression in the frame that stops"));
	}
}

/* "graph-break": "Graph break". */
static char *label_of(const char *name)
{
	char *label = mem_str(name), *p;

	if (*label >= 'a' && *label <= 'z')
		*label = (char)(*label - 'a' + 'A');
	for (p = label; (p = strchr(p, '-')); p++)
		*p = ' ';
	return label;
}

/* All that `catch` catches. */
static void add_filters(struct val *list)
{
	const struct event_kind *k;
	char *label;
	int i;

	add_filter(list, "uncaught", "Uncaught exception", "stop at an exception that no handler catches", true, false);
	for (i = 0; (k = event_at(i)); i++) {
		if (!k->args)
			continue;
		label = label_of(k->name);
		add_filter(list, k->name, label, k->help, false, true);
		free(label);
	}
}

struct val *dap_capabilities(void)
{
	struct val *v = val_map(), *triggers;
	int i;

	for (i = 0; capable[i]; i++)
		val_put(v, capable[i], val_bool(true));
	triggers = val_put(v, "completionTriggerCharacters", val_list());
	val_push(triggers, val_str("."));
	val_push(triggers, val_str(" "));
	add_filters(val_put(v, "exceptionBreakpointFilters", val_list()));
	return v;
}

static int counts_from(const struct val *args, const char *key)
{
	const struct val *v = val_get(args, key);

	return v && v->type == VAL_BOOL && !v->u.b ? 0 : 1;
}

int dap_initialize(struct session *s, struct dap_call *c, struct err *err)
{
	(void)s;
	if (dap.phase != DAP_NEW)
		return err_set(err, "initialize was sent before");
	dap.first_line = counts_from(c->args, "linesStartAt1");
	dap.first_column = counts_from(c->args, "columnsStartAt1");
	dap.phase = DAP_INITIALIZED;
	dap.progress = dap_flag(c->args, "supportsProgressReporting");
	dap_progress_show(dap.progress);
	dap.invalidates = dap_flag(c->args, "supportsInvalidatedEvent");
	c->quiet = dap_flag(c->message, "cdbgAnswered");
	c->body = dap_capabilities();
	return 0;
}

/* The command line, as far as a person reads it. */
static void command_line(struct buf *out)
{
	char text[300];
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0, i;

	if (f)
		fclose(f);
	for (i = 0; i + 1 < n; i++)
		buf_addc(out, text[i] ? text[i] : ' ');
}

static void tell_process(void)
{
	struct val *body = val_map();
	struct buf name = { 0 };

	command_line(&name);
	val_put(body, "name", val_str(buf_str(&name)));
	buf_release(&name);
	val_put(body, "systemProcessId", val_int(getpid()));
	val_put(body, "isLocalProcess", val_bool(true));
	val_put(body, "startMethod", val_str(dap.launched ? "launch" : "attach"));
	dap_event("process", body);
}

static bool may_restart(const struct session *s)
{
	return s->setup.restartable && conversation_can_restart();
}

/* The client then terminates the program and launches it again. */
static void tell_no_restart(void)
{
	struct val *body = val_map();

	val_put(val_put(body, "capabilities", val_map()), "supportsRestartRequest", val_bool(false));
	dap_event("capabilities", body);
}

static void tell_started(struct session *s)
{
	if (!may_restart(s))
		tell_no_restart();
	tell_process();
	dap_event("initialized", NULL);
}

/* What both know.  A launch to which a listening program answers means the program that is there. */
int dap_start(struct session *s, struct dap_call *c, struct err *err)
{
	const struct val *own = val_get(c->args, "justMyCode");
	struct err why = { "" };

	if (dap.phase != DAP_INITIALIZED)
		return err_set(err, "the session has been started");
	if (val_get(c->args, "processId"))
		return err_set(err,
			       "this process cannot attach to another one by its processId: connect to the socket of "
			       "that process, which 'CDBG_LISTEN=dap:unix:PATH' or cdbg.listen() makes");
	dap.launched = !strcmp(c->row->name, "launch");
	dap.stop_on_entry = dap_flag(c->args, "stopOnEntry");
	if (own && own->type == VAL_BOOL && option_set(s, "step-into", own->u.b ? "user" : "library", &why) < 0)
		return err_set(err, "justMyCode: %s", why.text);
	dap.phase = DAP_STARTED;
	c->after = tell_started;
	return 0;
}

static void tell_stop(struct session *s)
{
	if (s->event)
		dap_tell_stop(s, s->event);
}

/* The program waits at its first line, or where it stopped before the client came, or runs. */
int dap_configured(struct session *s, struct dap_call *c, struct err *err)
{
	if (dap.phase == DAP_CONFIGURED)
		return err_set(err, "configurationDone was sent before");
	if (dap.phase != DAP_STARTED)
		return err_set(err, "configurationDone comes after launch or attach");
	dap.phase = DAP_CONFIGURED;
	dap_breaks_tell_all(s);
	if (!session_stopped(s)) {
		if (dap.stop_on_entry)
			hook_interrupt();
	} else if (s->event->kind == &ev_start && !dap.stop_on_entry && !conversation_beside()) {
		c->line = mem_str("continue");
	} else {
		c->after = tell_stop;
	}
	return 0;
}

/* What a person has goes on with them. */
static void leave_program(struct session *s)
{
	if (conversation_beside())
		return;
	if (!s->exited)
		session_resume(s, RESUME_DETACH);
	else
		session_quit(s, s->status);
}

static void end_program(struct session *s)
{
	session_quit(s, s->status);
}

bool dap_ends_program(const struct val *message)
{
	const struct val *args = val_get(message, "arguments");

	if (!strcmp(val_text(message, "command"), "terminate"))
		return true;
	if (strcmp(val_text(message, "command"), "disconnect") != 0)
		return false;
	return val_get(args, "terminateDebuggee") ? dap_flag(args, "terminateDebuggee") :
						    dap.launched && !conversation_beside();
}

int dap_disconnect(struct session *s, struct dap_call *c, struct err *err)
{
	(void)s;
	(void)err;
	dap.leaves = true;
	c->after = dap_ends_program(c->message) ? end_program : leave_program;
	return 0;
}

int dap_terminate(struct session *s, struct dap_call *c, struct err *err)
{
	(void)s;
	(void)err;
	c->after = end_program;
	return 0;
}

static void run_again(struct session *s)
{
	session_resume(s, RESUME_RESTART);
}

/* With its arguments of before: those of a changed configuration need a launch. */
int dap_restart(struct session *s, struct dap_call *c, struct err *err)
{
	const struct val *config = val_get(c->args, "arguments");

	if (conversation_where() && !conversation_beside())
		return err_set(err,
			       "the program cannot be run again in its place: it serves a socket and nobody is at its "
			       "terminal, so this connection would end; terminate it, and start it as before");
	if (!may_restart(s))
		return err_set(err, "the program cannot be run again in its place: terminate it and launch it again");
	if (val_get(config, "stopOnEntry"))
		dap.stop_on_entry = dap_flag(config, "stopOnEntry");
	dap_breaks_rewind(s);
	c->after = run_again;
	return 0;
}
