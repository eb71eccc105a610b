/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a stopped thread as the user sees them.  Knows no command, and plugins only by their answers. */
#include "engine/stack.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/option.h"
#include "engine/plug.h"
#include "engine/past.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "engine/source.h"
#include "event/event.h"
#include "py/hook/hook.h"
#include "py/interp/path.h"
#include "py/record/record_read.h"
#include "py/record/recorder.h"

enum { FRAMES_KEPT = 64 }; /* frames whose memory is kept; a deeper stack gives it back */

enum kind stack_kind(struct session *s, struct code *c)
{
	struct code_info info;

	if (c->kind != KIND_UNKNOWN)
		return c->kind;
	if (plug_code(s, c->co, &info) > 0 && info.kind != KIND_UNKNOWN)
		c->kind = info.kind;
	else
		c->kind = path_kind(code_file(c));
	return c->kind;
}

bool stack_shown(struct session *s, struct code *c)
{
	switch (stack_kind(s, c)) {
	case KIND_USER:
	case KIND_GENERATED:
		return true;
	case KIND_GRAPH:
		if (s->graphs_shown)
			return true;
		return option_is(s, "step-into", "graph") || option_is(s, "step-into", "library");
	case KIND_LIBRARY:
		return option_is(s, "step-into", "library");
	default:
		return false;
	}
}

struct py_frame *stack_outer(struct session *s, struct py_frame *f)
{
	struct py_frame *back = frame_back(f), *next;
	enum kind kind;

	while (back) {
		kind = stack_kind(s, frame_code(back));
		if (kind == KIND_SELF) { /* frames of cdbg's own that started the program are not shown */
			py_unref(back);
			return NULL;
		}
		if (stack_shown(s, frame_code(back)))
			return back;
		next = frame_back(back);
		py_unref(back);
		back = next;
	}
	return NULL;
}

int stack_line(struct session *s, struct code *c, int index)
{
	int line;

	code_decode(c);
	if (index < 0 || index >= c->n)
		return stack_kind(s, c) == KIND_GENERATED ? 0 : code_first_line(c);
	if (plug_line(s, c, index, &line) > 0)
		return line;
	/* instructions that the compiler added (the jump back of a loop) have no line: use the one before, but not for
	   the beginning of a handler, which follows code that did not run */
	if (c->instr[index].flags & INSTR_HANDLER && !c->instr[index].line && index + 1 < c->n)
		index += c->instr[index + 1].line > 0;
	while (!c->instr[index].line && index > 0 && stack_kind(s, c) != KIND_GENERATED)
		index--;
	return c->instr[index].line;
}

int stack_function_line(struct session *s, struct code *c)
{
	enum { DECORATORS = 100 }; /* lines of them */
	const char *file, *text;
	struct code_info info;
	int line, i;

	if (plug_code(s, c->co, &info) > 0 && info.root)
		c = code_get(info.root);
	line = code_first_line(c);
	file = code_file(c);
	text = source_line(s, file, line);
	if (!text || text[strspn(text, " \t")] != '@')
		return line;
	for (i = line + 1; i < line + DECORATORS && (text = source_line(s, file, i)); i++) {
		text += strspn(text, " \t");
		if (!strncmp(text, "def ", 4) || !strncmp(text, "async def ", 10))
			return i;
	}
	return line;
}

static struct frame *stack_add(struct stack *st)
{
	struct frame *f;

	if (st->n == st->made) {
		st->frame = mem_room(st->frame, &st->cap, (size_t)st->n + 1, sizeof(*st->frame));
		st->frame[st->made++] = mem_raw(sizeof(*f));
	}
	f = st->frame[st->n];
	memset(f, 0, sizeof(*f));
	f->level = st->n++;
	f->index = -1;
	return f;
}

/* The qualified name without enclosing functions. */
static const char *plain_name(const struct code *c)
{
	const char *name = code_qualname(c), *local;

	while ((local = strstr(name, "<locals>.")))
		name = local + strlen("<locals>.");
	return name;
}

/* A text that the frame keeps itself. */
static void own_name(struct frame *f, const char *name)
{
	f->own_name = mem_str(name);
	f->qualname = f->own_name;
}

/* The name for people: the plugin's, if it has one; owned by the caller. */
static char *people_name(struct session *s, struct py_code *co)
{
	struct code_info info;

	return mem_str(plug_code(s, co, &info) > 0 && info.name ? info.name : plain_name(code_get(co)));
}

char *stack_function(struct session *s, const struct frame *f)
{
	struct py_code *co = f->code ? f->code->co : f->fake ? f->fake->code : NULL;
	struct code_info info;

	if (!co || plug_code(s, co, &info) <= 0 || !info.resume || !info.root)
		return mem_str(f->qualname);
	return people_name(s, info.root);
}

static void add_fake(struct stack *st, struct session *s, const struct fake_frame *fake)
{
	struct frame *f = stack_add(st);

	f->kind = KIND_COMPILING;
	f->function = fake->function;
	f->file = fake->file;
	f->line = fake->line;
	f->entry = mem_str(fake->entry);
	f->fake = fake;
	f->own_name = fake->code ? people_name(s, fake->code) : mem_str(fake->function);
	f->qualname = f->own_name;
}

/* Of a frame whose code and index are known: all that follows from these. */
static void describe_frame(struct session *s, struct frame *f, int line)
{
	struct graph_node node;
	struct code_info info;
	const struct region *r;

	f->kind = stack_kind(s, f->code);
	f->function = code_name(f->code);
	f->file = code_file(f->code);
	f->line = line ? line : stack_line(s, f->code, f->index);
	f->function_line = f->line ? 0 : stack_function_line(s, f->code);
	f->hidden = !stack_shown(s, f->code);
	if (f->kind == KIND_GENERATED && plug_code(s, f->code->co, &info) > 0) {
		f->entry = mem_str(info.entry);
		r = f->index >= 0 ? plug_region(s, f->code, f->index) : NULL;
		f->region = r ? region_name(r->kind) : NULL;
		f->inner = r ? r->inner : NULL;
		own_name(f, info.name);
	}
	if (f->kind == KIND_GRAPH && plug_node(s, f->code, f->line, &node) > 0) {
		f->node = node.name;
		f->user_file = node.file;
		f->user_line = node.line;
		f->library = node.library;
	}
	if (!f->qualname && f->kind == KIND_USER && plug_code(s, f->code->co, &info) > 0 && info.name)
		own_name(f, info.name);
	if (!f->qualname)
		f->qualname = plain_name(f->code);
}

/* Takes over the reference to fo.  index and line: -1 and 0 for those of the frame itself. */
static struct frame *add_python_frame(struct stack *st, struct session *s, struct py_frame *fo, int index, int line)
{
	struct frame *f = stack_add(st);

	f->fo = fo;
	f->code = frame_code(fo);
	code_decode(f->code);
	f->index = index >= 0 ? index : frame_index(fo);
	describe_frame(s, f, line);
	return f;
}

/* A frame of the past whose code object is gone: what the record has of it. */
static void describe_recorded(struct frame *f, const struct record_code *c, uint32_t unit)
{
	const struct record_instr *in = record_code_instr(c, record_code_step(c, unit)->instr);
	const struct record_note *note = in->note >= 0 ? record_code_note(c, (uint32_t)in->note) : NULL;

	f->kind = (enum kind)c->kind;
	f->function = record_code_text(c, c->name);
	f->qualname = record_code_text(c, c->qualname);
	f->file = record_code_text(c, c->file);
	f->line = c->kind == KIND_GENERATED ? in->line : record_code_line(c, (uint32_t)(in - record_code_instr(c, 0)));
	f->entry = c->entry ? mem_str(record_code_text(c, c->entry)) : NULL;
	if (note && f->kind == KIND_GENERATED)
		f->region = record_code_text(c, note->name);
	else if (note && note->name)
		f->node = record_code_text(c, note->name);
	if (note && note->file) {
		f->user_file = f->kind == KIND_GRAPH ? record_code_text(c, note->file) : NULL;
		f->user_line = f->kind == KIND_GRAPH ? note->line : 0;
	}
}

void stack_fill_past(struct stack *st, struct session *s, const struct past_frame *frame, int n)
{
	struct frame *f;
	int i;

	stack_clear(st);
	for (i = 0; i < n; i++) {
		f = stack_add(st);
		f->past = &frame[i];
		f->at_event = i == 0;
		f->code = record_code_live(frame[i].code->item.id);
		if (f->code) {
			code_decode(f->code);
			f->index = f->code->unit_index[frame[i].frame->unit];
			describe_frame(s, f, 0);
		} else
			describe_recorded(f, frame[i].code, frame[i].frame->unit);
		f->hidden = false;
	}
}

const char *stack_source(const struct frame *f, int *line)
{
	*line = f->user_file ? f->user_line : f->line ? f->line : f->function_line;
	return f->user_file ? f->user_file : f->file;
}

/* Number logical frames: the frames that run parts of one function of the user are adjacent, a resume function
   inside the frame that it continues. */
static void number_logical(struct stack *st, struct session *s)
{
	struct py_code *root = NULL;
	struct code_info info;
	struct frame *f;
	int i, logical = 0;

	for (i = st->n - 1; i >= 0; i--) {
		f = st->frame[i];
		memset(&info, 0, sizeof(info));
		if (f->kind == KIND_GENERATED && f->code && plug_code(s, f->code->co, &info) > 0 && info.resume &&
		    root && info.root == root)
			f->logical = logical;
		else
			f->logical = ++logical;
		if (!f->hidden)
			root = f->kind == KIND_GENERATED ? info.root : NULL;
	}
	for (i = 0; i < st->n; i++) /* innermost is 0 */
		st->frame[i]->logical = logical - st->frame[i]->logical;
}

/* Reads the next frame. */
static void read_frame(struct stack *st, struct session *s)
{
	struct py_frame *fo = st->rest;

	if (stack_kind(s, frame_code(fo)) == KIND_SELF && (st->n || st->skip_hidden)) {
		st->rest = NULL;
		py_unref(fo);
		return;
	}
	st->rest = frame_back(fo);
	if (st->skip_hidden && !stack_shown(s, frame_code(fo))) {
		py_unref(fo);
		return;
	}
	st->skip_hidden = false;
	add_python_frame(st, s, fo, -1, 0);
}

struct frame *stack_frame(struct stack *st, struct session *s, int level)
{
	while (level >= st->n && st->rest)
		read_frame(st, s);
	return level >= 0 && level < st->n ? st->frame[level] : NULL;
}

int stack_depth(struct stack *st, struct session *s)
{
	while (st->rest)
		read_frame(st, s);
	if (!st->numbered)
		number_logical(st, s);
	st->numbered = true;
	return st->n;
}

static void fill_dead(struct stack *st, struct session *s, struct py_obj *tb)
{
	enum { MOST = 256 };
	struct trace_entry entry[MOST];
	int n = frame_traceback(tb, entry, MOST), i;

	if (n > MOST) {
		st->omitted = n - MOST;
		n = MOST;
	}
	for (i = n - 1; i >= 0; i--) {
		if (stack_kind(s, frame_code(entry[i].frame)) == KIND_SELF) {
			py_unref(entry[i].frame);
			continue;
		}
		add_python_frame(st, s, entry[i].frame, entry[i].index, 0)->dead = true;
	}
}

void stack_fill(struct stack *st, struct session *s, const struct event *ev)
{
	struct frame *f;

	stack_clear(st);
	if (ev->top)
		add_fake(st, s, ev->top);
	st->skip_hidden = ev->top != NULL;
	if (ev->dead)
		fill_dead(st, s, ev->tb);
	else
		st->rest = ev->frame ? py_ref(ev->frame) : frame_top();
	f = ev->top || !ev->at_event ? NULL : stack_frame(st, s, 0);
	if (!f)
		return;
	f->at_event = true;
	if (ev->index >= 0)
		f->index = ev->index;
}

void stack_fill_thread(struct stack *st, struct session *s, struct py_thread *ts)
{
	stack_clear(st);
	st->rest = frame_top_of(ts);
	stack_depth(st, s);
}

void stack_clear(struct stack *st)
{
	struct frame *f;
	int i;

	for (i = 0; i < st->n; i++) {
		f = st->frame[i];
		py_unref_later(f->fo);
		py_unref_later(f->kept);
		free(f->entry);
		free(f->own_name);
	}
	py_unref_later(st->rest);
	st->rest = NULL;
	st->skip_hidden = st->numbered = false;
	st->n = st->omitted = 0;
	for (; st->made > FRAMES_KEPT; st->made--)
		free(st->frame[st->made - 1]);
}

void stack_release(struct stack *st)
{
	stack_clear(st);
	while (st->made)
		free(st->frame[--st->made]);
	free(st->frame);
	*st = (struct stack){ 0 };
}

/* As frame_stack_locals() takes them; NULL: the frame keeps none. */
static const char *kept_names(struct session *s, struct py_frame *f)
{
	struct code *c = f ? frame_code(f) : NULL;

	return c && stack_kind(s, c) == KIND_GENERATED ? plug_kept(s, c, frame_index(f)) : NULL;
}

struct py_obj *stack_kept_in(struct session *s, struct py_frame *f, bool at_event)
{
	const char *names = kept_names(s, f);

	return names ? frame_stack_locals(f, at_event, names) : NULL;
}

struct py_obj *stack_kept(struct session *s, struct frame *f)
{
	py_unref_later(f->kept);
	f->kept = f->dead || f->past ? NULL : stack_kept_in(s, f->fo, f->at_event);
	return f->kept;
}

bool stack_set_kept(struct session *s, struct frame *f, const char *name, struct py_obj *value)
{
	const char *names = f->dead ? NULL : kept_names(s, f->fo);

	return names && frame_set_stack_local(f->fo, f->at_event, names, name, value);
}
