/* SPDX-License-Identifier: BSD-3-Clause */
/* A child without a signal at its end: see hidden_fork.h. */
#include "base/hidden_fork.h"
#include <dirent.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool one_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		n += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n == 1;
}

/* Where the C library keeps the thread's number, which the kernel writes in a child: the word that it clears at the
   thread's end, or, where that is another one (glibc 2.43), the only one in struct pthread that has the number.  That
   struct has more than SEEN bytes. */
static pid_t *thread_number(void)
{
	enum { SEEN = 1024 };
	pid_t *at = NULL, *word = (pid_t *)(uintptr_t)pthread_self(), tid = (pid_t)syscall(SYS_gettid);
	size_t i;

	if (prctl(PR_GET_TID_ADDRESS, &at, 0, 0, 0) == 0 && at && *at == tid)
		return at;
	at = NULL;
	for (i = 0; i < SEEN / sizeof(*word); i++) {
		if (word[i] != tid)
			continue;
		if (at)
			return NULL;
		at = &word[i];
	}
	return at;
}

pid_t hidden_fork(void)
{
	pid_t *number = one_thread() ? thread_number() : NULL, pid;
	struct clone_args args = { .flags = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
				   .child_tid = (uint64_t)(uintptr_t)number };
	void *robust = NULL;
	size_t size = 0;

	if (!number)
		return fork();
	syscall(SYS_get_robust_list, 0, &robust, &size);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		return fork();
	if (pid == 0 && robust)
		syscall(SYS_set_robust_list, robust, size);
	return pid;
}
