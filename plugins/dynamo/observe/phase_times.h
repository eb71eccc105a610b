/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures where the time of compiles goes, into model/timing: torch's events, and lines, modules and operators while
   Dynamo traces and inductor lowers.  Time in stops is left out.  Changes nothing; knows no view. */
#ifndef DYNAMO_OBSERVE_PHASE_TIMES_H
#define DYNAMO_OBSERVE_PHASE_TIMES_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;
struct entry;

/* This compile begins; it has ended, with a result or without.  compile_id: torch's object, or NULL. */
void phase_times_begin(struct compiling *c, PyObject *compile_id);
void phase_times_end(struct compiling *c);
/* It gave this entry: returns its seconds; 0: they are not known. */
double phase_times_of(struct compiling *c, struct entry *e);
/* InstructionTranslatorBase.run, before and after. */
void phase_times_translator(struct call *call);
void phase_times_translated(struct call *call);
/* Dynamo begins a line of this thread's compile, in a file that counts: not of torch, nor Python's own. */
void phase_times_line(const char *file, int line);
/* What is imported for the backend now is none of Dynamo's time. */
void phase_times_import(bool begins);
void phase_times_stop(void); /* forgets what is not finished, in all threads */
extern const struct watcher watch_event_start;
extern const struct watcher watch_event_end;
extern const struct watcher watch_guards_timed;
extern const struct watcher watch_fake_value;
extern const struct watcher watch_lower_node;

#endif
