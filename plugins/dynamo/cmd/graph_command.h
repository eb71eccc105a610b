/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that run a captured graph: a constant each, and what all of them do. */
#ifndef DYNAMO_CMD_GRAPH_COMMAND_H
#define DYNAMO_CMD_GRAPH_COMMAND_H
#include "cmd/graph_subject.h"

struct graph_command;

/* One command while it runs. */
struct graph_work {
	const struct graph_command *command;
	struct graph_args args;
	struct graph_subject subject;
	char *path;	   /* owned: FILE, or NULL */
	PyObject *backend; /* owned: of the entry, or NULL */
};

struct graph_command {
	const char *usage; /* NULL: its arguments do not begin with FILE */
	bool compares;	   /* its arguments are those of graph compare, else those of graph run */
	enum { BACKEND_UNUSED, BACKEND_IF_KNOWN, BACKEND_NEEDED } backend;
	bool uncollected; /* Python collects no garbage while the function runs */
	/* Of the package: the function takes the values that its parameters name, see graph_work_call(). */
	const char *module, *function;
	const char *failed; /* precedes the text of an exception that is not a refusal */
	/* What the command does with the function's result.  NULL: see run. */
	int (*tell)(struct graph_work *w, PyObject *r, struct reply *out, struct err *err);
	/* Calls the function itself.  NULL: it is called once. */
	int (*run)(struct graph_work *w, struct reply *out, struct err *err);
};

extern const struct graph_command graph_command_run, graph_command_memory, graph_command_compare, graph_command_save,
	graph_command_reduce, graph_command_recompile;

/* FILE of "FILE REST", a word with ~ for the home folder, or quoted ("): the caller owns it; *args is REST then. */
char *graph_file_take(const char **args);
/* Adds to out what was written: saved is what graph_save() of save.py returned. */
void graph_save_tell(PyObject *saved, const char *path, struct buf *out);
/* args: what was typed after the command's name. */
int graph_command(const struct graph_command *c, const char *args, struct reply *out, struct err *err);
/* Calls the command's function for the graph or a part of it.  It takes by name: kept, inputs, backend (or None),
   backward, large, allowed (see graph_tolerance()), until_nan, times, statistics, path (or None), title ("graph G of
   F"), write_beside (see graph_save.c), and what more has, a dict or NULL.  A new reference, or NULL with an
   exception. */
PyObject *graph_work_call(const struct graph_work *w, const struct graph_subject *s, PyObject *more);
/* Calls take() for each part of a graph that is compiled in parts, or for the graph; ends at -1. */
int graph_work_parts(struct graph_work *w,
		     int (*take)(struct graph_work *w, const struct graph_subject *s, void *to, struct err *err),
		     void *to, struct err *err);
/* write_beside(path, fill), a Python function, writes a file that gets its name when it is complete: a new reference,
   or NULL with an exception. */
PyObject *graph_save_writer(void);

/* Notes stages that were made again, see stages_made() in stages.py, and adds their names to out, which may be
   NULL. */
void graph_put_stages(const struct graph_subject *s, PyObject *list, struct buf *out);

#endif
