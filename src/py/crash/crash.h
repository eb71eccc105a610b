/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a crash: a signal that ends the process comes, and its handler reads the interpreter's frames of all
   threads, without the GIL.  Costs nothing before.  Knows no front end and no session. */
#ifndef CDBG_CRASH_H
#define CDBG_CRASH_H
#include <stdatomic.h>
#include <stdbool.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* ---- what was read: plain data, which another process may share ------------------------------------------- */

enum { CRASH_THREADS = 64, CRASH_FRAMES = 384, CRASH_VALUES = 512, CRASH_TEXT = 128 << 10 };

/* Texts are offsets in crash.text; 0: none. */
struct crash_value {
	uint32_t name; /* of a variable; 0: a slot of the value stack */
	uint32_t kind; /* "Tensor", "function boom", "NULL"; "?": it cannot be read */
};

struct crash_frame {
	int skipped;		   /* frames before it that are not reported */
	uint32_t function, file;   /* as Python qualifies the name */
	int line;		   /* 0: none */
	int offset;		   /* of its instruction in bytes; -1: before the first, or it cannot be read */
	uint32_t op;		   /* "CALL" */
	int arg;		   /* -1: it has none */
	uint32_t makes;		   /* the variable that its line stores next */
	uint32_t title, entry;	   /* as the code's notes have them */
	uint32_t what, name, user; /* the note there: "node", "sin", the file where the program wrote it */
	int user_line;
	int first_slot, nslots, first_local, nlocals; /* values; nslots -1: not known, or not read in this frame */
};

struct crash_thread {
	unsigned long ident, native; /* as threading has them */
	bool died;		     /* the signal came in it */
	bool had_gil;		     /* ... and held, or last held, the GIL */
	bool inner;		     /* of a sub-interpreter */
	int first, nframes;	     /* innermost first */
	long total;		     /* frames that it has */
};

enum crash_state { CRASH_NONE, CRASH_READING, CRASH_READ, CRASH_SHOWN };

struct crash {
	_Atomic int state;    /* enum crash_state */
	pid_t pid, sender;    /* sender: the process that sent the signal; 0: it did not come so */
	int signal, code;     /* code: si_code */
	uintptr_t address;    /* of a fault */
	unsigned long native; /* of the thread in which the signal came */
	bool at_address;      /* address has a meaning */
	bool incomplete;      /* what was read was damaged: the rest is left out */
	int nthreads, nframes, nvalues;
	uint32_t used;
	struct crash_thread thread[CRASH_THREADS]; /* that in which the signal came first, if it is one of Python's */
	struct crash_frame frame[CRASH_FRAMES];
	struct crash_value value[CRASH_VALUES];
	char text[CRASH_TEXT];
};

/* ---- before ----------------------------------------------------------------------------------------------- */

/*
 * Installs the handlers, and a signal stack for this thread; again: with another file.  The report is also written to
 * file, a new one; NULL: to none.  Signals that the program ignores, or handles in Python, are left to it.  The
 * handlers that were there are called afterwards.  -1: err.
 */
int crash_on(const char *file, struct err *err);
void crash_off(void);	   /* removes those of our handlers that nobody replaced, unless they are kept */
void crash_keep(bool yes); /* the program asked for them: the end of a session leaves them */
bool crash_handles(const struct sigaction *a); /* is it ours? */
/* Memory for the report, which processes that are forked from now on share; NULL: there is none. */
struct crash *crash_shared(void);
/*
 * Who shows the report in this process: called in the signal handler once all is read, restores the terminal and
 * returns its descriptor; -1: another process shows what is in the shared memory.  NULL: standard error.
 */
void crash_shown_by(int (*descriptor)(int sig));

/* ---- in the signal handler -------------------------------------------------------------------------------- */

/* Fills the threads and what belongs to them.  Memory is tested before it is read. */
void crash_read(struct crash *c);
/* As text for a person, in parts. */
void crash_text(const struct crash *c, void (*put)(void *arg, const char *s, size_t n), void *arg);
static inline const char *crash_string(const struct crash *c, uint32_t at)
{
	return at < CRASH_TEXT ? c->text + at : "";
}

#endif
