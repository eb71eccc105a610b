/* SPDX-License-Identifier: BSD-3-Clause */
/* What a front end that owns the terminal, or reads the output, must hear of the program: it asks for a line, opens the
   terminal by name, or leaves without the interpreter's own end.  Knows no terminal. */
#ifndef CDBG_ENDS_H
#define CDBG_ENDS_H

struct err;

/* Called in the program's thread with the GIL; any may be NULL. */
struct ends {
	void (*input)(void);                 /* input() is called */
	void (*tty)(void);                   /* /dev/tty is about to be opened */
	void (*leaving)(void);               /* os._exit() or os.exec*(): the process image ends now */
	void (*handles)(void);               /* signal.signal() gave a signal another handler */
};

/* From now on, for good: an audit hook cannot be taken out; ends_watch(NULL) makes it deaf. */
/* An audit hook heard of os.exec*(), and what stops there has been served. */
void ends_leaving(void);
int ends_watch(const struct ends *e, struct err *err);

#endif
