/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that take turns: see family.h. */
#include "config.h"
#include "base/family.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/err.h"
#include "base/hidden_fork.h"

enum { RECHECK_MS = 500, ADOPT_MS = 1, END_MS = 20 };

static struct family {
	_Atomic pid_t root, current;
	_Atomic pid_t leaving; /* it has given its turn away and ends */
	int last;	       /* number */
	struct family_member member[FAMILY_MAX];
	char text[FAMILY_TEXT];
} * family; /* shared by all of them; NULL: there is no other yet */

/* ---- the list ---------------------------------------------------------------------------------------------- */

static int open_family(struct err *err)
{
	void *p;

	if (family)
		return 0;
	p = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return err_set(err, "cannot share memory: %s", strerror(errno));
	family = p;
	family->root = family->current = getpid();
	return 0;
}

/* Those that died by themselves, or were ended by another process than their parent. */
static void reap(void)
{
	struct family_member *m;
	pid_t pid, got;
	int i;

	for (i = 0; family && i < FAMILY_MAX; i++) {
		m = &family->member[i];
		pid = atomic_load(&m->pid);
		if (!m->used || !pid || pid == family->root || pid == family->current)
			continue;
		got = waitpid(pid, NULL, WNOHANG | __WALL);
		if (got == pid || (got < 0 && errno == ECHILD && kill(pid, 0) < 0 && errno == ESRCH)) {
			m->number = 0;
			m->used = false;
		}
	}
}

static const struct family_member *next_number(int after)
{
	const struct family_member *best = NULL, *m;
	int i;

	for (i = 0; family && i < FAMILY_MAX; i++) {
		m = &family->member[i];
		if (m->used && m->number > after && (!best || m->number < best->number))
			best = m;
	}
	return best;
}

const struct family_member *family_at(int i)
{
	const struct family_member *m;

	if (!i)
		reap();
	for (m = next_number(0); m && i-- > 0; m = next_number(m->number))
		;
	return m;
}

const struct family_member *family_find(int number)
{
	const struct family_member *m;

	reap();
	m = number > 0 ? next_number(number - 1) : NULL;
	return m && m->number == number ? m : NULL;
}

static struct family_member *take_place(const struct family_member *new)
{
	struct family_member *m;
	int i;

	for (i = 0; i < FAMILY_MAX; i++) {
		m = &family->member[i];
		if (m->used)
			continue;
		*m = *new;
		m->used = true;
		m->pid = 0;
		return m;
	}
	return NULL;
}

struct family_member *family_add(const struct family_member *new, struct err *err)
{
	struct family_member *m;

	if (open_family(err) < 0)
		return NULL;
	reap();
	m = take_place(new);
	if (!m) {
		err_set(err, "there are %d checkpoints already: 'delete checkpoint N' ends one", FAMILY_MAX - 1);
		return NULL;
	}
	m->number = ++family->last;
	return m;
}

void family_born(struct family_member *m, pid_t pid)
{
	if (pid < 0) {
		m->used = false;
		m->number = 0;
		family->last--;
		return;
	}
	atomic_store(&m->pid, pid);
}

char *family_text(void)
{
	return family ? family->text : NULL;
}

void family_forget(void)
{
	if (family)
		munmap(family, sizeof(*family));
	family = NULL;
}

/* ---- waking ------------------------------------------------------------------------------------------------ */

/* A signal came, in whatever thread: what the root's wait polls.  -1: it does not wait. */
static int bell = -1;

static void ring_bell(void)
{
	const uint64_t one = 1;

	if (bell >= 0 && write(bell, &one, sizeof(one)) < 0)
		return; /* it rings already */
}

static bool is_turn(void)
{
	return atomic_load(&family->current) == getpid();
}

static bool is_root(void)
{
	return atomic_load(&family->root) == getpid();
}

/* What a terminal sends goes to all processes of its foreground group, so the kernel has sent it to the one that runs,
   too; what another process sends to the root is passed on. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	int e = errno;

	(void)context;
	if (is_root() && !is_turn() && sig != SIGCHLD && sig != SIGCONT && info->si_code <= 0)
		kill(atomic_load(&family->current), sig);
	ring_bell();
	errno = e;
}

/* How signals were treated before this process began to wait. */
struct treated {
	struct sigaction action[NSIG];
	bool taken[NSIG];
	sigset_t mask;
};

static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT || sig == SIGTRAP ||
	       sig == SIGSYS;
}

/* All signals are blocked in this thread; any thread may run the handler. */
static void take_signals(struct treated *t)
{
	struct sigaction ours = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	int sig;

	sigfillset(&ours.sa_mask);
	for (sig = 1; sig < NSIG; sig++)
		t->taken[sig] = !is_fault(sig) && sigaction(sig, &ours, &t->action[sig]) == 0;
}

static void give_signals(const struct treated *t)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (t->taken[sig])
			sigaction(sig, &t->action[sig], NULL);
}

/* ---- the root waits ---------------------------------------------------------------------------------------- */

/* Ends this process as that one did: who waits for it sees no difference. */
static _Noreturn void end_like(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t one;
	int sig;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	sig = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &none); /* that one has written it */
	signal(sig, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), sig);
	_exit(128 + sig);
}

/* What has become of the process whose turn it is. */
static void look_after(void)
{
	pid_t pid = atomic_load(&family->current), got;
	int status;

	if (pid == getpid())
		return;
	got = waitpid(pid, &status, WNOHANG | WUNTRACED | __WALL);
	if (got == pid && WIFSTOPPED(status)) { /* as by Ctrl-Z: the shell watches this one */
		raise(SIGSTOP);
		kill(pid, SIGCONT);
	} else if (got == pid) {
		end_like(status);
	} else if (got < 0 && errno == ECHILD && !atomic_load(&family->leaving) && kill(pid, 0) < 0 && errno == ESRCH) {
		_exit(1);
	}
}

/* The process that left ends; its children become the root's. */
static void see_off(bool wait)
{
	pid_t pid = atomic_load(&family->leaving);

	if (pid && pid != getpid() && waitpid(pid, NULL, __WALL | (wait ? 0 : WNOHANG)) != 0)
		atomic_store(&family->leaving, 0);
}

static void root_rests(void)
{
	const struct timespec soon = { .tv_nsec = END_MS * 1000000L };
	struct pollfd p[2] = { { .events = POLLIN }, { .fd = bell, .events = POLLIN } };
	uint64_t rung;
	sigset_t none;

	sigemptyset(&none);
	while (!is_turn()) {
		p[0].fd = (int)syscall(SYS_pidfd_open, (int)atomic_load(&family->current), 0);
		see_off(false);
		reap();
		look_after();
		if (!is_turn() && ppoll(p, 2, p[0].fd < 0 || bell < 0 ? &soon : NULL, &none) > 0 && p[1].revents &&
		    read(bell, &rung, sizeof(rung)) < 0)
			rung = 0;
		if (p[0].fd >= 0)
			close(p[0].fd);
	}
	see_off(true);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* ---- a checkpoint waits ------------------------------------------------------------------------------------ */

static bool root_lives(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd < 0 ? kill(atomic_load(&family->root), 0) == 0 : poll(&p, 1, 0) == 0;
}

/* Its only thread; signals come while it polls only. */
static void child_rests(void)
{
	const struct timespec recheck = { .tv_nsec = RECHECK_MS * 1000000L }, soon = { .tv_nsec = ADOPT_MS * 1000000L };
	int fd = (int)syscall(SYS_pidfd_open, (int)atomic_load(&family->root), 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	while (!is_turn()) {
		if (!root_lives(fd))
			_exit(0);
		ppoll(&p, 1, fd < 0 ? &recheck : NULL, &none);
	}
	while (getppid() != atomic_load(&family->root)) { /* the one that left is its parent, and ends */
		if (!root_lives(fd))
			_exit(0);
		nanosleep(&soon, NULL);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (!root_lives(fd))
		_exit(0);
	if (fd >= 0)
		close(fd);
}

int family_wait(struct family_member *m)
{
	struct family_member same;
	struct treated *t = calloc(1, sizeof(*t));
	pid_t pid;

	if (!t)
		_exit(1);
	take_signals(t);
	for (;;) {
		child_rests();
		same = *m;
		m->number = 0; /* who runs is none */
		m->used = false;
		m = take_place(&same);
		pid = m ? hidden_fork() : -1;
		if (pid == 0)
			continue;
		if (m && pid < 0) {
			m->used = false;
			m->number = 0;
		} else if (m) {
			atomic_store(&m->pid, pid);
		}
		break;
	}
	give_signals(t);
	free(t);
	return pid < 0 ? -1 : 0;
}

/* ---- turns ------------------------------------------------------------------------------------------------- */

void family_go(const struct family_member *m, const struct family_member *root)
{
	pid_t next = atomic_load(&m->pid);
	struct family_member *own;
	struct treated t;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &t.mask);
	if (is_root()) {
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		take_signals(&t);
		own = take_place(root);
		if (own) {
			own->number = ++family->last;
			atomic_store(&own->pid, getpid());
		}
	} else {
		atomic_store(&family->leaving, getpid());
	}
	if (next == atomic_load(&family->root)) {
		((struct family_member *)m)->number = 0;
		((struct family_member *)m)->used = false;
	}
	atomic_store(&family->current, next);
	kill(next, SIGCONT);
	if (!is_root())
		_exit(0);
	root_rests();
	give_signals(&t);
	if (bell >= 0)
		close(bell);
	bell = -1;
	pthread_sigmask(SIG_SETMASK, &t.mask, NULL);
}

/* The program, whose child it is, is told nothing of its end. */
static void end_own(pid_t pid)
{
	const struct timespec now = { 0, 0 };
	sigset_t child, before, pending;
	siginfo_t info;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &before);
	sigpending(&pending);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	if (!sigismember(&pending, SIGCHLD) && sigtimedwait(&child, &info, &now) == SIGCHLD && info.si_pid != pid)
		kill(getpid(), SIGCHLD); /* one of the program's own */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void family_end(const struct family_member *m)
{
	struct family_member *own = (struct family_member *)m;
	pid_t pid = atomic_load(&m->pid);

	own->number = 0;
	if (pid > 0)
		end_own(pid);
	reap();
}

void family_end_all(void)
{
	int i;

	for (i = 0; family && i < FAMILY_MAX; i++)
		if (family->member[i].used && family->member[i].number &&
		    atomic_load(&family->member[i].pid) != atomic_load(&family->root))
			family_end(&family->member[i]);
}
