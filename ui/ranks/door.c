/* SPDX-License-Identifier: BSD-3-Clause */
/* Where ranks come in: see door.h. */
#include "config.h"
#include "ui/ranks/door.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "ui/json/json_read.h"
#include "ui/json/val_json.h"
#include "ui/ranks/rank_set.h"

enum { BACKLOG = 1024 };

static void drop(struct guest *g)
{
	close(g->fd); /* which takes it out of epoll, too */
	guests_drop(g);
}

static bool say(int fd, struct val *v)
{
	struct buf b = { 0 };
	bool said;

	json_add_val(&b, v);
	buf_addc(&b, '\n');
	said = send(fd, b.s, b.len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)b.len;
	val_free(v);
	buf_release(&b);
	return said;
}

/* It learns the reason if it fits into its socket. */
static void refuse(void *arg, struct guest *g, const char *why)
{
	struct door *d = arg;
	struct val *v = val_map();

	d->refused(d->arg, g ? g->who : "somebody", why);
	val_put(v, "event", val_str("refused"));
	val_put(v, "error", val_str(why));
	if (!g) {
		val_free(v);
		return;
	}
	say(g->fd, v);
	drop(g);
}

int door_open(struct door *d, const char *address, const char *token_file, struct err *err)
{
	d->guests = (struct guests){ .guest = d->guest,
				     .most = GUESTS_MOST,
				     .stranger = "this controller belongs to another user",
				     .late = "it said nothing in 10 seconds",
				     .refuse = refuse,
				     .arg = d };
	guests_begin(&d->guests);
	if (listener_open(&d->listener, address, token_file, err) < 0)
		return -1;
	listen(d->listener.fd, BACKLOG); /* many ranks come at once */
	if (d->listener.token[0])
		snprintf(d->token, sizeof(d->token), "%s", d->listener.token);
	else if (handshake_nonce(d->token, err) < 0) /* of a Unix socket */
		return -1;
	return 0;
}

void door_close(struct door *d)
{
	guests_end(&d->guests);
	listener_end(&d->listener);
}

static void greet(struct door *d, struct guest *g)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = d->base + (unsigned long)(g - d->guest) };
	char *nonce = d->nonce[g - d->guest];
	struct val *v = val_map();
	struct err err;

	val_put(v, "event", val_str("controller"));
	val_put(v, "protocol", val_int(HANDSHAKE_PROTOCOL));
	val_put(v, "version", val_str(PACKAGE_VERSION));
	if (handshake_nonce(nonce, &err) < 0 || epoll_ctl(d->epoll, EPOLL_CTL_ADD, g->fd, &ev) < 0) {
		val_free(v);
		drop(g);
		return;
	}
	val_put(v, "nonce", val_str(nonce));
	if (!say(g->fd, v))
		drop(g);
}

void door_accept(struct door *d)
{
	struct guest *g = guests_accept(&d->guests, &d->listener, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (g)
		greet(d, g);
}

static const char *wrong_with(const struct val *v, char *room, size_t max)
{
	long long rank = val_number(v, "rank", -1), world = val_number(v, "world", 0);

	if (!v || strcmp(val_text(v, "event"), "hello"))
		return "its first line is no hello";
	if (val_number(v, "protocol", 0) != HANDSHAKE_PROTOCOL) {
		snprintf(room, max, "it speaks protocol %lld, this controller (cdbg %s) %d: install the same version",
			 val_number(v, "protocol", 0), PACKAGE_VERSION, HANDSHAKE_PROTOCOL);
		return room;
	}
	if (rank < 0 || rank > RANK_MAX || world < 0 || world > RANK_MAX + 1 || (world && rank >= world)) {
		snprintf(room, max, "it says that it is rank %lld of %lld", rank, world);
		return room;
	}
	return NULL;
}

static void hear(struct door *d, struct guest *g, size_t n)
{
	struct err err;
	struct val *v = json_read(g->text.s, n, true, &err), *answer;
	char proof[HMAC_TEXT], room[160];
	const char *why = wrong_with(v, room, sizeof(room));
	int fd;

	if (!why) {
		handshake_proof(d->token, "rank", d->nonce[g - d->guest], val_text(v, "nonce"), proof);
		if (!hmac_same(proof, val_text(v, "proof")))
			why = "it does not know the token";
		else
			why = d->admit(d->arg, v);
	}
	if (why) {
		val_free(v);
		refuse(d, g, why);
		return;
	}
	handshake_proof(d->token, "controller", d->nonce[g - d->guest], val_text(v, "nonce"), proof);
	answer = val_map();
	val_put(answer, "event", val_str("welcome"));
	val_put(answer, "proof", val_str(proof));
	say(g->fd, answer);
	fd = g->fd;
	guests_drop(g);
	d->enter(d->arg, fd, v);
}

void door_read(struct door *d, unsigned i)
{
	struct guest *g = i < GUESTS_MOST ? &d->guest[i] : NULL;
	char part[HANDSHAKE_MAX];
	const char *nl;
	ssize_t n;

	if (!g || g->fd < 0)
		return;
	n = recv(g->fd, part, sizeof(part) - g->text.len, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(g); /* it looked whether somebody is there */
		return;
	}
	buf_add(&g->text, part, (size_t)n);
	nl = memchr(g->text.s, '\n', g->text.len);
	if (nl)
		hear(d, g, (size_t)(nl - g->text.s));
	else if (g->text.len == sizeof(part))
		refuse(d, g, "its first line is too long");
}
