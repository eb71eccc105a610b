/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests with a text of the user: evaluate, setExpression, completions, and cdbg's own: cdbg/command, cdbg/view,
   cdbg/entries. */
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "engine/past.h"
#include "engine/variable.h"
#include "py/interp/eval.h"
#include "py/py.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_state.h"
#include "ui/json/val_json.h"
#include "view/view.h"

/* ---- evaluate --------------------------------------------------------------------------------------------------- */

/* An expression to be continued by ".name" or "[0]". */
static char *as_path(const char *text)
{
	return text[strcspn(text, " +-*/%<>=!&|^~,:")] ? mem_fmt("(%s)", text) : mem_str(text);
}

static void put_result(struct session *s, struct dap_call *c, struct py_obj *v)
{
	char *path = as_path(val_text(c->args, "expression"));
	long long frame = val_number(c->args, "frameId", 0);

	dap_variables_show(s, c->body, "result", v);
	dap_variables_refer(s, c->body, frame, path, frame ? v : NULL);
	free(path);
}

/* Runs none of the program's code. */
static int look_at(struct session *s, struct dap_call *c, struct err *err)
{
	const char *text = val_text(c->args, "expression");
	struct py_obj *v = variable_find(s, text, strlen(text), err);

	if (!v)
		return -1;
	c->body = val_map();
	put_result(s, c, v);
	py_unref(v);
	return 0;
}

static int evaluate(struct session *s, struct dap_call *c, struct err *err)
{
	struct reply shown = { .rows = NULL };
	struct scope scope;
	struct py_obj *v = NULL;
	int ret = -1;

	session_ask(s);
	if (session_scope(s, &scope, err) == 0)
		v = eval_text(val_text(c->args, "expression"), &scope, err);
	if (v) {
		c->body = val_map();
		put_result(s, c, v);
		ret = cmd_value(s, v, &shown, err);
	}
	if (ret == 0)
		val_put(c->body, "result", val_str(buf_str(&shown.text)));
	reply_release(&shown);
	py_unref(v);
	return ret;
}

/* The past has variables and slots. */
static int evaluate_past(struct session *s, struct dap_call *c, struct err *err)
{
	const struct record_value *v = past_named(s, val_text(c->args, "expression"), err);
	struct buf b = { 0 };

	if (!v)
		return -1;
	past_value_text(v, &b);
	c->body = val_map();
	val_put(c->body, "result", val_str(buf_str(&b)));
	if (past_value_type(v))
		val_put(c->body, "type", val_str(past_value_type(v)));
	val_put(c->body, "variablesReference", val_int(0));
	buf_release(&b);
	return 0;
}

/* In the console each line is a command of cdbg, or Python. */
int dap_evaluate(struct session *s, struct dap_call *c, struct err *err)
{
	const char *context = val_text(c->args, "context");
	long long frame = val_number(c->args, "frameId", 0);
	struct dap_selection was = dap_frames_selected(s);
	int ret;

	if (frame && session_stopped(s) && dap_frames_select(s, frame, err) < 0)
		return -1;
	if (!strcmp(context, "repl")) {
		c->line = mem_str(val_text(c->args, "expression"));
		return 0;
	}
	if (!session_stopped(s))
		return err_set(err, "notStopped");
	ret = s->past ? evaluate_past(s, c, err) : strcmp(context, "hover") ? evaluate(s, c, err) : look_at(s, c, err);
	dap_frames_restore(s, was);
	return ret;
}

static void reply_text(struct session *s, struct reply *r, struct buf *out)
{
	if (r->rows)
		view_text(s, r->rows, out);
	buf_add(out, buf_str(&r->text), r->text.len);
	while (out->len && out->s[out->len - 1] == '\n')
		out->s[--out->len] = '\0';
}

void dap_evaluated(struct session *s, struct dap_call *c, const struct ran *ran)
{
	struct buf b = { 0 };

	reply_text(s, ran->reply, &b);
	c->body = val_map();
	val_put(c->body, "result", val_str(buf_str(&b)));
	val_put(c->body, "variablesReference", val_int(0));
	buf_release(&b);
}

int dap_set_expression(struct session *s, struct dap_call *c, struct err *err)
{
	long long frame = val_number(c->args, "frameId", 0);

	if (frame && dap_frames_select(s, frame, err) < 0)
		return -1;
	c->line = mem_fmt("!%s = %s", val_text(c->args, "expression"), val_text(c->args, "value"));
	return 0;
}

/* ---- completions ------------------------------------------------------------------------------------------------ */

/* Bytes of a text that so many UTF-16 units take. */
static size_t utf16_bytes(const char *text, long long units)
{
	const char *p = text;
	uint32_t code;
	size_t n;

	for (; *p && units > 0; p += n, units -= code > 0xffff ? 2 : 1)
		n = text_decode(p, &code);
	return (size_t)(p - text);
}

static long long utf16_units(const char *text, size_t bytes)
{
	long long units = 0;
	uint32_t code;
	size_t i;

	for (i = 0; i<bytes; units += code> 0xffff ? 2 : 1)
		i += text_decode(text + i, &code);
	return units;
}

static void add_target(struct val *targets, const char *candidate, long long start, long long length)
{
	struct val *t = val_push(targets, val_map());
	size_t n = strcspn(candidate, "\t");
	char *label = mem_strn(candidate, n);

	val_put(t, "label", val_str(label));
	if (candidate[n])
		val_put(t, "detail", val_str(candidate + n + 1));
	val_put(t, "start", val_int(start));
	val_put(t, "length", val_int(length));
	free(label);
}

int dap_completions(struct session *s, struct dap_call *c, struct err *err)
{
	long long frame = val_number(c->args, "frameId", 0), start;
	long long column = val_number(c->args, "column", 0) - dap.first_column;
	const char *text = val_text(c->args, "text"), *word;
	char *line = mem_strn(text, utf16_bytes(text, column));
	struct val *list = val_list(), *described = val_list(), *targets;
	size_t i;

	if (frame && session_stopped(s) && dap_frames_select(s, frame, err) < 0)
		frame = 0;
	word = cmd_complete(s, line, list);
	cmd_complete_described(s, line, described);
	start = utf16_units(line, (size_t)(word - line));
	c->body = val_map();
	targets = val_put(c->body, "targets", val_list());
	for (i = 0; i < described->u.list.n; i++)
		add_target(targets, described->u.list.item[i]->u.s, start + dap.first_column,
			   utf16_units(word, strlen(word)));
	val_free(list);
	val_free(described);
	free(line);
	return 0;
}

/* ---- cdbg's own ------------------------------------------------------------------------------------------------- */

static struct val *row_map(const struct rows *r, size_t row)
{
	struct val *m = val_map();
	const struct val *v;
	int i;

	for (i = 0; i < r->ncols; i++) {
		if (r->ops->cols[i].screen)
			continue;
		v = r->cell[row * (size_t)r->ncols + (size_t)i].v;
		val_put(m, r->ops->cols[i].name, v ? val_copy(v) : val_null());
	}
	return m;
}

static void put_rows(struct val *body, const struct rows *r)
{
	struct val *list = val_put(body, "rows", val_list());
	size_t i;

	for (i = 0; i < r->n; i++)
		val_push(list, row_map(r, i));
}

int dap_command(struct session *s, struct dap_call *c, struct err *err)
{
	const char *line = val_text(c->args, "command");

	(void)s;
	if (!*line)
		return err_set(err, "expected a text \"command\"");
	c->line = mem_str(line);
	return 0;
}

void dap_commanded(struct session *s, struct dap_call *c, const struct ran *ran)
{
	struct buf b = { 0 };

	c->body = val_map();
	if (ran->reply->rows) {
		val_put(c->body, "view", val_str(ran->reply->rows->ops->name));
		put_rows(c->body, ran->reply->rows);
	}
	reply_text(s, ran->reply, &b);
	val_put(c->body, "text", val_str(buf_str(&b)));
	buf_release(&b);
}

static int fill_view(struct session *s, struct dap_call *c, const char *view, const char *words, struct err *err)
{
	struct rows *r = dap_call_rows(s, view, words, err);

	if (!r)
		return -1;
	c->body = val_map();
	put_rows(c->body, r);
	rows_free(r);
	return 0;
}

int dap_view(struct session *s, struct dap_call *c, struct err *err)
{
	long long frame = val_number(c->args, "frameId", 0);

	if (frame && dap_frames_select(s, frame, err) < 0)
		return -1;
	return fill_view(s, c, val_text(c->args, "view"), val_text(c->args, "arguments"), err);
}

int dap_entries(struct session *s, struct dap_call *c, struct err *err)
{
	return fill_view(s, c, "entries", val_text(c->args, "function"), err);
}
