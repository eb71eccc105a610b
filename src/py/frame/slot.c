/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which value stack slots may be written: follows a slot to the instructions that will use it, and refuses a
   value that one of them would use without a check. Uses the names of opcodes, so that it works for all versions. */
#include <Python.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/frame/frame.h"
#include "py/version/facts.h"
#include "py/version/opcodes.h"

struct use {
	struct py_frame *f;
	struct code *c;
	PyObject *was, *now;	     /* borrowed */
	bool below_null, above_null; /* the slots beside it hold NULL */
	unsigned char *seen;	     /* instruction * width + slot */
	struct place {
		int index, slot;
	} * todo;
	int width, n;
};

static bool same_type(const struct use *u)
{
	return Py_IS_TYPE(u->now, Py_TYPE(u->was));
}

/* The instruction needs an object of one exact type at k from the top. */
static bool use_is_typed(int op, int arg, int k)
{
	switch (op) {
	case LIST_APPEND:
	case LIST_EXTEND:
	case SET_ADD:
	case SET_UPDATE:
	case DICT_UPDATE:
	case DICT_MERGE:
		return k == arg;
	case MAP_ADD:
		return k == arg + 1;
	case LIST_TO_TUPLE:
	case MATCH_KEYS:
	case MATCH_CLASS:
		return k == 0;
	case BUILD_CONST_KEY_MAP:
		return k == 0;
	case MAKE_FUNCTION:
	case SET_FUNCTION_ATTRIBUTE:
	case BUILD_TEMPLATE:
	case BUILD_INTERPOLATION:
		return k < py_op_pops(op, arg);
	}
	return false;
}

static bool use_is_exception(int op, int arg, int k)
{
	switch (op) {
	case POP_EXCEPT:
	case PUSH_EXC_INFO:
		return k == 0;
	case RERAISE:
		return k == 0 || (arg && k == arg);
	case CHECK_EXC_MATCH:
	case CHECK_EG_MATCH:
		return k == 1;
	case WITH_EXCEPT_START:
		return k < 3;
	case END_ASYNC_FOR:
		return k == 0;
	case PREP_RERAISE_STAR:
		return k < 2;
	case CLEANUP_THROW:
		return k == 0;
	}
	return false;
}

/* One of two slots: a method and the object it is called on; a function that is called alone has a NULL there. */
static bool use_is_pair(const struct use *u, int op, int arg, int k)
{
	switch (op) {
	case PRECALL:
	case CALL:
		if (py_facts.null_above)
			return k == arg || (k == arg + 1 && !u->above_null);
		return k == arg + 1 || (k == arg && !u->below_null);
	case CALL_KW: /* above all of them, the names of the keywords */
		return k == 0 || k == arg + 1 || (k == arg + 2 && !u->above_null);
	}
	return false;
}

/* The reason why the slot, which is k from the top at this instruction, must not become u->now; NULL: it may. */
static const char *use_hazard(const struct use *u, const struct instr *in, int k)
{
	if ((in->op == FOR_ITER && k == py_iterator_slots - 1) || (in->op == SEND && k == py_iterator_slots)) {
		if (py_iterator_slots > 1 && !u->above_null)
			return "a loop counts through it";
		return PyIter_Check(u->now) ? NULL : "a loop runs on it, and the new value is not an iterator";
	}
	if (use_is_exception(in->op, in->arg, k))
		return "it holds the exception that is being handled";
	if (use_is_typed(in->op, in->arg, k) && !same_type(u))
		return "a later instruction relies on its exact type";
	if (use_is_pair(u, in->op, in->arg, k))
		return "it is one of a method and its object, which must fit each other";
	if (py_facts.wants_bool && (in->op == POP_JUMP_IF_TRUE || in->op == POP_JUMP_IF_FALSE) && k == 0 &&
	    !PyBool_Check(u->now))
		return "a branch expects True or False, and the new value is neither";
	return NULL;
}

static void use_reach(struct use *u, int index, int slot)
{
	unsigned char *seen;

	if (index >= u->c->n || slot < 0 || slot >= u->c->instr[index].depth || slot >= u->width)
		return;
	seen = &u->seen[(size_t)index * (size_t)u->width + (size_t)slot];
	if (*seen)
		return;
	*seen = 1;
	u->todo[u->n++] = (struct place){ index, slot };
}

/* The position of the slot after the instruction: the same, another (SWAP), or two (COPY). */
static void use_follow(struct use *u, int index, int slot)
{
	struct code *c = u->c;
	const struct instr *in = &c->instr[index];
	int k = in->depth - 1 - slot, i;

	for (i = 0; i < c->nexcept; i++)
		if (index >= c->except[i].start && index < c->except[i].end && slot < c->except[i].depth)
			use_reach(u, c->except[i].target, slot);
	if (in->target >= 0)
		use_reach(u, in->target, slot);
	if (py_op_ends(in->op) || k < py_op_pops(in->op, in->arg))
		return;
	if (in->op == COPY && k == in->arg - 1)
		use_reach(u, index + 1, in->depth);
	if (in->op == SWAP && k == 0)
		slot -= in->arg - 1;
	else if (in->op == SWAP && k == in->arg - 1)
		slot += in->arg - 1;
	use_reach(u, index + 1, slot);
}

static const char *use_check(struct use *u, int index, int slot)
{
	size_t places = ((size_t)u->c->n + 1) * (size_t)u->width;
	const char *why = NULL;

	u->seen = mem_alloc(places);
	u->todo = mem_alloc(places * sizeof(*u->todo));
	use_reach(u, index, slot);
	while (u->n && !why) {
		struct place p = u->todo[--u->n];
		const struct instr *in = &u->c->instr[p.index];

		why = use_hazard(u, in, in->depth - 1 - p.slot);
		use_follow(u, p.index, p.slot);
	}
	free(u->seen);
	free(u->todo);
	return why;
}

/* The number of slots that only the frame uses: all at an event, those below the operands in a suspended frame. */
static int slot_writable(struct py_frame *f, const struct instr *in)
{
	int depth = frame_depth(f, false), base;

	if (py_frame_saved_depth(f) >= 0 || in->depth < 0)
		return depth;
	base = in->depth - py_op_pops(in->op, in->arg);
	return base < depth ? base : depth;
}

int frame_set_slot(struct py_frame *f, int slot, struct py_obj *value, struct err *err)
{
	struct code *c = frame_code(f);
	struct use u = { .f = f, .c = c, .now = (PyObject *)value };
	int index = frame_index(f), depth;
	struct stack_slot at, beside = { .kind = SLOT_UNKNOWN };
	const char *why;

	if (!py_frame_alive(f) || index < 0)
		return err_set(err, "cannot set slot %d: the frame has not begun or has exited", slot);
	if (c->instr[index].depth < 0)
		return err_set(err, "cannot set slot %d: the stack of %s cannot be analysed", slot, code_name(c));
	depth = frame_depth(f, false);
	if (slot < 0 || slot >= depth)
		return err_set(err,
			       depth ? "no slot %d: the stack has slots 0 to %d" : "no slot %d: the stack is empty",
			       slot, depth - 1);
	if (slot >= slot_writable(f, &c->instr[index]))
		return err_set(err, "cannot set slot %d: the call that the frame waits for uses it", slot);
	frame_slot(f, slot, &at);
	if (slot)
		frame_slot(f, slot - 1, &beside);
	u.below_null = slot && beside.kind == SLOT_NULL;
	if (slot + 1 < depth)
		frame_slot(f, slot + 1, &beside);
	u.above_null = slot + 1 < depth && beside.kind == SLOT_NULL;
	u.was = (PyObject *)at.value;
	u.width = ((PyCodeObject *)c->co)->co_stacksize + 1;
	if (at.kind != SLOT_OBJECT)
		why = at.kind == SLOT_NULL ? "it holds a NULL that the interpreter needs" : "it holds no object";
	else if (PyCell_Check(u.was) && !PyCell_Check(u.now))
		why = "it holds a cell, and the new value is not one";
	else
		why = use_check(&u, index, slot);
	if (why)
		return err_set(err, "cannot set slot %d: %s", slot, why);
	py_frame_set_slot(f, slot, value);
	return 0;
}
