/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for LD_PRELOAD, for 'make coverage'. gcov writes counts in exit(); a debugger often ends without it, by
   _exit(), by exec or by a signal to itself. The functions here write the counts of all objects, then do what the C
   library's function of that name does. Tests that kill cdbg send SIGRTMAX first, which writes them, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { OBJECTS = 1024 };

struct names {
	const char *of[OBJECTS];
	int n;
};

static pid_t owner; /* a child of vfork(), which shares our memory, has another number */

static void take_owner(void)
{
	owner = getpid();
}

static void killed(int sig)
{
	(void)sig;
	_exit(137);
}

__attribute__((constructor)) static void gcov_exit_start(void)
{
	take_owner();
	signal(SIGRTMAX, killed);
	pthread_atfork(NULL, NULL, take_owner);
}

static int add_name(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct names *names = arg;

	(void)size;
	if (info->dlpi_name && *info->dlpi_name == '/' && names->n < OBJECTS)
		names->of[names->n++] = info->dlpi_name;
	return 0;
}

/* Each object has its own counts and functions; dlsym() finds those of the one it is asked about. */
static void write_counts(void)
{
	struct names names = { .n = 0 };
	void *object, *dump, *reset;
	int i;

	dl_iterate_phdr(add_name, &names);
	for (i = 0; i < names.n; i++) {
		object = dlopen(names.of[i], RTLD_LAZY | RTLD_NOLOAD);
		dump = object ? dlsym(object, "__gcov_dump") : NULL;
		reset = object ? dlsym(object, "__gcov_reset") : NULL;
		if (dump && reset) {
			((void (*)(void))dump)();
			((void (*)(void))reset)();
		}
		if (object)
			dlclose(object);
	}
}

/* Declares next: the C library's function of this name. */
#define NEXT(function) __typeof__(function) *next = (__typeof__(function) *)(void (*)(void))dlsym(RTLD_NEXT, #function)

void _exit(int status)
{
	NEXT(_exit);

	write_counts();
	next(status);
	for (;;)
		;
}

int execve(const char *path, char *const argv[], char *const env[])
{
	NEXT(execve);

	if (getpid() == owner)
		write_counts();
	return next(path, argv, env);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int kill(pid_t pid, int sig)
{
	NEXT(kill);

	if (sig && pid == getpid())
		write_counts();
	return next(pid, sig);
}

int raise(int sig)
{
	NEXT(raise);

	write_counts();
	return next(sig);
}

void abort(void)
{
	NEXT(abort);

	write_counts();
	next();
	_exit(127);
}
