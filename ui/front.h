/* SPDX-License-Identifier: BSD-3-Clause */
/* The front ends, and what they share.  A front end shows rows and reads lines; it decides nothing. */
#ifndef CDBG_FRONT_H
#define CDBG_FRONT_H
#include "engine/session.h"

extern const struct front_ops front_plain;
extern const struct front_ops front_json;
extern const struct front_ops front_dap;
extern const struct front_ops front_tui;
extern const struct front_ops front_report;

/* JSON: before the session starts.  fd -1: standard input and output, the program's own are then captured. */
int front_json_open(int fd, struct err *err);
/* The other side is the controller of a distributed job: a stop is also told as people see it, and the session ends
   when the controller has gone, also while the program runs. */
int front_json_join(int fd, struct err *err);
/* JSON over a socket that listens. */
struct front_socket {
	const char *address;	/* as struct address describes it */
	const char *token_file; /* of TCP, or NULL: the token is printed */
	bool wait;		/* until a client is there; else the program runs, and stops for none before */
	bool quiet;		/* print nothing but a token that is in no file */
	bool once;		/* for one client: when it leaves, the process listens no more, and nothing is left */
	bool stop;		/* ... and when it comes, the program stops */
	bool people;		/* ... it is a controller, see front_json_join() */
	bool beside;		/* a person has the session: a client that leaves ends nothing, see ui/beside.h */
	void (*begin)(void); /* has the main thread begin a session, since a client came after a detach; any thread */
};
/* Before the session starts; again for each later session of the process, which goes on to listen. */
int front_json_listen(const struct front_socket *where, struct err *err);
/* The Debug Adapter Protocol: the same.  What was said before this process began: */
struct front_given {
	int sent;	  /* objects that were sent to the client */
	int fd;		  /* a file of what the client has sent, taken over; -1: none */
	const char *said; /* the program is run again: in place of both, from front_ops.again; else NULL */
};
int front_dap_open(int fd, const struct front_given *given, struct err *err);
int front_dap_listen(const struct front_socket *where, struct err *err);
/* Adds the body of the answer to `initialize`, as JSON.  Plugins are loaded. */
void front_dap_capabilities(struct buf *out);
/* Commands come from this descriptor, which is taken over, not from standard input.  Before front_plain_open(). */
void front_plain_input(int fd);
/* ... and what is shown goes there, too. */
void front_plain_terminal(int fd);
int front_plain_descriptor(void); /* ... and its number now */
/* Leaves it for good, and closes it. */
void front_plain_close(void);
/* ... both go through Python's own input() and sys.stdout, which a notebook's kernel replaces. */
void front_plain_kernel(void);
/* Plain: terminal or pipe on standard input. */
int front_plain_open(bool quiet, struct err *err);
/* The program runs without stopping, and a report is written to dir when it ends.  blame: calls are judged for it, as
   by `catch wrong`.  -1: nothing can be written there. */
int front_report_open(const char *dir, bool blame, struct err *err);
/* The full screen on the controlling terminal, with a thread of its own; the program's descriptors 0, 1 and 2 become
   its own terminal where they were one.  -1: a full screen is not possible; err has the reason, and nothing has
   changed. */
int front_tui_open(bool quiet, struct err *err);
/* Before it: on this device, of this type, below so many rows of it, and the program keeps its own terminal; NULL: as
   above.  Kept by address. */
void front_tui_terminal(const char *device, const char *type, int rows);
struct args;
bool front_wants_screen(const struct args *a); /* there is a terminal, and no setting forbids it */

struct val *front_stop(struct session *s, const struct event *ev);
/* Text for a person, safe to show on a terminal. `value`: it is the text of one value, whose further lines are
   marked. */
void front_text(struct buf *out, const char *text, bool value);
/* Adds why it stopped, "breakpoint 1", as it is: not yet safe to show. */
void front_stop_reason(const struct event *ev, struct buf *out);
/* Adds the text of a stop for people: location, reason, source line or instruction, displays. */
void front_stop_text(struct session *s, const struct event *ev, struct buf *out);

#endif
