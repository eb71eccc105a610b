/* SPDX-License-Identifier: BSD-3-Clause */
/* What a function of the Python package returns: dicts with named values, and lists of these.  A row of a view is a
   dict whose keys are the view's columns.  The functions take any object; what they return is borrowed. */
#ifndef DYNAMO_CMD_RESULT_H
#define DYNAMO_CMD_RESULT_H
#include "torch/cdbg_host.h"

/* None: there is no such value. */
PyObject *result_get(PyObject *dict, const char *name);
/* NULL: it is not a str. */
const char *result_text(PyObject *dict, const char *name);
/* absent: what to return where it is not an int. */
long long result_int(PyObject *dict, const char *name, long long absent);
/* 0 where it is not a float. */
double result_real(PyObject *dict, const char *name);
bool result_true(PyObject *dict, const char *name);
/* 0 where it is not a list. */
Py_ssize_t result_length(PyObject *list);
/* Each text of a list as a line that begins with `before`. */
void result_lines(PyObject *list, const char *before, struct buf *out);
/* None, numbers, texts, and lists and dicts of these, as data: owned by the caller. */
struct val *result_val(PyObject *v);

/* How the cells of a column are shown: a table of these is beside the view's columns. */
struct result_col {
	const char *name; /* NULL ends the table */
	enum role role;	  /* of a text */
	const char *form; /* of a float, for people */
};
/* The row's cells in these columns; a column "node" is cut for people, a column "line" has that of "file" with it. */
void result_put(struct rows *out, const struct result_col *cols, PyObject *row);
/* All rows of an answer that are wanted; one whose `judged` is False is marked as an error. */
void result_rows(struct rows *out, const struct view_req *req, const struct result_col *cols, PyObject *answer,
		 const char *judged);
/* A bool, int or float; people see a float in this form, scaled. */
void result_put_number(struct rows *out, const char *col, PyObject *v, const char *form, double scale);
/* Columns line and file; file NULL: neither. */
void result_put_place(struct rows *out, const char *file, long long line);
/* Column node; people see a long name cut. */
void result_put_node(struct rows *out, const char *name);

#endif
