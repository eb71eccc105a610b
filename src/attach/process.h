/* SPDX-License-Identifier: BSD-3-Clause */
/* Another process as this one sees it: its state, its memory, and the functions of its shared objects.  Linux.  Stops
   nothing and changes nothing but memory that it is told to write.  Knows no Python but the names of its symbols. */
#ifndef CDBG_PROCESS_H
#define CDBG_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

enum { PROCESS_NAME = 32 };

/* What /proc/PID/status says. */
struct process_state {
	char state; /* as ps shows it: R, S, D, T (stopped by a signal), t (traced), Z */
	char name[PROCESS_NAME];
	pid_t process; /* that it is a thread of; itself */
	pid_t parent;
	pid_t tracer; /* the process that traces it, or 0 */
	pid_t inside; /* its number in its own namespace */
	uid_t user;
};

/* False: there is no such process. */
bool process_state(pid_t pid, struct process_state *out);
/* Can it open the files of /proc/PID/fd of this one?  It has the same user, rights and namespaces. */
bool process_sees(pid_t pid);
/* Whether its memory can be read, written, and traced by this one.  -1: err says why not, and what to do. */
int process_check(pid_t pid, struct err *err);
/* Why the kernel refused, for errno: which setting forbids it, and what to do. */
int process_refused(pid_t pid, int reason, struct err *err);

/* All n bytes, or false with errno. */
bool process_read(pid_t pid, uintptr_t from, void *to, size_t n);
bool process_write(pid_t pid, uintptr_t to, const void *from, size_t n);

/* A shared object or executable that is mapped: where the dynamic linker finds its symbols. */
struct process_object {
	uintptr_t base; /* what is added to its addresses */
	uintptr_t symbols, names, hash, gnu_hash;
	char path[4096]; /* as the process sees it */
};

/* The first object that defines this symbol and whose file name contains `part` (NULL: any).  False: none does.  Static
   symbols are not seen. */
bool process_object(pid_t pid, const char *symbol, const char *part, struct process_object *out);
/* Where a symbol in it begins and ends; 0: it has none of this name. */
struct process_range {
	uintptr_t from, to;
};
struct process_range process_function(pid_t pid, const struct process_object *o, const char *symbol);
/* The address of a symbol in it; 0: it has none of this name. */
uintptr_t process_symbol(pid_t pid, const struct process_object *o, const char *symbol);

/* What a thread waits for in the kernel. */
struct process_wait {
	long call; /* the number of the system call; -1: none, or it is not known */
	uintptr_t sp, pc;
};
bool process_waits(pid_t pid, pid_t thread, struct process_wait *out);

#endif
