/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the front end share about the client and the stop: the thread's that serves requests. */
#ifndef CDBG_DAP_STATE_H
#define CDBG_DAP_STATE_H
#include <stdbool.h>
#include "engine/session.h"

struct buf;
struct err;
struct event;
struct frame;
struct py_obj;
struct val;

enum dap_phase { DAP_NEW, DAP_INITIALIZED, DAP_STARTED, DAP_CONFIGURED };

extern struct dap_state {
	enum dap_phase phase;
	int first_line, first_column; /* as the client counts: 0 or 1 */
	bool launched;		      /* not attached */
	bool stop_on_entry;
	bool stepping_out; /* `stepOut` goes on to the caller */
	bool leaves;	   /* `disconnect` was served: nothing more is said */
	bool over;	   /* `terminated` was sent */
	bool progress;	   /* the client wants events about compilations */
	bool invalidates;  /* ... and that what it shows is old */
	bool again;	   /* the program is run again, and its first stop was not served yet */
} dap;

/* ---- dap_stops.c: events ---- */

void dap_tell_stop(struct session *s, const struct event *ev);
void dap_tell_going_on(struct session *s);

/* ---- dap_frames.c ---- */

/* The frame of a frameId: it is selected then.  -1: err. */
int dap_frames_select(struct session *s, long long id, struct err *err);
struct dap_selection {
	int thread, level;
};
struct dap_selection dap_frames_selected(struct session *s);
void dap_frames_restore(struct session *s, struct dap_selection was);
void dap_frames_forget(void);	      /* the program continues */
struct val *dap_frames_threads(void); /* the body of `threads` as it was last; any thread */

/* ---- dap_addresses.c: code objects get numbers to be addressed by ---- */

struct code;
struct py_code;
void dap_addresses_add(struct buf *out, struct code *c, int offset); /* "0x10000010"; the code is kept alive */
/* Code and offset of an address; false: it was never given. */
bool dap_addresses_find(const char *reference, long long offset, struct code **c, long *at);
void dap_addresses_forget(void); /* the session ends */

/* ---- dap_breaks.c ---- */

/* An event about one that changed, unless a request did it: front_ops.breakpoint. */
void dap_breaks_news(struct session *s, const struct bp *b, enum bp_news news);
void dap_breaks_tell_all(struct session *s); /* those that were set before the client came */
void dap_breaks_forget(void);
/* The program is run again: counts begin anew; what must be known then, a list that the caller owns; and there, before
   they are set: each gets the number that the client knows.  At the end the client hears of those that are gone. */
void dap_breaks_rewind(struct session *s);
struct val *dap_breaks_keep(struct session *s);
void dap_breaks_expect(const struct val *kept);
void dap_breaks_missing(void);
long long dap_breaks_id(int number); /* as the client knows it; 0: it does not */
/* A request about breakpoints that cannot be served soon was answered by the reader's thread. */
bool dap_breaks_pending(const struct val *message);

/* ---- dap_sources.c ---- */

bool dap_sources_put(struct session *s, const char *file, struct val *out); /* as a Source; false: nothing shows it */
int dap_sources_named(const char *name); /* a reference for a text without a file, whose name Python knows */
struct val *dap_sources_of_entry(const char *entry); /* the Source of a known one, owned by the caller; or NULL */
const char *dap_sources_find(long long reference, bool *entry); /* NULL: unknown */
void dap_sources_follow(struct session *s);			/* events about new ones */
void dap_sources_forget(void);

/* ---- dap_variables.c ---- */

void dap_variables_forget(void); /* the program continues */
/* Adds variablesReference, and how many items there are.  path: an expression for v, or NULL; v: NULL: it has no
   children.  frame: the number of the frame. */
void dap_variables_refer(struct session *s, struct val *out, long long frame, const char *path, struct py_obj *v);
/* Adds a summary of the value under this key, and its type.  Runs none of the program's code. */
void dap_variables_show(struct session *s, struct val *out, const char *key, struct py_obj *v);
/* The expression for the child of this name; the caller's.  NULL: there is none. */
char *dap_variables_expression(struct session *s, long long reference, const char *name, struct err *err);

long long dap_variables_frame(long long reference); /* the number of its frame; it is known */

/* ---- dap_progress.c ---- */

void dap_progress_show(bool on); /* events about compilations; off: no more come, also not of one that goes on */

/* ---- dap_start.c ---- */

struct val *dap_capabilities(void);
bool dap_ends_program(const struct val *message); /* is it such a terminate or disconnect?  Any thread */

#endif
