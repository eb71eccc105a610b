/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports actions of the program that concern a front end: it reads a line, opens the terminal by name, or exits
   without finalizing the interpreter.  Knows no terminal. */
#ifndef CDBG_AUDIT_H
#define CDBG_AUDIT_H

struct err;

/* Called in the program's thread with the GIL; any may be NULL. */
struct audit_watch {
	void (*input)(void); /* input() is called */
	void (*tty)(void);   /* /dev/tty is about to be opened */
	void (*exiting)(
		int status);   /* os._exit() with this status, before leaving(); of the interpreter that is debugged */
	void (*leaving)(void); /* os._exit() or os.exec*(): the process image ends now */
	void (*handles)(void); /* signal.signal() gave a signal another handler */
};

/* Starts the reports; the struct is kept by address. NULL: ends them. */
int audit_watch(const struct audit_watch *w, struct err *err);

#endif
