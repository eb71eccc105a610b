/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal of a process that attached: see remote.h. */
#include "config.h"
#include "ui/remote.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/err.h"
#include "base/own_thread.h"
#include "base/ownfd.h"
#include "py/hook/hook.h"

enum { PATIENCE = 5000 /* ms: the terminal is sent when the session is asked for */ };

static struct {
	int channel; /* -1: none */
	const struct remote_calls *calls;
	pthread_t thread;
	atomic_bool gone;
} remote = { .channel = -1 };

static int receive_terminal(int channel, struct err *err)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char word;
	struct iovec v = { &word, 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c;
	int fd;

	if (poll(&(struct pollfd){ .fd = channel, .events = POLLIN }, 1, PATIENCE) <= 0 ||
	    recvmsg(channel, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1 || word != REMOTE_TERMINAL)
		return err_set(err, "the process that attaches sent no terminal");
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return err_set(err, "the process that attaches sent no terminal");
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* The program is left as by `detach`: at its stop, where reading the terminal fails, or in a visit. */
static void leave(void)
{
	atomic_store(&remote.gone, true);
	remote.calls->changed();
	hook_visit();
}

static void *listen_there(void *unused)
{
	ssize_t n;
	char word;

	(void)unused;
	for (;;) {
		n = ownfd_ok(remote.channel) ? read(remote.channel, &word, 1) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (word == REMOTE_INTERRUPT && !remote.calls->interrupt())
			hook_interrupt_typed();
		else if (word == REMOTE_SIZE)
			remote.calls->changed();
	}
	leave();
	return NULL;
}

int remote_open(int channel, const struct remote_calls *calls, struct err *err)
{
	int terminal, e;

	terminal = receive_terminal(channel, err);
	if (terminal < 0)
		return -1;
	remote.channel = ownfd_copy(channel);
	remote.calls = calls;
	atomic_store(&remote.gone, false);
	e = own_thread_start(&remote.thread, listen_there, NULL);
	if (!e)
		return terminal;
	close(terminal);
	ownfd_close(remote.channel);
	remote.channel = -1;
	return err_set(err, "cannot start a thread: %s", strerror(e));
}

bool remote_gone(void)
{
	return atomic_load(&remote.gone);
}

void remote_close(void)
{
	const char bye = REMOTE_BYE;

	if (remote.channel < 0)
		return;
	if (ownfd_ok(remote.channel)) {
		send(remote.channel, &bye, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		shutdown(remote.channel, SHUT_RDWR);
	}
	pthread_join(remote.thread, NULL);
	ownfd_close(remote.channel);
	remote.channel = -1;
	hook_visit_drop();
}
