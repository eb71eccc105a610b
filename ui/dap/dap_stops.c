/* SPDX-License-Identifier: BSD-3-Clause */
/* Events stopped and continued, and the request exceptionInfo. */
#include <stdlib.h>
#include <string.h>
#include "engine/doing.h"
#include "engine/stop.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"
#include "ui/front.h"
#include "ui/wire/relay.h"

static const struct {
	const struct event_kind *kind;
	const char *reason;
} reasons[] = {
	{ &ev_start, "entry" },		  { &ev_step, "step" },
	{ &ev_return, "step" },		  { &ev_breakpoint, "breakpoint" },
	{ &ev_watch, "data breakpoint" }, { &ev_interrupt, "pause" },
};

static const char *reason_of(const struct event *ev)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].kind == ev->kind)
			return reasons[i].reason;
	return "exception";
}

void dap_tell_stop(struct session *s, const struct event *ev)
{
	struct val *body = val_map();
	struct buf text = { 0 };
	const char *reason = reason_of(ev);
	char *label;

	(void)s;
	val_put(body, "reason", val_str(reason));
	val_put(body, "threadId", val_int(ev->thread->number));
	val_put(body, "allThreadsStopped", val_bool(true));
	if (ev->number && dap_breaks_id(ev->number))
		val_push(val_put(body, "hitBreakpointIds", val_list()), val_int(dap_breaks_id(ev->number)));
	if (!strcmp(reason, "exception") || ev->kind == &ev_watch || ev->kind == &ev_return) {
		front_stop_reason(ev, &text);
		label = mem_fmt("Paused on %s", ev->kind->name);
		val_put(body, "description", val_str(label));
		val_put(body, "text", val_str(buf_str(&text)));
		free(label);
	} else if (doing_waits()) {
		label = mem_fmt("Paused: %s", doing_waits());
		val_put(body, "description", val_str(label));
		free(label);
	}
	buf_release(&text);
	dap_event("stopped", body);
}

int dap_exception_info(struct session *s, struct dap_call *c, struct err *err)
{
	struct val *stop = front_stop(s, s->event), *details = val_map();
	struct buf card = { 0 }, first = { 0 };

	(void)err;
	stop_card(s, s->event, &card);
	front_stop_reason(s->event, &first);
	c->body = val_map();
	val_put(c->body, "exceptionId",
		val_str(*val_text(stop, "type") ? val_text(stop, "type") : s->event->kind->name));
	val_put(c->body, "description", val_str(buf_str(&first)));
	val_put(c->body, "breakMode", val_str(s->event->dead ? "unhandled" : "always"));
	val_put(details, "message", val_str(buf_str(&card)));
	if (*val_text(stop, "type"))
		val_put(details, "typeName", val_str(val_text(stop, "type")));
	val_put(c->body, "details", details);
	val_free(stop);
	buf_release(&card);
	buf_release(&first);
	return 0;
}

void dap_tell_going_on(struct session *s)
{
	struct val *body = val_map();

	val_put(body, "threadId", val_int(s->thread ? s->thread->number : 1));
	val_put(body, "allThreadsContinued", val_bool(true));
	dap_event("continued", body);
	relay_wait();
}
