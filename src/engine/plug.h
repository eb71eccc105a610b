/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking plugins about code and values. */
#ifndef CDBG_PLUG_H
#define CDBG_PLUG_H
#include <stdbool.h>
#include "engine/plug_ops.h"

struct session;
struct val;

/* Add a plugin; ops may be NULL and is copied. name is kept by reference. */
void plug_add(struct session *s, const char *name, const struct plug_ops *ops);
void plug_drop(struct session *s, const char *name);   /* after it failed: it is not asked any more */
const char *plug_name(const struct session *s, int i); /* of those in use, for `ready`; NULL past the last */

/*
 * The questions of struct plug_ops, put to the plugins in the order they were added.  Of these the first answer counts;
 * 0: no plugin knows.
 */
int plug_code(struct session *s, struct py_code *co, struct code_info *out);
int plug_regions(struct session *s, struct code *c, const struct region **out, int *n);
const struct region *plug_region(struct session *s, struct code *c, int index); /* the one that holds index */
int plug_lines(struct session *s, struct code *c, const char *file, int first, int n, struct line_mark *out);
int plug_entry(struct session *s, const char *entry, struct py_code **out, struct err *err);
int plug_line(struct session *s, struct code *c, int index, int *line);
int plug_unwrap(struct session *s, struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg);
int plug_steady(struct session *s, struct code *c, const char *name);
const char *plug_boilerplate(struct session *s, struct code *c, int index);
const char *plug_reads_as(struct session *s, const char *name); /* valid until it is called again */
const char *plug_class_of(struct session *s, struct code *c, const char *object);
int plug_name_length(struct session *s, const char *name);
const char *plug_kept(struct session *s, struct code *c, int index);
int plug_node(struct session *s, struct code *c, int line, struct graph_node *out); /* all zero if nothing is known */
int plug_raised_at(struct session *s, struct py_obj *exc, const char **file, const char **function, int *line);
int plug_node_places(struct session *s, const char *pattern, struct places *out);
int plug_node_names(struct session *s, void (*add)(void *arg, const char *name), void *arg);
int plug_names(struct session *s, void (*add)(void *arg, const char *name), void *arg);
/* Does a graph's code run only to be traced, on tensors without values? */
int plug_traced(struct session *s, struct code *c);
/* A frame of a graph that is stepped is about to run another line. */
bool plug_graph_line(struct session *s, struct py_frame *f, struct code *c, int index);
int plug_body(struct session *s, struct py_code *body);
/* Does this code run only inside compiled regions, which hook_region() reports? */
bool plug_inside(struct session *s, struct code *c, bool generated);
/* Of these all answers count: how many places or code objects were added, or how many plugins know. */
int plug_links(struct session *s, const char *what, const char *id,
	       void (*add)(void *arg, const char *what, const char *id, int line), void *arg);
int plug_line_places(struct session *s, const char *file, int line, struct places *out);
int plug_function_places(struct session *s, struct py_code *original, struct places *out);
int plug_inlined_places(struct session *s, struct py_code *original, struct places *out);
int plug_pieces(struct session *s, struct py_code *original, void (*add)(void *arg, struct py_code *co), void *arg);
int plug_by_name(struct session *s, const char *name, void (*add)(void *arg, struct py_code *co), void *arg);
int plug_children(struct session *s, struct py_obj *v, struct child_sink *sink);
int plug_value_state(struct session *s, struct py_obj *v, struct buf *out);
/* Notifications, sent to all plugins. */
void plug_changed(struct session *s, struct code *c, const char *what, const char *text);
void plug_watched(struct session *s, bool on);
void plug_detach(struct session *s);
void plug_finish(struct session *s);
/* The innermost bracket of a stop; leave takes the plugins in reverse. */
#define PLUG_MAX 16
void plug_stop_enter(struct session *s, void *saved[PLUG_MAX]);
void plug_stop_leave(struct session *s, void *saved[PLUG_MAX]);

#endif
