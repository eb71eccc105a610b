/* SPDX-License-Identifier: BSD-3-Clause */
/* Command and view: elements of a tensor as a table of rows and columns.  Only the part that is asked for is read, and
   copied from a device only where the user lets it. */
#include <Python.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "number.h"
#include "tensor.h"
#include "view_values.h"
#include "window.h"

enum { WRAPPED = 10, TEXT_ROWS = 20, TEXT_WIDTH = 100, COUNTED = 1 << 20, CELL_LEAST = 6, WIDE_TITLE = 80 };
enum { MACHINE_ROWS = 200, MACHINE_COLUMNS = 200 }; /* that machines get at once */

static const struct view_col cols[] = {
	{ .name = "row", .help = "the number of the row; of a 1-d tensor, that of its first element" },
	{ .name = "cells", .help = "its elements", .machine_only = true },
	{ .name = "text", .help = "the same for people", .screen = true, .wide = true },
	{ .name = "action", .screen = true, .machine_only = true },
	{ .name = NULL },
};

/* What is viewed. */
static struct {
	char *expr;	   /* owned; NULL: nothing */
	long long slice;   /* which of the tables of a tensor of more dimensions */
	PyObject *value;   /* owned, until the stop ends or another frame is selected */
	const void *frame; /* ... this one, never followed */
	bool copies;	   /* the user lets parts be copied from the device, at this stop */
} V;

void view_values_forget(void *saved)
{
	(void)saved;
	Py_CLEAR(V.value);
	V.copies = false;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

struct table {
	struct window w;
	enum window_state state;
	long long rows, columns, slices; /* of the tensor */
	long long slice;
	long long wrap; /* elements in a row of a 1-d tensor; 0: it has more dimensions */
	long long first_row, nrows, first_column, ncolumns; /* what is shown */
	long long read_columns; /* from first_column: those that are shown, and what machines get */
	bool part;		/* w holds what is read, and nothing else */
};

static void measure_table(struct table *t, long long wrap)
{
	const struct layout *l = &t->w.at;
	int i;

	t->slices = 1;
	t->wrap = 0;
	if (l->ndim < 2) {
		t->wrap = wrap;
		t->rows = (t->w.n + wrap - 1) / wrap;
		t->columns = t->w.n < wrap ? t->w.n : wrap;
		return;
	}
	for (i = 0; i + 2 < l->ndim; i++)
		t->slices *= l->size[i];
	t->rows = l->size[l->ndim - 2];
	t->columns = l->size[l->ndim - 1];
}

/* The index of the slice in the dimensions before the last two. */
static void slice_index(const struct table *t, long long *index)
{
	long long rest = t->slice;
	int i;

	for (i = t->w.at.ndim - 3; i >= 0; i--) {
		index[i] = t->w.at.size[i] ? rest % t->w.at.size[i] : 0;
		rest = t->w.at.size[i] ? rest / t->w.at.size[i] : 0;
	}
}

/* "x[0, 3, :, :]" */
static void put_name(const struct table *t, const char *expr, struct buf *out)
{
	long long index[LAYOUT_DIMS] = { 0 };
	int i;

	buf_adds(out, expr);
	if (t->w.at.ndim < 3)
		return;
	slice_index(t, index);
	for (i = 0; i + 2 < t->w.at.ndim; i++)
		buf_addf(out, "%s%lld", i ? ", " : "[", index[i]);
	buf_adds(out, ", :, :]");
}

/* The element of a cell; false: there is none, or its memory is gone. */
static bool read_cell(const struct table *t, long long row, long long column, unsigned char *out)
{
	long long index[LAYOUT_DIMS] = { 0 };
	int n = t->w.at.ndim;

	if (t->wrap) {
		index[0] = row * t->wrap + column - (t->part ? t->first_row * t->wrap : 0);
		return (n || !index[0]) && (!n || index[0] < t->w.at.size[0]) && window_element(&t->w, index, out);
	}
	if (!t->part)
		slice_index(t, index);
	index[n - 2] = row - (t->part ? t->first_row : 0);
	index[n - 1] = column - (t->part ? t->first_column : 0);
	return window_element(&t->w, index, out);
}

/* A cell as text: figures enough for a table.  True: it is NaN or Inf, whose names are written to be noticed. */
static bool put_cell(const struct table *t, const unsigned char *element, struct buf *out)
{
	double d;
	bool real = number_value(element, t->w.dtype, t->w.item, &d);

	d = t->w.negative ? -d : d;
	if (real && d - d != 0) {
		buf_adds(out, d != d ? "NaN" : d < 0 ? "-Inf" : "+Inf");
		return true;
	}
	if (real && (*t->w.dtype == 'f' || *t->w.dtype == 'b') && strcmp(t->w.dtype, "bool"))
		buf_addf(out, "%.4g", d);
	else
		window_put(&t->w, element, out);
	return d - d != 0;
}

/* The part that is shown, from the device. */
static int copy_shown(struct table *t, PyObject *v, struct err *err)
{
	long long from[LAYOUT_DIMS] = { 0 }, count[LAYOUT_DIMS];
	int i, n = t->w.at.ndim;

	for (i = 0; i < n; i++)
		count[i] = 1;
	if (t->wrap && n) {
		from[0] = t->first_row * t->wrap;
		count[0] = t->nrows * t->wrap < t->w.n - from[0] ? t->nrows * t->wrap : t->w.n - from[0];
	} else if (n) {
		slice_index(t, from);
		from[n - 2] = t->first_row;
		count[n - 2] = t->nrows;
		from[n - 1] = t->first_column;
		count[n - 1] = t->read_columns;
	}
	t->part = true;
	return window_copy(v, from, count, &t->w, err);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* The widest cell of what is shown. */
static int cell_width(const struct table *t)
{
	unsigned char element[16];
	struct buf b = { 0 };
	long long r, c;
	int w = CELL_LEAST;

	for (r = t->first_row; r < t->first_row + t->nrows && r < t->first_row + MACHINE_ROWS; r++)
		for (c = t->first_column; c < t->first_column + t->ncolumns; c++) {
			buf_reset(&b);
			if (read_cell(t, r, c, element))
				put_cell(t, element, &b);
			w = (int)b.len > w ? (int)b.len : w;
		}
	buf_release(&b);
	return w;
}

static void put_aligned(struct buf *out, const char *text, int width)
{
	buf_addf(out, "%*s ", width, text);
}

/* The numbers of the columns, above them. */
static char *column_heads(const struct table *t, int width)
{
	struct buf b = { 0 };
	char text[32];
	long long c;

	for (c = t->first_column; c < t->first_column + t->ncolumns; c++) {
		snprintf(text, sizeof(text), t->wrap ? "+%lld" : "%lld", c);
		put_aligned(&b, text, width);
	}
	if (b.len)
		b.s[b.len - 1] = '\0';
	return buf_detach(&b);
}

static void put_table_row(const struct table *t, long long row, int width, bool pane, struct rows *out)
{
	struct val *list = pane ? NULL : val_list();
	struct buf text = { 0 }, cell = { 0 };
	unsigned char element[16];
	bool wrong = false;
	long long c;

	for (c = t->first_column; c < t->first_column + t->read_columns; c++) {
		if (t->wrap && row * t->wrap + c >= t->w.n && !t->part)
			break;
		buf_reset(&cell);
		if (read_cell(t, row, c, element))
			wrong |= put_cell(t, element, &cell);
		else if (!t->part)
			buf_addc(&cell, '?');
		if (c < t->first_column + t->ncolumns)
			put_aligned(&text, buf_str(&cell), width);
		if (list && cell.len)
			val_push(list, val_str(cell.s));
	}
	while (text.len && text.s[text.len - 1] == ' ')
		text.s[--text.len] = '\0';
	tensor_host->rows.add(out, wrong ? MARK_ERROR : 0);
	tensor_host->rows.num(out, "row", t->wrap ? row * t->wrap : row);
	if (list)
		tensor_host->rows.val(out, "cells", ROLE_VALUE, list);
	tensor_host->rows.str(out, "text", ROLE_VALUE, buf_str(&text));
	buf_release(&cell);
	buf_release(&text);
}

/* How many columns have room, and elements of a 1-d tensor in a row. */
static void choose_columns(struct table *t, const struct view_req *req)
{
	static const int wraps[] = { 10, 5, 2, 1 };
	int width, room = req->pane && req->width > 12 ? req->width - 9 : TEXT_WIDTH - 9, i;

	t->first_column = t->wrap ? 0 : (long long)req->left < t->columns ? (long long)req->left : t->columns - 1;
	t->first_column = t->first_column < 0 ? 0 : t->first_column;
	t->ncolumns = t->columns - t->first_column < room / 4 ? t->columns - t->first_column : room / 4;
	width = t->state == WINDOW_HERE ? cell_width(t) : 11;
	if (!t->wrap) {
		i = room / (width + 1) > 0 ? room / (width + 1) : 1;
		t->ncolumns = t->ncolumns < i ? t->ncolumns : i;
		t->read_columns = t->columns - t->first_column;
		t->read_columns = t->read_columns < MACHINE_COLUMNS ? t->read_columns : MACHINE_COLUMNS;
		t->read_columns = req->pane ? t->ncolumns : t->read_columns;
		return;
	}
	for (i = 0; wraps[i] > 1 && wraps[i] * (width + 1) > room; i++)
		;
	measure_table(t, wraps[i]);
	t->ncolumns = t->read_columns = t->columns;
}

/* The title: what is shown, and how all values are spread. */
static void put_values_title(const struct table *t, const char *expr, const char *shape, const struct view_req *req,
			     struct rows *out)
{
	struct window_numbers n;
	struct buf b = { 0 }, right = { 0 };
	bool narrow = req->pane && req->width < WIDE_TITLE;

	put_name(t, expr, &b);
	if (!narrow)
		buf_addf(&b, "  %s", shape);
	if (t->w.n) {
		window_numbers(&t->w, COUNTED, &n);
		if (t->part || t->w.n > COUNTED)
			buf_adds(&right, t->part ? "of this part: " : "of the first 1048576: ");
		if (n.nan || n.inf)
			buf_addf(&right, "NaN %lld Inf %lld ", n.nan, n.inf);
		if (n.real && n.min <= n.max) {
			if (!narrow)
				buf_addf(&right, "%.3g ", n.min);
			window_histogram(&n, narrow ? 3 : 1, &right);
			if (!narrow)
				buf_addf(&right, " %.3g", n.max);
		}
	}
	tensor_host->rows.title(out, right.len ? "%s\t%s" : "%s", b.s, buf_str(&right));
	buf_release(&right);
	buf_release(&b);
}

static void put_notice(struct rows *out, const char *text, const char *action)
{
	tensor_host->rows.add(out, 0);
	tensor_host->rows.str(out, "text", ROLE_TEXT, text);
	tensor_host->rows.str(out, "action", ROLE_TEXT, action);
	out->total = 1;
}

/* Of a device, before the user said yes. */
static int ask_to_copy(const struct view_req *req, const char *device, struct rows *out, struct err *err)
{
	char text[160];

	if (!req->pane)
		return err_set(
			err, "'%s' is on %s: 'view -copy %s' copies the part that is shown, which waits for the device",
			V.expr, device, V.expr);
	snprintf(text, sizeof(text), "on %s: Enter copies the part that is shown, which waits for the device", device);
	put_notice(out, text, "view -copy");
	return 0;
}

static int fill_table(struct table *t, PyObject *v, const struct view_req *req, struct rows *out, struct err *err)
{
	struct buf why = { 0 }, shape = { 0 };
	long long i;
	int width, ret = 0;

	t->state = window_open(v, &t->w, &why);
	tensor_host->values.show((struct py_obj *)v, &shape, 100);
	measure_table(t, WRAPPED);
	t->slice = t->slices > 0 ? V.slice % t->slices : 0;
	if (t->state == WINDOW_NOTHING) {
		ret = err_set(err, "'%s' has no values to show: %s", V.expr, buf_str(&why));
	} else if (t->state == WINDOW_DEVICE && !V.copies) {
		ret = ask_to_copy(req, why.s, out, err);
	} else {
		t->first_row = (long long)req->first < t->rows ? (long long)req->first : 0;
		t->nrows = t->rows - t->first_row;
		t->nrows = (size_t)t->nrows < req->count ? t->nrows : (long long)req->count;
		t->nrows = req->pane || t->nrows < MACHINE_ROWS ? t->nrows : MACHINE_ROWS;
		choose_columns(t, req);
		t->nrows = t->rows - t->first_row < t->nrows ? t->rows - t->first_row : t->nrows;
		if (t->state == WINDOW_DEVICE && t->w.n)
			ret = copy_shown(t, v, err);
		width = ret ? 0 : cell_width(t);
		if (!ret) {
			put_values_title(t, V.expr, buf_str(&shape), req, out);
			out->heads.text = column_heads(t, width);
			out->heads.more_right = t->first_column + t->ncolumns < t->columns && !t->wrap;
			for (i = t->first_row; i < t->first_row + t->nrows; i++)
				put_table_row(t, i, width, req->pane, out);
			out->first = (size_t)t->first_row;
			out->total = (size_t)t->rows;
			if (!t->w.n)
				put_notice(out, "no elements", NULL);
		}
	}
	window_close(&t->w);
	buf_release(&shape);
	buf_release(&why);
	return ret;
}

/* The value of what is viewed: borrowed; NULL with err.  A name is looked up each time, other expressions once in a
   stop. */
static PyObject *viewed(struct err *err)
{
	struct py_frame *f = NULL;
	struct code *c = NULL;
	int index;
	const void *frame;

	if (tensor_host->frames.selected(&f, &c, &index, err) < 0)
		return NULL;
	frame = f;
	Py_XDECREF((PyObject *)f);
	Py_XDECREF(c ? (PyObject *)c->co : NULL);
	if (!V.value || V.frame != frame || !V.expr[strcspn(V.expr, "([{ +-*/@")]) {
		Py_CLEAR(V.value);
		V.value = (PyObject *)tensor_host->frames.eval(V.expr, err);
		V.frame = frame;
	}
	if (V.value && !tensor_is(V.value)) {
		err_set(err, "'%s' is not a tensor but of type '%s'", V.expr, _PyType_Name(Py_TYPE(V.value)));
		return NULL;
	}
	return V.value;
}

static int view_values_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct table t = { .slice = 0 };
	PyObject *v, *guard;
	int ret;

	(void)s;
	if (*req->words && (!V.expr || strcmp(req->words, V.expr))) {
		free(V.expr);
		V.expr = mem_str(req->words);
		V.slice = 0;
		view_values_forget(NULL);
	}
	if (!V.expr)
		return 0;
	v = viewed(err);
	if (!v)
		return -1;
	Py_INCREF(v);
	guard = tensor_quiet_enter();
	ret = guard ? fill_table(&t, v, req, out, err) : err_set(err, "torch refuses to be asked");
	if (guard)
		tensor_quiet_leave(guard);
	Py_DECREF(v);
	return ret;
}

/* The command that shows another part of the table.  title: "x[0, :, :]  f32[...]", or without what chooses a table. */
static void add_part_line(struct buf *out, const char *title, const char *slice)
{
	const size_t n = V.expr ? strlen(V.expr) : 0;
	const bool plain = !n || !strpbrk(V.expr, " +-*/@%&|^~<>=");
	const char *table = n && !strncmp(title, V.expr, n) ? title + n : "";

	buf_addf(out, "'view %s%s%s%.*s%s'", plain ? "" : "(", n ? V.expr : "EXPR", plain ? "" : ")",
		 *table == '[' ? (int)strcspn(table, "]") + 1 : 0, table, slice);
}

/* What is not printed, and how to see it. */
static void add_parts_left(const struct rows *r, const char *title, struct buf *out)
{
	const char *heads = r->heads.text ? r->heads.text : "";
	const long long next = (long long)r->first + TEXT_ROWS, each = strchr(heads, '+') ? WRAPPED : 1;
	size_t end = strlen(heads), n;
	long long column;
	char slice[80];

	if ((size_t)next < r->total) {
		snprintf(slice, sizeof(slice), "[%lld:%lld]", next * each, (next + TEXT_ROWS) * each);
		buf_addf(out, "%8s %lld more rows: ", "...", (long long)r->total - next);
		add_part_line(out, title, slice);
		buf_adds(out, " shows the next\n");
	}
	if (!r->heads.more_right)
		return;
	while (end && !isdigit((unsigned char)heads[end - 1]))
		end--;
	for (n = end; n && isdigit((unsigned char)heads[n - 1]); n--)
		;
	column = strtoll(heads + n, NULL, 10) + 1;
	snprintf(slice, sizeof(slice), "[:, %lld:%lld]", column, column + WRAPPED);
	buf_addf(out, "%8s more columns: ", "...");
	add_part_line(out, title, slice);
	buf_adds(out, " shows the next\n");
}

static void view_values_text(struct session *s, const struct rows *r, struct buf *out)
{
	char *title = mem_str(r->title ? r->title : ""), *tab = strchr(title, '\t');
	const struct val *row, *text;
	size_t i;

	(void)s;
	if (tab)
		*tab = '\0';
	buf_addf(out, "%s\n%s%s", title, tab ? tab + 1 : "", tab ? "\n" : "");
	buf_addf(out, "%8s %s\n", "", r->heads.text ? r->heads.text : "");
	for (i = 0; i < r->n && i < TEXT_ROWS; i++) {
		row = tensor_host->rows.cell(r, i, "row");
		text = tensor_host->rows.cell(r, i, "text");
		if (row && row->type == VAL_INT)
			buf_addf(out, "%8lld %s\n", row->u.i, text ? text->u.s : "");
		else
			buf_addf(out, "%8s %s\n", "", text ? text->u.s : "");
	}
	add_parts_left(r, title, out);
	free(title);
}

static void view_values_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *action = tensor_host->rows.cell(r, row, "action");

	if (what == ACTION_ENTER && action && action->type == VAL_STR)
		buf_adds(line, action->u.s);
}

const struct view_ops view_values = {
	.name = "values",
	.args = "[EXPR]",
	.help = "elements of a tensor as a table",
	.cols = cols,
	.needs_stop = true,
	.scrolls = true,
	.fill = view_values_fill,
	.text = view_values_text,
	.none = "no tensor is viewed: 'view EXPR' chooses one",
	.action = view_values_action,
};

/* ---- command ---------------------------------------------------------------------------------------------- */

static int show_viewed(struct reply *out, struct err *err)
{
	struct err none;

	if (!tensor_host->talk.screen("focus", "values", &out->text, &none))
		return 0;
	return tensor_host->rows.reply(&view_values, V.expr, out, err);
}

/* Another table of a tensor of more dimensions. */
static int step_slice(long by, struct reply *out, struct err *err)
{
	struct table t = { .slice = 0 };
	struct buf why = { 0 };
	PyObject *v = V.expr ? viewed(err) : NULL, *guard;

	if (!V.expr)
		return err_set(err, "no tensor is viewed: 'view EXPR' chooses one");
	guard = v ? tensor_quiet_enter() : NULL;
	if (!guard)
		return -1;
	window_open(v, &t.w, &why);
	window_close(&t.w);
	tensor_quiet_leave(guard);
	buf_release(&why);
	measure_table(&t, WRAPPED);
	if (t.slices < 2)
		return err_set(err, "'%s' has one table only: it has less than three dimensions", V.expr);
	V.slice = (V.slice % t.slices + t.slices + by) % t.slices;
	return show_viewed(out, err);
}

static int view_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	bool copies = !strncmp(args, "-copy", 5) && (!args[5] || args[5] == ' ');
	PyObject *v;

	(void)s;
	if (!strcmp(args, "-next") || !strcmp(args, "-prev"))
		return step_slice(args[1] == 'n' ? 1 : -1, out, err);
	args += copies ? 5 + strspn(args + 5, " ") : 0;
	if (*args) {
		view_values_forget(NULL);
		free(V.expr);
		V.expr = mem_str(args);
		V.slice = 0;
	}
	if (!V.expr)
		return err_set(err, "missing expression: 'view EXPR'");
	v = viewed(err);
	if (!v)
		return -1;
	V.copies |= copies;
	return show_viewed(out, err);
}

static void complete_view(struct session *s, const char *args, const char *word, struct val *list)
{
	tensor_host->frames.complete(s, args, word, list);
}

const struct cmd_def cmd_view[] = {
	{ .name = "view",
	  .args = "[-copy|-next|-prev] [EXPR]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_RAW,
	  .help = "show the elements of a tensor as a table",
	  .more = "In the full screen the pane 'values' shows it, and follows the expression from stop to\n"
		  "stop; elsewhere the first rows are printed.  Only the elements that are shown are\n"
		  "read.  -copy: let them be copied from a device at this stop, which waits for it.\n"
		  "-next, -prev: another table of a tensor of more than two dimensions.",
	  .complete = complete_view,
	  .run = view_run },
	{ .name = NULL },
};
