/* SPDX-License-Identifier: BSD-3-Clause */
/* In the relay's process: lets clients in, one at a time.  See relay_run.h. */
#include "config.h"
#include "ui/wire/relay_run.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/ticks.h"
#include "ui/wire/guests.h"
#include "ui/wire/listener.h"
#include "ui/wire/relay.h"

enum { GUESTS = 8, GUEST_MAX = 64 << 10, WHO_MAX = 100, PART = 4096 };

static const char token_word[] = "token ";

struct clients {
	struct relay_run *r;
	struct guests guests;
	struct guest guest[GUESTS]; /* they have not shown their tokens yet */
	char who[WHO_MAX];	    /* the client */
	uint64_t came;		    /* ... since then */
};

/* One that is not let in gets an answer if it fits into the socket, and never waits for it. */
static void refuse(struct clients *c, int fd, const char *why, unsigned long told)
{
	struct buf b = { 0 }, room = { 0 };
	const char *s;
	size_t n;

	c->r->words->refused(&b, why);
	n = b.len;
	s = relay_wrap(c->r->words, buf_str(&b), &n, &told, &room);
	if (send(fd, s, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		buf_reset(&b); /* it is gone, or has no room */
	buf_release(&b);
	buf_release(&room);
	shutdown(fd, SHUT_WR);
	close(fd);
}

/* The client that is there, or the next one, learns who tried in vain. */
static void report_refusal(struct clients *c, const char *who, const char *why)
{
	struct relay_run *r = c->r;
	struct buf b = { 0 };

	pthread_mutex_lock(&r->lock);
	snprintf(r->refusal, sizeof(r->refusal), "a client was refused, %s: %s", who, why);
	if (r->out >= 0) {
		r->words->warning(&b, r->refusal);
		relay_out(r, buf_str(&b), b.len);
		r->refusal[0] = '\0';
	}
	pthread_mutex_unlock(&r->lock);
	buf_release(&b);
}

static void enter(struct clients *c, int fd, const char *who, unsigned long told)
{
	char why[WHO_MAX + 100];

	if (c->r->client >= 0) {
		snprintf(why, sizeof(why), "a client is connected already: %s, since %ld s", c->who,
			 (long)((ticks_ns() - c->came) / 1000000000));
		refuse(c, fd, why, told);
		return;
	}
	snprintf(c->who, sizeof(c->who), "%s", who);
	c->came = ticks_ns();
	pthread_mutex_lock(&c->r->lock);
	c->r->client = fd;
	c->r->told = told;
	c->r->slow = false;
	pthread_mutex_unlock(&c->r->lock);
	relay_down(c->r, RELAY_CLIENT, "", 0);
}

static void leave(struct clients *c)
{
	struct relay_run *r = c->r;
	bool slow;
	int fd;

	pthread_mutex_lock(&r->lock);
	fd = r->client;
	r->client = r->out = -1;
	slow = r->slow;
	if (r->listener->once)
		listener_end(r->listener);
	pthread_mutex_unlock(&r->lock);
	close(fd);
	relay_down(r, RELAY_GONE, "!", slow);
}

static void read_client(struct clients *c)
{
	char part[PART];
	ssize_t n = recv(c->r->client, part, sizeof(part), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		leave(c);
	else
		relay_down(c->r, RELAY_BYTES, part, (size_t)n);
}

/* ---- guests ---- */

static void guest_refused(void *arg, struct guest *g, const char *why)
{
	struct clients *c = arg;

	report_refusal(c, g ? g->who : "somebody", why);
	if (!g)
		return;
	refuse(c, g->fd, why, g->told);
	guests_drop(g);
}

/* relay_words.guest: a line "token TOKEN".  What follows in the same message is the client's first commands. */
static int first_line(const struct listener *l, struct buf *text, struct buf *reply, unsigned long *told,
		      const char **why)
{
	const size_t word = strlen(token_word);
	char *s = text->s, *nl = memchr(s, '\n', text->len), *end;
	size_t rest;

	(void)reply;
	(void)told;
	if (!nl && text->len < TOKEN_MAX + 32)
		return 0;
	end = nl && nl > s && nl[-1] == '\r' ? nl - 1 : nl;
	if (!nl || (size_t)(end - s) < word || memcmp(s, token_word, word)) {
		*why = "its first line was not 'token TOKEN'";
		return -1;
	}
	if (!listener_admits(l, s + word, (size_t)(end - s) - word)) {
		*why = "wrong token";
		return -1;
	}
	rest = text->len - (size_t)(nl + 1 - s);
	memmove(s, nl + 1, rest + 1);
	text->len = rest;
	return 1;
}

static void look_at_guest(struct clients *c, struct guest *g)
{
	const struct relay_words *words = c->r->words;
	struct buf reply = { 0 };
	const char *why = "it sent too much before its token";
	int admitted = -1;

	if (g->text.len < GUEST_MAX)
		admitted = (words->guest ? words->guest : first_line)(c->r->listener, &g->text, &reply, &g->told, &why);
	if (reply.len && send(g->fd, reply.s, reply.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		admitted = -1;
		why = "it has gone";
	}
	buf_release(&reply);
	if (admitted < 0)
		guest_refused(c, g, why);
	if (admitted <= 0)
		return;
	enter(c, g->fd, g->who, g->told);
	if (c->r->client == g->fd && g->text.len)
		relay_down(c->r, RELAY_BYTES, g->text.s, g->text.len);
	guests_drop(g);
}

static void read_guest(struct clients *c, struct guest *g)
{
	char part[PART];
	ssize_t n = recv(g->fd, part, sizeof(part), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		guest_refused(c, g, "it sent no token");
		return;
	}
	buf_add(&g->text, part, (size_t)n);
	look_at_guest(c, g);
}

static void accept_one(struct clients *c)
{
	struct guest *g = guests_accept(&c->guests, c->r->listener, SOCK_CLOEXEC);

	if (!g || c->r->listener->token[0])
		return;
	enter(c, g->fd, g->who, 0);
	guests_drop(g);
}

void clients_serve(struct relay_run *r)
{
	struct clients c = { .r = r };
	struct pollfd p[3 + GUESTS];
	int i;

	c.guests = (struct guests){ .guest = c.guest,
				    .most = GUESTS,
				    .stranger = "this process belongs to another user",
				    .late = "it sent no token",
				    .refuse = guest_refused,
				    .arg = &c };
	guests_begin(&c.guests);
	for (;;) {
		p[0] = (struct pollfd){ .fd = r->stop[0], .events = POLLIN };
		p[1] = (struct pollfd){ .fd = r->listener->fd, .events = POLLIN };
		p[2] = (struct pollfd){ .fd = r->client, .events = POLLIN };
		for (i = 0; i < GUESTS; i++)
			p[3 + i] = (struct pollfd){ .fd = c.guest[i].fd, .events = POLLIN };
		if (poll(p, 3 + GUESTS, guests_late(&c.guests)) < 0)
			continue;
		if (p[0].revents)
			break;
		if (p[2].revents)
			read_client(&c);
		for (i = 0; i < GUESTS; i++)
			if (p[3 + i].revents && c.guest[i].fd == p[3 + i].fd)
				read_guest(&c, &c.guest[i]);
		if (p[1].revents)
			accept_one(&c);
	}
	guests_end(&c.guests);
	pthread_mutex_lock(&r->lock);
	listener_end(r->listener); /* a client that sees the end can use the name again */
	pthread_mutex_unlock(&r->lock);
	if (r->client >= 0)
		close(r->client);
}
