/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes what the stopped frame does next, in the stopped thread: its next instruction, its value stack.  Knows
   no command. */
#include "engine/jump.h"
#include <stdlib.h>
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/asm/asm.h"
#include "py/hook/hook.h"

static struct frame *jumping_frame(struct session *s, struct err *err)
{
	struct frame *f = session_frame(s, err);

	if (!f)
		return NULL;
	if (s->viewed != s->thread)
		err_set(err, "cannot jump in thread %d: it is not the stopped thread; 'thread %d' selects that",
			s->viewed->number, s->thread->number);
	else if (f->level != 0)
		err_set(err,
			"cannot jump in frame %d: it is waiting for a call to return; 'frame 0' selects the "
			"innermost frame",
			f->level);
	else if (f->fake)
		err_set(err, "cannot jump in '%s': it is being compiled and does not run", f->qualname);
	else if (f->dead)
		err_set(err, "cannot jump in '%s': an exception ended it", f->qualname);
	else if (!f->at_event)
		err_set(err,
			"cannot jump in '%s': it is stopped inside an instruction, not before one; use 'nexti' "
			"first",
			f->qualname);
	else
		return f;
	return NULL;
}

int session_jump(struct session *s, struct code *c, int index, struct err *err)
{
	struct frame *f = jumping_frame(s, err);
	const struct region *r;
	char *text;

	if (!f)
		return -1;
	if (f->code != c)
		return err_set(err, "cannot jump out of '%s': the location is in other code, '%s'", f->qualname,
			       code_name(c));
	while (index > 0 && c->instr[index - 1].flags & INSTR_PREFIX)
		index--;
	if (f->index >= 0 && asm_may_jump(c, f->index, index, err) < 0)
		return -1;
	if (hook_jump(f->fo, code_unit(c, index), err) < 0)
		return -1;
	f->index = index;
	f->line = stack_line(s, c, index);
	r = plug_region(s, c, index);
	text = mem_fmt("to *%d", c->instr[index].offset);
	plug_changed(s, c, "jump", text);
	free(text);
	f->region = r ? region_name(r->kind) : NULL;
	f->inner = r ? r->inner : NULL;
	/* further commands at this stop must show the new location */
	s->event->index = index;
	event_set_value(s->event, NULL);
	return 0;
}

int session_set_slot(struct session *s, int slot, struct py_obj *value, struct err *err)
{
	struct frame *f = session_frame(s, err);

	if (!f)
		return -1;
	if (s->viewed != s->thread || f->level != 0 || !f->at_event)
		return err_set(err, "cannot write the value stack of a frame that is waiting for a call");
	if (frame_set_slot(f->fo, slot, value, err) < 0)
		return -1;
	if (s->event->kind == &ev_return && s->event->frame == f->fo)
		event_set_value(s->event, frame_return_value(f->fo, f->code, f->index));
	return 0;
}
