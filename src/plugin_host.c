/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that plugins may call (struct cdbg_host).  Knows no plugin. */
#include "config.h"
#include "plugin_host.h"
#include <stdlib.h>
#include "base/ownfd.h"
#include "base/readable.h"
#include "cmd/cmd.h"
#include "engine/doing.h"
#include "engine/bp.h"
#include "engine/dispatch.h"
#include "engine/loc.h"
#include "engine/option.h"
#include "engine/recording.h"
#include "engine/region_name.h"
#include "engine/screen.h"
#include "engine/session.h"
#include "engine/step.h"
#include "engine/stop.h"
#include "engine/source.h"
#include "py/asm/asm.h"
#include "py/code/code.h"
#include "py/decompile/decompile.h"
#include "py/frame/frame.h"
#include "py/hook/hook.h"
#include "py/interp/eval.h"
#include "py/interp/gil_thread.h"
#include "py/interp/host.h"
#include "py/interp/path.h"
#include "py/record/record_value.h"
#include "py/record/recorder.h"
#include "py/value/value.h"
#include "ui/json/val_json.h"
#include "view/render.h"
#include "view/view.h"

static struct hook_thread *thread_in_stop(void)
{
	struct hook_thread *t = hook_thread_self();

	return t && t->in_stop > 0 ? t : NULL;
}

static void host_event(const struct event *ev)
{
	struct session *s = session_get();
	struct event copy = *ev;

	if (!s || !s->started || thread_in_stop())
		return;
	copy.thread = hook_thread_self();
	if (copy.thread)
		dispatch_event(s, &copy);
}

static bool file_fits(const char *typed, const char *file)
{
	return loc_file_fits(typed, file);
}

static bool host_catching(const char *kind)
{
	struct session *s = session_get();

	return s && bp_catching(s, kind);
}

static void host_code_appeared(void)
{
	struct session *s = session_get();

	if (!s)
		return;
	bp_code_appeared(s);
	bp_arm(s); /* code may run elsewhere now, even if no place has changed */
	py_unref_waiting();
}

/* Such code is compiled code, or code of a graph, which has just appeared. */
static void host_set_notes(struct code *c, struct code_notes *notes)
{
	struct session *s = session_get();

	code_set_notes(c, notes);
	record_renew(c);
	if (s)
		recording_code(s, c);
}

static void host_code_kind_changed(struct code *c)
{
	c->kind = KIND_UNKNOWN;
}

static void host_note(int level, const char *text)
{
	struct session *s = session_get();

	if (s)
		session_note(s, level ? NOTE_WARNING : NOTE_INFO, "%s", text);
}

static void host_say(const char *text)
{
	struct session *s = session_get();

	if (s)
		session_say(s, "%s", text);
}

static const char *host_source_line(const char *file, int line)
{
	struct session *s = session_get();

	return s ? source_line(s, file, line) : NULL;
}

static long host_option_number(const char *name)
{
	struct session *s = session_get();

	return s ? option_number(s, name) : 0;
}

static const char *host_option_text(const char *name)
{
	struct session *s = session_get();

	return s ? option_text(s, name) : "";
}

static int host_selected(struct py_frame **f, struct code **c, int *index, struct err *err)
{
	struct session *s = session_get();
	struct frame *fr = s ? session_frame(s, err) : NULL;

	*f = NULL;
	*c = NULL;
	*index = -1;
	if (!fr)
		return s ? -1 : err_set(err, "cdbg is not running");
	*f = py_ref(fr->fo);
	*c = fr->code;
	*index = fr->index;
	if (fr->code)
		py_ref(fr->code->co);
	return 0;
}

static struct py_obj *host_eval(const char *text, struct err *err)
{
	struct session *s = session_get();
	struct scope sc = { 0 };

	if (!s) {
		err_set(err, "cdbg is not running");
		return NULL;
	}
	if (session_scope(s, &sc, err) < 0)
		return NULL;
	return eval_text(text, &sc, err);
}

static int host_functions(const char *func, void (*add)(void *arg, struct py_code *co), void *arg, struct err *err)
{
	struct session *s = session_get();

	return s ? loc_functions(s, func, add, arg, err) : err_set(err, "cdbg is not running");
}

static bool host_user_file(const char *file)
{
	return file && path_kind(file) == KIND_USER;
}

static bool host_in_stop(void)
{
	return thread_in_stop() != NULL;
}

static bool host_aside(void (*run)(void *arg), void *arg)
{
	struct session *s = session_get();

	return s && s->started && session_aside(s, run, arg);
}

static int host_show(const char *line, struct buf *out, struct err *err)
{
	struct session *s = session_get();
	struct reply reply = { .rows = NULL };
	struct buf word = { 0 };
	const struct cmd_def *c;
	int ret = -1;

	if (!s)
		return err_set(err, "cdbg is not running");
	c = cmd_word(&line, &word) ? cmd_find(word.s, err) : NULL;
	if (c && cmd_flags(c, line) & (CMD_RESUMES | CMD_CHANGES))
		err_set(err, "'%s' changes the program and cannot be used here", c->name);
	else if (c)
		ret = cmd_invoke(s, c, line, &reply, err);
	if (ret == 0 && reply.rows)
		view_text(s, reply.rows, out);
	else if (ret == 0)
		buf_adds(out, buf_str(&reply.text));
	reply_release(&reply);
	buf_release(&word);
	return ret;
}

static int host_reply(const struct view_ops *v, const char *words, struct reply *out, struct err *err)
{
	struct session *s = session_get();

	out->rows = s ? view_rows(s, v, words, err) : NULL;
	return out->rows ? 0 : s ? -1 : err_set(err, "cdbg is not running");
}

static void host_reply_text(struct reply *out)
{
	if (session_get() && out->rows)
		view_text(session_get(), out->rows, &out->text);
}

static const char *host_stop_text(struct buf *out)
{
	struct session *s = session_get();
	const struct event *ev = s && session_stopped(s) ? s->event : NULL;

	if (!ev)
		return s && s->exited ? stop_card_last(out) : NULL;
	stop_card(s, ev, out);
	return ev->kind->name;
}

static struct py_obj *host_stop_exception(void)
{
	struct session *s = session_get();

	return s && session_stopped(s) && s->event ? s->event->exc : NULL;
}

static int host_edit_file(const char *path, struct err *err)
{
	int terminal = screen_lend(true), ret = edit_file(path, terminal, err);

	screen_lend(false);
	ownfd_close(terminal);
	return ret;
}

static const struct view_ops *host_view(const char *name)
{
	struct err err;

	return view_find(name, &err);
}

static bool host_would_stop(struct code *c)
{
	struct session *s = session_get();
	struct hook_thread *t = hook_thread_self();

	if (!s || !t || t->in_stop)
		return false;
	return c->hook.armed || (t->plan && step_enter(s, t, c));
}

static int host_run_at(struct py_code *co, const char *line, struct err *err)
{
	struct session *s = session_get();

	return s ? bp_run_at(s, co, line, err) : err_set(err, "cdbg is detached");
}

static const char *own_version(void)
{
	return PACKAGE_VERSION;
}

struct cdbg_host plugin_host = {
	.code.get = code_get,
	.code.peek = code_peek,
	.code.decode = code_decode,
	.code.set_notes = host_set_notes,
	.code.index = code_index,
	.code.arg_text = code_arg_text,
	.code.arg_object = code_arg_object,
	.code.op_name = py_op_name,
	.values.show = value_show,
	.values.add_format = value_add_format,
	.values.drop_format = value_drop_format,
	.rows.add = rows_add,
	.rows.num = rows_int,
	.rows.str = rows_str,
	.rows.flag = rows_bool,
	.rows.val = rows_val,
	.rows.want = rows_want,
	.rows.follow = rows_follow,
	.rows.title = rows_title,
	.stops.event = host_event,
	.stops.catching = host_catching,
	.code.appeared = host_code_appeared,
	.code.kind_changed = host_code_kind_changed,
	.stops.region = hook_region,
	.talk.note = host_note,
	.talk.say = host_say,
	.files.add_place = places_add,
	.files.line = host_source_line,
	.talk.option_number = host_option_number,
	.talk.option_text = host_option_text,
	.frames.selected = host_selected,
	.frames.eval = host_eval,
	.code.functions = host_functions,
	.files.is_user = host_user_file,
	.stops.inside = host_in_stop,
	.code.op_pops = py_op_pops,
	.code.op_ends = py_op_ends,
	.rows.command = host_show,
	.frames.locals = frame_locals_dict,
	.frames.local = frame_local,
	.frames.main_blocked = gil_thread_main_blocked,
	.rows.cell = rows_cell,
	.rows.cut = view_cut,
	.rows.shown = rows_shown,
	.rows.cut_name = view_cut_name,
	.code.region_name = region_name,
	.talk.restore_terminal = bug_restore_now,
	.rows.reply = host_reply,
	.code.asm_write = asm_write,
	.code.asm_read = asm_read,
	.code.python_write = recompile_text,
	.code.python_read = recompile_edited,
	.code.asm_id = asm_id,
	.code.asm_call = asm_call,
	.files.edit = host_edit_file,
	.values.repr = value_repr,
	.values.text = value_text,
	.rows.reply_text = host_reply_text,
	.stops.text = host_stop_text,
	.files.fits = file_fits,
	.rows.view = host_view,
	.rows.release = rows_free,
	.values.json = json_add_val,
	.talk.version = own_version,
	.stops.would_stop = host_would_stop,
	.values.builtins = host_builtins,
	.values.add_unreadable = value_add_unreadable,
	.values.readable = readable_memory,
	.values.recorded = record_value_data,
	.values.recorded_text = record_data_new,
	.stops.hold = hook_hold,
	.stops.release = hook_release,
	.stops.waits = hook_waits,
	.stops.aside = host_aside,
	.stops.interrupted = hook_interrupt_ends,
	.talk.screen = screen_run,
	.talk.doing = doing_set,
	.frames.complete = cmd_complete_name,
	.frames.exception = host_stop_exception,
	.stops.run_at = host_run_at,
};
