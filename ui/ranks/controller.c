/* SPDX-License-Identifier: BSD-3-Clause */
/* The controller of a distributed job: see controller.h. */
#include "config.h"
#include "ui/ranks/controller.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "ui/ranks/divergence.h"
#include "ui/ranks/rank.h"

/* What a descriptor in epoll is; of a rank: FROM_RANK + its number. */
enum { FROM_LISTENER, FROM_SIGNALS, FROM_JOB, FROM_INPUT, FROM_SCREEN, FROM_GUEST = 100, FROM_RANK = 1 << 20 };
enum { EVENTS = 64, LINE = 400, LEAST_MS = 50, STOP_MS = 1500, MISSING_MS = 10000 };

static void tell(struct controller *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct controller *c, const char *fmt, ...)
{
	char line[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	c->ops->say(line);
}

static int watch(struct controller *c, int fd, unsigned events, unsigned long what)
{
	struct epoll_event ev = { .events = events, .data.u64 = what };

	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* ---- ranks that come and go --------------------------------------------------------------- */

struct rank *controller_rank(const struct controller *c, int n)
{
	return n >= 0 && (size_t)n < c->ranks ? c->rank[n] : NULL;
}

struct rank_set controller_in(const struct controller *c, unsigned states)
{
	struct rank_set s = { .n = NULL };
	size_t i;

	for (i = 0; i < c->ranks; i++)
		if (c->rank[i] && (states & 1u << c->rank[i]->state))
			rank_set_add(&s, (int)i);
	return s;
}

/* Has its process ended without our having read so? */
static bool has_hung_up(const struct rank *r)
{
	char byte;
	ssize_t n = recv(r->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static const char *admit(void *arg, const struct val *hello)
{
	static char why[LINE];
	struct controller *c = arg;
	int n = (int)val_number(hello, "rank", 0);
	int world = (int)val_number(hello, "world", 0);
	const struct rank *r = controller_rank(c, n);

	if (c->world && world && world != c->world) {
		snprintf(why, sizeof(why), "it is of %d ranks, the job has %d", world, c->world);
		return why;
	}
	if (c->world && n >= c->world) {
		snprintf(why, sizeof(why), "it says that it is rank %d, the job has %d", n, c->world);
		return why;
	}
	if (!r || r->fd < 0 || r->state == RANK_EXITED || has_hung_up(r))
		return NULL;
	snprintf(why, sizeof(why), "rank %d is there already: process %lld on %s", n, val_number(r->hello, "pid", 0),
		 visible(val_text(r->hello, "host")));
	return why;
}

/* By Unix socket, on this host, it means nothing. */
static void keep_connection(const struct controller *c, struct rank *r)
{
	char line[64];

	if (r->fd < 0)
		return;
	listener_keep(r->fd, c->timeout);
	snprintf(line, sizeof(line), "set connection-timeout %d", c->timeout);
	rank_send(r, 0, line, "rows");
}

void controller_timeout(struct controller *c, int seconds)
{
	size_t i;

	c->timeout = seconds;
	for (i = 0; i < c->ranks; i++)
		if (c->rank[i])
			keep_connection(c, c->rank[i]);
}

static void tell_joined(struct controller *c, const struct rank *r, bool again)
{
	if (c->ops->joined)
		c->ops->joined(c, r, again);
	else if (again)
		tell(c, "rank %d joined again (restart %lld)", r->number, val_number(r->hello, "restart", 0));
	else if (c->going)
		tell(c, "rank %d joined", r->number);
}

static void enter(void *arg, int fd, struct val *hello)
{
	struct controller *c = arg;
	int n = (int)val_number(hello, "rank", 0);
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = FROM_RANK + (unsigned long)n };
	struct rank *r = rank_new(n, fd, hello), *before = controller_rank(c, n);
	size_t i;

	c->rank = mem_grow(c->rank, &c->ranks, (size_t)n + 1, sizeof(*c->rank));
	if (before)
		rank_free(before);
	c->rank[n] = r;
	if (!c->world)
		c->world = (int)val_number(hello, "world", 0);
	if (c->chosen < 0 || (!c->going && n < c->chosen))
		c->chosen = n;
	r->joined_late = c->going;
	epoll_ctl(c->epoll, EPOLL_CTL_MOD, fd, &ev); /* it was watched as a guest */
	if (c->timeout != KEEP_SECONDS)
		keep_connection(c, r);
	rank_send(r, 0, "set collective-timeout day", "rows"); /* the others wait for one that stands */
	for (i = 0; i < c->kept->u.list.n; i++)
		rank_send(r, 0, c->kept->u.list.item[i]->u.s, "rows");
	tell_joined(c, r, before != NULL);
}

void controller_adopt(struct controller *c, int fd, struct val *hello)
{
	watch(c, fd, EPOLLIN, FROM_RANK + (unsigned long)val_number(hello, "rank", 0));
	enter(c, fd, hello);
}

void controller_without(struct controller *c)
{
	c->world--;
}

static void refused(void *arg, const char *who, const char *why)
{
	struct controller *c = arg;

	if (c->ops->refused)
		c->ops->refused(c, who, why);
	else
		tell(c, "a rank was refused, %s: %s", who, why);
}

static void leave(struct controller *c, struct rank *r)
{
	bool gone = r->state != RANK_EXITED;

	rank_close(r);
	if (gone && !c->quiet && c->ops->gone)
		c->ops->gone(c, r);
	else if (gone && !c->quiet)
		tell(c, "rank %d is gone: process %lld on %s", r->number, val_number(r->hello, "pid", 0),
		     visible(val_text(r->hello, "host")));
}

/* ---- the loop ----------------------------------------------------------------------------- */

static void from_rank(struct controller *c, int n, unsigned events)
{
	struct rank *r = controller_rank(c, n);

	if (!r || r->fd < 0)
		return;
	if (events & EPOLLOUT)
		rank_flush(r);
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) && !rank_read(r))
		leave(c, r);
}

static void from_signals(struct controller *c)
{
	struct signalfd_siginfo info;

	if (read(c->signals, &info, sizeof(info)) == (ssize_t)sizeof(info) && info.ssi_signo == SIGINT)
		c->interrupted = true; /* another size only ends the wait */
}

static void take_input(struct controller *c)
{
	c->input = true;
	if (c->ops->input)
		c->ops->input(c);
}

static void follow(struct controller *c, const struct epoll_event *ev)
{
	unsigned long what = ev->data.u64;

	if (what >= FROM_RANK)
		from_rank(c, (int)(what - FROM_RANK), ev->events);
	else if (what >= FROM_GUEST)
		door_read(&c->door, (unsigned)(what - FROM_GUEST));
	else if (what == FROM_LISTENER)
		door_accept(&c->door);
	else if (what == FROM_SIGNALS)
		from_signals(c);
	else if (what == FROM_INPUT)
		take_input(c);
	else if (what == FROM_SCREEN)
		c->watched_ready = true;
	else if (what == FROM_JOB && job_over(&c->job))
		epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->job.fd, NULL);
}

/* Ranks whose commands did not fit into their sockets are watched for room. */
static void watch_room(struct controller *c)
{
	struct epoll_event ev;
	size_t i;

	for (i = 0; i < c->ranks; i++) {
		if (!c->rank[i] || c->rank[i]->fd < 0)
			continue;
		ev = (struct epoll_event){ .events = EPOLLIN | (c->rank[i]->out.len ? EPOLLOUT : 0),
					   .data.u64 = FROM_RANK + i };
		if (c->rank[i]->out.len || c->rank[i]->watched_room)
			epoll_ctl(c->epoll, EPOLL_CTL_MOD, c->rank[i]->fd, &ev);
		c->rank[i]->watched_room = c->rank[i]->out.len > 0;
	}
}

void controller_wait(struct controller *c, int ms)
{
	struct epoll_event ev[EVENTS];
	int late = guests_late(&c->door.guests), n, i;

	if (late >= 0 && (ms < 0 || late < ms))
		ms = late;
	c->watched_ready = false;
	watch_room(c);
	n = epoll_wait(c->epoll, ev, EVENTS, ms);
	for (i = 0; i < n; i++)
		follow(c, &ev[i]);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* Does one of them owe an answer? */
static bool waits(const struct controller *c, const struct rank_set *to)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < to->count; i++) {
		r = controller_rank(c, to->n[i]);
		if (r && r->waits)
			return true;
	}
	return false;
}

static void stop_waiting(struct controller *c, const struct rank_set *to)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < to->count; i++) {
		r = controller_rank(c, to->n[i]);
		if (r)
			r->waits = 0;
	}
}

static void send_to(struct controller *c, const struct rank_set *to, const char *command, const char *as, bool resumes)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < to->count; i++) {
		r = controller_rank(c, to->n[i]);
		if (!r)
			continue;
		val_free(r->answer);
		r->answer = NULL;
		if (!rank_live(r))
			continue;
		r->waits = ++c->ids;
		if (resumes) {
			r->resumes = r->waits;
			r->state = RANK_RUNNING;
			r->fresh = false;
		}
		rank_send(r, r->waits, command, as);
	}
	while (waits(c, to) && !c->interrupted)
		controller_wait(c, -1);
	stop_waiting(c, to);
}

void controller_ask(struct controller *c, const struct rank_set *to, const char *command, const char *as)
{
	send_to(c, to, command, as, false);
}

void controller_resume(struct controller *c, const struct rank_set *to, const char *command)
{
	c->going = true;
	send_to(c, to, command, c->as, true);
}

static void ask_look(struct controller *c, const struct rank_set *of)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < of->count; i++) {
		r = controller_rank(c, of->n[i]);
		if (!r->waits)
			continue;
		r->waits = ++c->ids;
		rank_send(r, r->waits, "look", "rows");
	}
}

/* Those that do not answer are asked once more: a rank whose GIL is held says so then. */
void controller_look(struct controller *c)
{
	enum { LOOK_MS = 2000, AGAIN_MS = 1000, ROUND_MS = 100 };
	struct rank_set runs = controller_in(c, 1u << RANK_RUNNING);
	struct rank *r;
	size_t i;
	int left;

	for (i = 0; i < runs.count; i++) {
		r = controller_rank(c, runs.n[i]);
		val_free(r->look);
		val_free(r->answer);
		r->look = r->answer = NULL;
		r->waits = 1;
	}
	ask_look(c, &runs);
	for (left = LOOK_MS; left > 0 && waits(c, &runs) && !c->interrupted; left -= ROUND_MS) {
		controller_wait(c, ROUND_MS);
		if (left == AGAIN_MS)
			ask_look(c, &runs);
	}
	stop_waiting(c, &runs);
	for (i = 0; i < runs.count; i++) {
		r = controller_rank(c, runs.n[i]);
		r->look = r->answer;
		r->answer = NULL;
	}
	rank_set_release(&runs);
}

void controller_keep(struct controller *c, const char *command)
{
	val_push(c->kept, val_str(command));
}

/* ---- until it stands -------------------------------------------------------------------------- */

/* A number that changes when a rank stops, ends, joins or leaves. */
static unsigned long state_of(const struct controller *c)
{
	unsigned long sum = 0;
	size_t i;

	for (i = 0; i < c->ranks; i++)
		if (c->rank[i])
			sum = sum * 31 + i * 16 + c->rank[i]->state * 2ul + c->rank[i]->fresh;
	return sum;
}

static int count(const struct controller *c, const struct rank_set *of, unsigned states)
{
	int n = 0;
	size_t i;

	for (i = 0; i < c->ranks; i++)
		n += c->rank[i] && (states & 1u << c->rank[i]->state) && (!of || rank_set_has(of, (int)i));
	return n;
}

bool controller_over(struct controller *c)
{
	if (c->job.pid)
		return c->job.ended;
	return c->world && count(c, NULL, 1u << RANK_EXITED | 1u << RANK_GONE) == c->world;
}

/* Those that run are asked to stop. */
static void interrupt(struct controller *c, const struct rank_set *of)
{
	size_t i;

	for (i = 0; i < c->ranks; i++)
		if (c->rank[i] && c->rank[i]->state == RANK_RUNNING && (!of || rank_set_has(of, (int)i)))
			rank_send(c->rank[i], 0, "interrupt", "rows");
}

static bool stands(struct controller *c, const struct rank_set *of, bool at_start)
{
	if (at_start && (!c->world || count(c, NULL, ~0u) < c->world))
		return false;
	return !count(c, of, 1u << RANK_STARTING | 1u << RANK_RUNNING) && (of || count(c, of, 1u << RANK_STOPPED));
}

static long ms_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000;
}

/* All stand for the same event: on, without a word. */
static void go_on(struct controller *c)
{
	struct rank_set stopped = controller_in(c, 1u << RANK_STOPPED);

	divergence_forget(c);
	send_to(c, &stopped, "continue", "text", true);
	rank_set_release(&stopped);
}

/* Has somebody stopped, so that the prompt comes when the others are quiet? */
static bool limited(struct controller *c, const struct rank_set *of, bool at_start, bool asked)
{
	return !at_start && (asked || c->watched || count(c, of, 1u << RANK_STOPPED));
}

/* A rank that waits in C code takes some time to stop there. */
static long patience(const struct controller *c, bool asked)
{
	return asked && c->patience < STOP_MS ? STOP_MS : c->patience;
}

/* Ranks that do not come for long: it is said once.  How many ms until then; -1: it was said. */
static long tell_missing(struct controller *c, const struct timespec *since, bool *told)
{
	long left = MISSING_MS - ms_since(since);
	int came = count(c, NULL, ~0u);

	if (*told || left > 0)
		return *told ? -1 : left;
	*told = true;
	if (!came)
		tell(c, "no rank has joined yet: " RANKS_ARE "; Ctrl-C ends the wait");
	else if (came < c->world)
		tell(c,
		     "%d of %d ranks have joined: the others start later, or run without cdbg, which they say on "
		     "their standard error; Ctrl-C opens the prompt",
		     came, c->world);
	return -1;
}

/* Patience counts from the last change, once one has stopped or was asked to. */
void controller_settle(struct controller *c, const struct rank_set *of, bool at_start)
{
	unsigned long state = state_of(c);
	struct timespec changed;
	bool asked = false, told = false, quiet;
	enum divergence what;
	long left;

	divergence_forget(c);
	clock_gettime(CLOCK_MONOTONIC, &changed);
	if (c->ops->waiting)
		c->ops->waiting(c);
	while (!controller_over(c)) {
		left = limited(c, of, at_start, asked) ? patience(c, asked) - ms_since(&changed) : -1;
		if (at_start)
			left = tell_missing(c, &changed, &told);
		quiet = limited(c, of, at_start, asked) && left <= 0;
		what = at_start || asked ? DIVERGENCE_NONE : divergence_check(c, quiet);
		if (what == DIVERGENCE_SAME)
			go_on(c);
		else if (what == DIVERGENCE_FOUND || (what == DIVERGENCE_NONE && (quiet || stands(c, of, at_start))))
			break;
		if (c->interrupted && (asked || at_start))
			break;
		if (c->interrupted) {
			c->interrupted = false;
			asked = quiet = true;
			interrupt(c, of);
		}
		if (quiet) {
			clock_gettime(CLOCK_MONOTONIC, &changed);
			left = c->patience > LEAST_MS ? c->patience : LEAST_MS;
		}
		controller_wait(c, (int)left);
		if (c->ops->moved && !c->watched)
			c->ops->moved(c);
		if (state_of(c) != state) {
			state = state_of(c);
			clock_gettime(CLOCK_MONOTONIC, &changed);
		}
	}
	c->interrupted = false;
}

/* ---- life ------------------------------------------------------------------------------------- */

int controller_open(struct controller *c, const char *address, const char *token_file, struct err *err)
{
	struct rlimit files;
	sigset_t set;

	if (getrlimit(RLIMIT_NOFILE, &c->job.files) == 0) { /* a descriptor a rank */
		files = (struct rlimit){ c->job.files.rlim_max, c->job.files.rlim_max };
		setrlimit(RLIMIT_NOFILE, &files);
	}
	c->chosen = -1;
	c->timeout = KEEP_SECONDS;
	c->as = "text";
	c->kept = val_list();
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->epoll < 0 || c->signals < 0 || watch(c, c->signals, EPOLLIN, FROM_SIGNALS) < 0)
		return err_set(err, "cannot wait for events: %s", strerror(errno));
	c->door.epoll = c->epoll;
	c->door.base = FROM_GUEST;
	c->door.admit = admit;
	c->door.enter = enter;
	c->door.refused = refused;
	c->door.arg = c;
	if (door_open(&c->door, address, token_file, err) < 0)
		return -1;
	watch(c, c->door.listener.fd, EPOLLIN, FROM_LISTENER);
	c->input_polled = watch(c, c->input_fd, EPOLLONESHOT, FROM_INPUT) == 0;
	return 0;
}

int controller_start(struct controller *c, char *const *argv, const char *start, struct err *err)
{
	const struct job_says says = { .address = c->door.listener.shown, .token = c->door.token, .start = start };

	if (job_start(&c->job, argv, &says, err) < 0)
		return -1;
	return watch(c, c->job.fd, EPOLLIN, FROM_JOB) < 0 ?
		       err_set(err, "cannot wait for events: %s", strerror(errno)) :
		       0;
}

void controller_watch(struct controller *c, int fd)
{
	watch(c, fd, EPOLLIN, FROM_SCREEN);
}

void controller_want_input(struct controller *c)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = FROM_INPUT };

	c->input = !c->input_polled;
	if (c->input_polled)
		epoll_ctl(c->epoll, EPOLL_CTL_MOD, c->input_fd, &ev);
}

void controller_close(struct controller *c)
{
	size_t i;

	for (i = 0; i < c->ranks; i++)
		if (c->rank[i])
			rank_free(c->rank[i]);
	free(c->rank);
	val_free(c->kept);
	val_free(c->data);
	free(c->seen);
	door_close(&c->door);
}
