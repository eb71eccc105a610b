/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks for signal handlers: see sigstack.h.  Takes whole pages: they cost nothing until a signal comes. */
#include "base/sigstack.h"
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { STACK = 64 << 10 };

static pthread_key_t key;

static size_t stack_size(void)
{
	return STACK + (size_t)getauxval(AT_MINSIGSTKSZ);
}

/* The thread ends. */
static void drop_stack(void *stack)
{
	stack_t none = { .ss_flags = SS_DISABLE }, now;

	if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack)
		sigaltstack(&none, NULL);
	munmap(stack, stack_size());
}

static void make_key(void)
{
	pthread_key_create(&key, drop_stack);
}

void sigstack_thread(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	stack_t now, alt = { .ss_size = stack_size() };
	void *p;

	if (sigaltstack(NULL, &now) < 0 || !(now.ss_flags & SS_DISABLE))
		return;
	p = mmap(NULL, alt.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (p == MAP_FAILED)
		return;
	alt.ss_sp = p;
	pthread_once(&once, make_key);
	if (sigaltstack(&alt, NULL) == 0 && pthread_setspecific(key, p) == 0)
		return;
	drop_stack(p);
}
