/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter as a whole: its version, its standard streams.  Knows no frame. */
#ifndef CDBG_HOST_H
#define CDBG_HOST_H
#include <stdbool.h>
#include <stddef.h>

struct err;
struct py_obj;

const char *host_version(void); /* "3.11.7"; static */
/*
 * Names that cdbg's own Python code looks up: a copy of the builtins, made when cdbg is imported, that the program
 * cannot replace.  A dict, borrowed, or NULL with an exception. For the same reason cdbg's C code imports modules by
 * PyImport_ImportModuleLevel(), which calls no __import__.
 */
struct py_obj *host_builtins(void);
/*
 * Flushes sys.stdout and sys.stderr if they are Python's own text files.
 * To be called inside a stop; runs no code of the program.
 */
void host_flush(void);
/*
 * Where a notebook's kernel serves the person, who has no terminal here: text by sys.stdout, a line by the builtin
 * input(), both as they are now.  To be called inside a stop; they run code of the program.  host_input() returns the
 * line, owned by the caller, or NULL: *interrupted says whether the person interrupted, or there is no input.
 */
bool host_in_kernel(void);
bool host_at_prompt(void); /* somebody types Python at a prompt, that of a notebook, too; it needs the terminal */
void host_write(const char *text, size_t n);
char *host_input(const char *prompt, bool *interrupted);
bool host_handles_signal(int sig); /* has the program a handler in Python for it? */
/* The exception that is pending in this thread, kept while cdbg runs Python code: what that code left is dropped. */
struct host_pending {
	void *exc[3]; /* owned */
};

void host_pending_keep(struct host_pending *p);
void host_pending_give_back(struct host_pending *p);
/* Source that has a name but no file (FX graphs, notebook cells, files in archives), as Python's linecache finds it:
   at most max bytes, owned by the caller; NULL: none. To be called inside a stop; a loader of the program may run. */
char *host_linecache(const char *name, size_t max);
/* Waits so long without the GIL.  -1: a signal handler of the program raised an exception, Ctrl-C for example; err. */
int host_pause(int ms, struct err *err);
/* Runs the user's editor ($VISUAL, $EDITOR, vi) on this file and waits for it; other threads continue to run.
   terminal: a descriptor that is the editor's 0, 1 and 2, -1: those of the process.  -1: err. */
int edit_file(const char *path, int terminal, struct err *err);

#endif
