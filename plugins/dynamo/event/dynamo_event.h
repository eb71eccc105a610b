/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_EVENT_H
#define DYNAMO_EVENT_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct buf;
struct compiling;
struct graph_lines;
struct watcher;

/* ---- catch_absent.c: why a catchpoint cannot stop in the compiled graphs of the entries that exist, and what to do.
   */
/* As event_kind.absent.  Nothing is added if no entry exists, or if one may have what the catchpoint waits for. */
void catch_absent_backward(const char *words, struct buf *out);
void catch_absent_kernel(const char *pattern, struct buf *out);

/* ---- compile_event.c: stops that show a function being compiled as their innermost frame.  Knows no particular
   event. */
/* Offer a stop at the function being compiled; takes ownership of detail, but not of the lists. line: the current
   line, 0: its first. */
void compiling_event(const struct event_kind *kind, struct compiling *c, int line, const char *entry,
		     struct val *detail, const struct val *locals, const struct val *stack);
/* For these kinds: true if the words name the function that is being compiled. */
bool compiling_matches(const struct event *ev, const char *words);

/* ---- ev_backward.c: kind of stop: a compiled backward graph begins. */
extern const struct event_kind ev_backward;

/* ---- ev_compile.c: kind of stop: Dynamo has compiled a frame; its generated code is about to run for the first
   time. */
void ev_compile_emit(struct compiling *c);
extern const struct event_kind ev_compile;

/* ---- ev_guard_fail.c: kind of stop: an entry does not match a call, even if another one does. Dynamo's hook reports
   the result of a lookup, but not its function; that is known from the code that starts next, whose frame still
   has the arguments. */
extern const struct event_kind ev_guard_fail;
/* Dynamo gets a frame because no entry matches it; c has no function yet. */
void ev_guard_fail_enter(struct compiling *c, PyObject *frame);

/* ---- ev_kernel.c: kind of stop: the code that inductor wrote is about to call a kernel. */
extern const struct event_kind ev_kernel;

/* ---- ev_limit.c: kind of stop: a function has reached the recompile limit; calls that match no entry run in eager
   mode from then on. */
extern const struct event_kind ev_limit;
extern const struct watcher watch_limit;
/* The result for a frame, NULL where the program asked for an exception at the limit: if it shows that the recompile
   limit is reached, reports this and returns true. */
bool ev_limit_emit(struct compiling *c, PyObject *code, PyObject *result);

/* ---- ev_nan.c: kind of stop: a node or kernel of a compiled graph made a NaN or an Inf. */
extern const struct event_kind ev_nan;
/* While the stop lasts: the place of the line of a graph's code at which it is, where the NaN was made; *file NULL:
   that is not known.  false: it is not at this line. */
bool ev_nan_place(const struct graph_lines *l, int line, const char **file, int *user_line);
/* The stop has ended. */
void ev_nan_left(void);

/* ---- ev_recompile.c: kind of stop: Dynamo is about to compile a function again, because none of its entries fits
   the call. */
extern const struct watcher watch_reasons, watch_stance_reasons;
extern const struct event_kind ev_recompile;
/* The compile ends with an exception, since torch may not compile again: keeps why the entries missed. */
void ev_recompile_refused(struct compiling *c);

/* ---- ev_resume.c: kind of stop: the generated code of a resume function starts, each time it runs. */
extern const struct event_kind ev_resume;

/* ---- ev_skip.c: kind of stop: Dynamo decided to run a frame in eager mode. */
void ev_skip_emit(struct compiling *c, const char *reason);
extern const struct event_kind ev_skip;

/* ---- ev_stale.c: kind of stop: a call whose entry fits although a value has changed that Dynamo read and no guard
   covers. */
extern const struct event_kind ev_stale;

/* ---- ev_wrong.c: kind of stop: a compiled call gives another result than eager, and blame says whose fault it is. */
extern const struct event_kind ev_wrong;

#endif
