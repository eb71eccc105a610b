/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends a conversation: see conversation.h. */
#include "config.h"
#include "ui/wire/conversation.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/ownfd.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "py/crash/crash.h"
#include "py/hook/audit.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "ui/beside.h"
#include "ui/front.h"
#include "ui/wire/inbox.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"

static struct {
	int fd[3];     /* what 0, 1 and 2 were, or the socket: for a restart only */
	bool captured; /* descriptors 0-2 were taken over */
	bool socket;   /* fd[0] is both ways */
	bool listening, once, beside;
	struct listener listener; /* as the other process has it */
} talk = { .fd = { -1, -1, -1 } };

/* When the process has ended, all of it has been reported. */
static struct audit_watch watch = { .leaving = relay_flush };

bool conversation_can_restart(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (talk.fd[i] >= 0 && !ownfd_ok(talk.fd[i]))
			return false;
	/* The other process would have to pass on the client; one beside a person can come again. */
	return !talk.listening || talk.beside;
}

unsigned long conversation_end(void)
{
	unsigned long told = relay_stop();
	int i, flags;

	if (!conversation_can_restart())
		return told;
	if (talk.listening)
		return told;
	for (i = 0; i < 3 && talk.captured; i++)
		if (talk.fd[i] >= 0)
			dup2(talk.fd[i], i);
	if (!talk.captured) {
		flags = fcntl(talk.fd[0], F_GETFD);
		fcntl(talk.fd[0], F_SETFD, flags & ~FD_CLOEXEC);
	}
	return told;
}

void conversation_detached(void)
{
	if (inbox_detached())
		dprintf(2, "cdbg: detached, the program runs on: the client did not read what it was sent\n");
	if (!talk.once)
		return;
	relay_end();
	inbox_end();
	relay_release();
	audit_watch(NULL, NULL);
	talk.listening = talk.once = false;
}

void conversation_leave(struct buf *out)
{
	relay_leave();
	buf_adds(out, talk.listening ? "1" : "0");
	inbox_leave(out);
}

int conversation_arrive(const char *said, struct err *err)
{
	talk.listening = said[0] == '1';
	atexit(relay_flush); /* functions that are older do not run: see fork_woken() */
	return relay_arrive(err) < 0 ? -1 : inbox_arrive(said + 1, err);
}

static void conversation_forked(void)
{
	relay_forked();
	talk.listening = talk.beside = false;
	inbox_forked();
}

/* The process of the relay writes the object; in a child of the program the text goes to its standard error. */
static int crash_descriptor(int sig)
{
	(void)sig;
	return relay_here() ? -1 : STDERR_FILENO;
}

static int watch_program(const struct conversation *c, struct err *err)
{
	static bool begun;

	watch.exiting = c->exiting;
	if (audit_watch(&watch, err) < 0)
		return -1;
	crash_shown_by(crash_descriptor);
	if (begun)
		return 0;
	begun = true;
	pthread_atfork(NULL, NULL, conversation_forked);
	atexit(relay_flush);
	return 0;
}

int conversation_watch(struct err *err)
{
	return audit_watch(&watch, err);
}

/* Descriptor 2 may be closed: then it stays so after a restart. */
static int keep_descriptors(const char *option, int fd, struct err *err)
{
	int i;

	if (fd >= 0) {
		talk.fd[0] = ownfd_adopt(fd);
		return talk.fd[0] >= 0 ? 0 :
					 err_set(err, "descriptor %d is not open: %s=FD needs a socket", fd, option);
	}
	for (i = 0; i < 3; i++)
		talk.fd[i] = ownfd_copy(i);
	if (talk.fd[0] < 0 || talk.fd[1] < 0)
		return err_set(err, "%s needs an open standard input and output", option);
	return 0;
}

int conversation_open(const struct conversation *c, int fd, void (*first)(void), struct err *err)
{
	talk.captured = fd < 0;
	if (keep_descriptors(c->option, fd, err) < 0)
		return -1;
	if (relay_start(talk.fd[0], talk.fd[talk.captured], talk.captured, c->relay, err) < 0 ||
	    watch_program(c, err) < 0)
		return -1;
	inbox_enter(INBOX_STOPPED);
	if (first)
		first();
	relay_wait(); /* it is the first object, even if the program writes immediately */
	return inbox_start(c->inbox, NULL, err);
}

const char *conversation_where(void)
{
	return talk.listening ? talk.listener.shown : NULL;
}

bool conversation_ready(struct session *s)
{
	bool nobody = conversation_where() && inbox_nobody();

	if (nobody)
		session_resume(s, RESUME_GO);
	return !nobody;
}

void conversation_visited(struct session *s)
{
	relay_wait();
	if (s->resume == RESUME_NONE && inbox_visited())
		session_resume(s, RESUME_DETACH);
}

bool conversation_beside(void)
{
	return talk.beside;
}

static int wait_client(struct err *err)
{
	while (!inbox_client())
		if (host_pause(20, err) < 0)
			return -1;
	return 0;
}

static int open_listener(const struct conversation *c, const struct front_socket *where, struct err *err)
{
	if (listener_open(&talk.listener, where->address, where->token_file, err) < 0)
		return -1;
	talk.listener.once = where->once;
	if (relay_listen(&talk.listener, c->relay, err) < 0 || watch_program(c, err) < 0)
		return -1;
	talk.listening = true;
	talk.once = where->once;
	talk.beside = where->beside;
	inbox_wakes(talk.beside ? beside_wake : NULL);
	if (where->once)
		inbox_once(where->stop);
	listener_tell(&talk.listener, where->wait, where->quiet);
	return inbox_start(c->inbox, where->begin, err);
}

int conversation_listen(const struct conversation *c, const struct front_socket *where, struct err *err)
{
	bool wait = where->wait && !talk.listening;

	if (!talk.listening && open_listener(c, where, err) < 0)
		return -1;
	if (wait && wait_client(err) < 0)
		return -1;
	inbox_began(wait);
	return 0;
}
