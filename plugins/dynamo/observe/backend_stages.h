/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a captured graph after Dynamo: AOTAutograd's joint, forward and backward graphs, inductor's graph after
   its passes and the code it writes.  They are copied where torch logs them; no object of torch is kept. */
#ifndef DYNAMO_OBSERVE_BACKEND_STAGES_H
#define DYNAMO_OBSERVE_BACKEND_STAGES_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct entry;

extern const struct watcher watch_joint;
extern const struct watcher watch_forward_backward;
extern const struct watcher watch_logs_trained;
extern const struct watcher watch_logs_inference;
extern const struct watcher watch_inference;
extern const struct watcher watch_cached;
extern const struct watcher watch_lowered;
extern const struct watcher watch_loaded;
/* Sets a stage that was made again, and replaces the one of that name: a graph, or the text of inductor's code with
   its buffers, tuples (name, node or None, all nodes separated by spaces). */
void stages_put(struct entry *e, const char *graph, const char *name, PyObject *made, PyObject *buffers);
void stages_before(PyObject *output_graph); /* a graph is about to be passed to its backend */
/* The backend has returned, to call_user_compiler(output_graph, gm, ...).  A graph that it changed, or that its code is
   of, is the stage "backend", if no other stages are known. */
void stages_after(struct call *call);
bool stages_any(void); /* Is a stage known of the graph that is compiled now? */
/* Adds the stage "backend" to the graph with that row of compiling_parts, the last, if the backend changed the graph of
   the module that it was given or returned another one. */
void stages_note_changed(PyObject *given, PyObject *compiled, PyObject *row);

#endif
