/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts what Dynamo does while it compiles into the model, and calls the functions in observe_hooks.  Changes
   nothing but the backend that the user set. */
#ifndef DYNAMO_OBSERVE_OBSERVE_H
#define DYNAMO_OBSERVE_OBSERVE_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;

/* The functions to call about a compile; plugin.c has the table.  All must be set. */
struct observe_hooks {
	/* Dynamo got a frame because no entry fits it; c has no function yet. */
	void (*frame_comes)(struct compiling *c, PyObject *frame);
	/* Dynamo begins to compile this code; the hook may replace arguments of the call. */
	void (*compile_begins)(struct call *call, PyObject *code);
	PyObject *(*record_begin)(void); /* a list for the calls that build guards, or NULL */
	PyObject *(*record_end)(PyObject *calls, PyObject *manager); /* the record to keep, or NULL */
	/* An exception left a compile.  whole: the function had to be one graph. */
	void (*raised)(struct compiling *c, PyObject *exc, bool whole);
	void (*compiled)(struct compiling *c);
	void (*skipped)(struct compiling *c, const char *reason);
	/* The result of a frame: does it say that the recompile limit is reached? */
	bool (*limit)(struct compiling *c, PyObject *code, PyObject *result);
	/* The compile ended with an exception because torch may not compile again. */
	void (*refused)(struct compiling *c);
	void (*was_reset)(void); /* Dynamo forgot everything */
};

int observe_start(const struct observe_hooks *by, struct err *err);
extern const struct watcher watch_compile;
extern const struct watcher watch_catch;
extern const struct watcher watch_user_compiler;
extern const struct watcher watch_global;
extern const struct watcher watch_resume_global;
extern const struct watcher watch_wrap;
extern const struct watcher watch_reset;
extern const struct watcher watch_stance;
extern const struct watcher watch_run;
void observe_stop(void); /* everything in torch as it was */

#endif
