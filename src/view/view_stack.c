/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the value stack of the selected frame, bottom first.  Values are summaries: none of the program's code runs. */
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/value/value.h"
#include "view/render.h"
#include "view/view_table.h"

enum { SUMMARY = 200 }; /* bytes of a value */

static const struct view_col cols[] = {
	{ .name = "slot", .help = "0 is the bottom; $0 in expressions" },
	{ .name = "value", .help = "a summary", .wide = true },
	{ .name = "type", .help = "its class", .drop = 1 },
	{ .name = "kind", .help = "object, null, int, symbolic, unknown", .drop = 2 },
	{ .name = "operand", .help = "the next instruction takes it", .machine_only = true },
	{ .name = NULL },
};

/* The instruction after an EXTENDED_ARG is the one that takes operands. */
static int operand_count(const struct frame *f)
{
	int i = f->index;

	if (!f->at_event || i < 0)
		return 0;
	while (i < f->code->n - 1 && f->code->instr[i].flags & INSTR_PREFIX)
		i++;
	return py_op_pops(f->code->instr[i].op, f->code->instr[i].arg);
}

static void add_slot(const struct frame *f, int slot, bool operand, struct rows *out)
{
	struct buf b = { 0 };
	struct stack_slot v;

	frame_slot(f->fo, slot, &v);
	rows_add(out, operand ? MARK_OPERAND : 0);
	rows_int(out, "slot", slot);
	switch (v.kind) {
	case SLOT_OBJECT:
		value_show_data(v.value, &b, SUMMARY);
		rows_str(out, "value", ROLE_VALUE, buf_str(&b));
		rows_str(out, "type", ROLE_TYPE, value_type(v.value));
		rows_str(out, "kind", ROLE_DIM, "object");
		break;
	case SLOT_NULL:
		rows_str(out, "kind", ROLE_DIM, "null");
		break;
	case SLOT_INT:
		buf_addf(&b, "%ld", v.number);
		rows_str(out, "value", ROLE_VALUE, buf_str(&b));
		rows_str(out, "kind", ROLE_DIM, "int");
		break;
	case SLOT_UNKNOWN:
		rows_str(out, "kind", ROLE_DIM, "unknown");
		break;
	}
	rows_bool(out, "operand", operand);
	buf_release(&b);
}

/* Of the past: what the record has. */
static int fill_past(const struct frame *f, const struct view_req *req, struct rows *out, struct err *err)
{
	int i, depth = past_depth(f->past), taken = f->at_event ? past_operands(f->past) : 0;
	const struct record_value *v;
	struct buf b = { 0 };

	if (depth < 0)
		return err_set(err, "the record does not have the value stack of '%s' there", f->qualname);
	for (i = 0; i < depth; i++) {
		if (!rows_want(out, req))
			continue;
		v = past_slot(f->past, i);
		rows_add(out, i >= depth - taken ? MARK_OPERAND : 0);
		rows_int(out, "slot", i);
		buf_reset(&b);
		past_value_text(v, &b);
		if (strcmp(past_value_kind(v), "null") && strcmp(past_value_kind(v), "unknown"))
			rows_str(out, "value", ROLE_VALUE, buf_str(&b));
		rows_str(out, "type", ROLE_TYPE, past_value_type(v));
		rows_str(out, "kind", ROLE_DIM, past_value_kind(v));
		rows_bool(out, "operand", i >= depth - taken);
	}
	buf_release(&b);
	return 0;
}

/* The compiler's stack for the function that it is compiling. */
static void fill_fake(const struct val *stack, const struct view_req *req, struct rows *out)
{
	const struct val *v;
	size_t i;

	for (i = 0; stack && stack->type == VAL_LIST && i < stack->u.list.n; i++) {
		v = stack->u.list.item[i];
		if (!rows_want(out, req))
			continue;
		rows_add(out, 0);
		rows_int(out, "slot", i);
		rows_str(out, "value", ROLE_VALUE, val_text(v, "value"));
		rows_str(out, "type", ROLE_TYPE, val_get(v, "type") ? val_text(v, "type") : NULL);
		rows_str(out, "kind", ROLE_DIM, *val_text(v, "kind") ? val_text(v, "kind") : "symbolic");
		rows_bool(out, "operand", false);
	}
}

static int view_stack_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct frame *f = session_frame(s, err);
	int i, depth, taken;

	if (!f)
		return -1;
	rows_title(out, "%s", f->qualname);
	if (f->fake) {
		fill_fake(f->fake->stack, req, out);
		return 0;
	}
	if (f->past)
		return fill_past(f, req, out, err);
	if (f->dead)
		return err_set(err,
			       "cannot show the value stack of '%s': the frame has exited; 'info locals' still "
			       "works",
			       f->qualname);
	depth = frame_depth(f->fo, f->at_event);
	if (depth < 0)
		return err_set(err, "cannot show the value stack of '%s': its depth is not known here", f->qualname);
	taken = operand_count(f);
	for (i = 0; i < depth; i++)
		if (rows_want(out, req))
			add_slot(f, i, i >= depth - taken, out);
	return 0;
}

static void view_stack_text(struct session *s, const struct rows *r, struct buf *out)
{
	struct frame *f = session_frame(s, NULL);
	struct buf b = { 0 };
	const char *kind, *type;
	bool operand, any = false;
	size_t i;

	for (i = 0; i < r->n; i++) {
		kind = rows_text(r, i, "kind");
		type = rows_text(r, i, "type");
		operand = r->mark[i] & MARK_OPERAND;
		any |= operand;
		buf_reset(&b);
		buf_addf(&b, "%s $%-3lld ", operand ? "*" : " ", rows_number(r, i, "slot", 0));
		if (!strcmp(kind, "null"))
			buf_adds(&b, "NULL");
		else if (!strcmp(kind, "unknown"))
			buf_adds(&b, "? (unreliable here)");
		else
			view_cut(&b, rows_text(r, i, "value"), 80);
		if (*type) {
			buf_pad(&b, 40, 0);
			buf_addf(&b, "  %s", type);
		}
		if (!strcmp(kind, "symbolic"))
			buf_adds(&b, "  symbolic");
		buf_addf(out, "%s\n", buf_str(&b));
	}
	if (any && f && f->code) {
		buf_adds(out, "* taken by ");
		render_instr(f->code, f->index, out);
		buf_addc(out, '\n');
	}
	buf_release(&b);
}

static void view_stack_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const char *value = rows_text(r, row, "value"), *kind = rows_text(r, row, "kind");

	if (what == ACTION_EDIT &&
	    strcmp(kind, "object")) /* NULL, a number of the interpreter: not values of the program */
		return;
	if (what == ACTION_EDIT && view_spelled(rows_text(r, row, "type"), value))
		buf_addf(line, "set stack %lld = %s", rows_number(r, row, "slot", 0), value);
	else if (what == ACTION_EDIT)
		buf_addf(line, "set stack %lld = $%lld", rows_number(r, row, "slot", 0),
			 rows_number(r, row, "slot", 0));
	else if (what == ACTION_ENTER)
		buf_addf(line, "print $%lld", rows_number(r, row, "slot", 0));
}

static const char *const more[] = { "pp ${slot}", "whatis ${slot}", "display ${slot}", NULL };

const struct view_ops view_stack = {
	.name = "stack",
	.alias = "s",
	.help = "the value stack of the selected frame, bottom first",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_stack_fill,
	.text = view_stack_text,
	.none = "the value stack is empty",
	.action = view_stack_action,
	.more = more,
};
