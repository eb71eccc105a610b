/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank connects to its controller: see rank_join.h. */
#include "config.h"
#include "ui/ranks/rank_join.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/own_thread.h"
#include "base/val.h"
#include "base/visible.h"
#include "py/interp/host.h"
#include "ui/json/json_read.h"
#include "ui/json/val_json.h"
#include "ui/ranks/handshake.h"
#include "ui/wire/address.h"
#include "ui/wire/listener.h"

/* A conversation that must be over at some time. */
struct talk {
	int fd;
	struct timespec end;
	const char *address; /* for errors */
};

static int left_ms(const struct talk *t)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (t->end.tv_sec - now.tv_sec) * 1000 + (t->end.tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/* Waits until the descriptor can be read or written.  -1: err. */
static int wait_for(const struct talk *t, short events, struct err *err)
{
	struct pollfd p = { .fd = t->fd, .events = events };
	int n, left;

	do {
		left = left_ms(t);
		n = poll(&p, 1, left);
	} while ((n < 0 && errno == EINTR) || (n == 0 && left));
	return n > 0 ? 0 : err_set(err, "the controller at '%s' does not answer", t->address);
}

static int failed(const struct talk *t, int e, struct err *err)
{
	return err_set(err, "cannot connect to the controller at '%s': %s", t->address, strerror(e));
}

/* A Unix socket whose queue is full says EAGAIN: many ranks come at once. */
static int begin_to_connect(const struct talk *t, const struct sockaddr *to, socklen_t size)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	while (connect(t->fd, to, size) < 0) {
		if (errno != EAGAIN || !left_ms(t))
			return errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int connect_to(struct talk *t, const struct sockaddr *to, socklen_t size, struct err *err)
{
	socklen_t n = sizeof(int);
	int e, ret = 0;

	t->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return failed(t, errno, err);
	e = begin_to_connect(t, to, size);
	if (e == EINPROGRESS) {
		ret = wait_for(t, POLLOUT, err);
		e = 0;
		if (ret == 0)
			getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &e, &n);
	}
	if (ret == 0 && e)
		ret = failed(t, e, err);
	if (ret < 0) {
		close(t->fd);
		t->fd = -1;
	}
	return ret;
}

/* Whoever listens on a Unix socket must be the user or root: the folder may be one that others made. */
static int connect_unix(struct talk *t, const char *path, struct err *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (strlen(path) >= sizeof(to.sun_path))
		return err_set(err, "cannot connect to '%s': the path is too long for a socket", path);
	memcpy(to.sun_path, path, strlen(path));
	if (connect_to(t, (struct sockaddr *)&to, sizeof(to), err) < 0)
		return -1;
	if (getsockopt(t->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || (peer.uid != geteuid() && peer.uid != 0))
		return err_set(err, "cannot connect to '%s': another user listens there", path);
	return 0;
}

/* A name that is looked up by a thread of its own: the resolver may wait for minutes.  Freed by whoever ends last. */
struct lookup {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool over, left; /* left: nobody waits for it any more */
	char *host, port[16];
	struct addrinfo *list;
	int error; /* as of getaddrinfo() */
};

static void lookup_free(struct lookup *l)
{
	if (l->list)
		freeaddrinfo(l->list);
	pthread_cond_destroy(&l->ended);
	pthread_mutex_destroy(&l->lock);
	free(l->host);
	free(l);
}

static void lookup_ask(struct lookup *l, int flags)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV };

	l->error = getaddrinfo(l->host, l->port, &hints, &l->list);
	if (l->error)
		l->list = NULL;
}

static void *lookup_thread(void *arg)
{
	struct lookup *l = arg;
	bool left;

	lookup_ask(l, 0);
	pthread_mutex_lock(&l->lock);
	l->over = true;
	left = l->left;
	pthread_cond_signal(&l->ended);
	pthread_mutex_unlock(&l->lock);
	if (left)
		lookup_free(l);
	return NULL;
}

static struct lookup *lookup_new(const struct address *a)
{
	struct lookup *l = mem_alloc(sizeof(*l));
	pthread_condattr_t attr;

	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->ended, &attr);
	pthread_condattr_destroy(&attr);
	l->host = mem_str(a->host);
	snprintf(l->port, sizeof(l->port), "%d", a->port);
	return l;
}

/* What the name stands for, the caller's.  A number needs no thread.  NULL: err. */
static struct lookup *look_up(const struct talk *t, const struct address *a, struct err *err)
{
	struct lookup *l = lookup_new(a);
	int e = 0;

	lookup_ask(l, AI_NUMERICHOST);
	if (l->error == 0)
		return l;
	e = own_thread_start(NULL, lookup_thread, l);
	if (e) {
		lookup_free(l);
		failed(t, e, err);
		return NULL;
	}
	pthread_mutex_lock(&l->lock);
	while (!l->over && e == 0)
		e = pthread_cond_timedwait(&l->ended, &l->lock, &t->end);
	l->left = !l->over;
	pthread_mutex_unlock(&l->lock);
	if (e && l->left) {
		err_set(err,
			"cannot connect to the controller at '%s': its name was not found in %d seconds; give a "
			"number, as getent(1) tells it",
			t->address, HANDSHAKE_MS / 1000);
		return NULL;
	}
	if (!l->error)
		return l;
	err_set(err, "cannot connect to the controller at '%s': %s", t->address, gai_strerror(l->error));
	lookup_free(l);
	return NULL;
}

static int connect_tcp(struct talk *t, const struct address *a, struct err *err)
{
	struct lookup *found = look_up(t, a, err);
	struct addrinfo *to;
	int ret = -1;

	if (!found)
		return -1;
	for (to = found->list; to && ret < 0; to = to->ai_next)
		ret = connect_to(t, to->ai_addr, to->ai_addrlen, err);
	lookup_free(found);
	return ret;
}

/* The next object, and no byte behind it: what follows is the conversation's.  NULL: err. */
static struct val *read_object(const struct talk *t, struct err *err)
{
	char line[HANDSHAKE_MAX], c;
	size_t n = 0;
	ssize_t got;

	for (;;) {
		got = recv(t->fd, &c, 1, 0);
		if (got < 0 && errno == EAGAIN && wait_for(t, POLLIN, err) < 0)
			return NULL;
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0) {
			err_set(err, "the controller at '%s' closed the connection", t->address);
			return NULL;
		}
		if (c == '\n')
			break;
		if (n == sizeof(line)) {
			err_set(err, "what listens at '%s' is no controller", t->address);
			return NULL;
		}
		line[n++] = c;
	}
	return json_read(line, n, true, err);
}

static long number_in(const char *name, long absent)
{
	const char *text = getenv(name);
	long n = absent;

	if (text)
		text_is_number(text, 0, 1L << 30, &n);
	return n;
}

static void add_hello(struct buf *out, const struct rank_join *j, const char *nonce, const char *proof)
{
	struct val *v = val_map();
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	val_put(v, "event", val_str("hello"));
	val_put(v, "protocol", val_int(HANDSHAKE_PROTOCOL));
	val_put(v, "version", val_str(PACKAGE_VERSION));
	val_put(v, "nonce", val_str(nonce));
	val_put(v, "proof", val_str(proof));
	val_put(v, "rank", val_int(number_in("RANK", -1)));
	val_put(v, "world", val_int(number_in("WORLD_SIZE", 0)));
	val_put(v, "local", val_int(number_in("LOCAL_RANK", -1)));
	val_put(v, "restart", val_int(number_in("TORCHELASTIC_RESTART_COUNT", 0)));
	val_put(v, "host", val_str(host));
	val_put(v, "pid", val_int((long long)getpid()));
	val_put(v, "python", val_str(host_version()));
	val_put(v, "torch", val_str(j->torch));
	json_add_val(out, v);
	buf_addc(out, '\n');
	val_free(v);
}

/* Both sides prove the token. */
static int shake(const struct talk *t, const struct rank_join *j, const char *token, struct err *err)
{
	struct val *first = read_object(t, err), *answer = NULL;
	const char *theirs = val_text(first, "nonce");
	char nonce[NONCE_TEXT], proof[HMAC_TEXT];
	struct buf hello = { 0 };
	int ret = -1;

	if (!first)
		return -1;
	if (strcmp(val_text(first, "event"), "controller")) {
		err_set(err, "what listens at '%s' is no controller", t->address);
	} else if (val_number(first, "protocol", 0) != HANDSHAKE_PROTOCOL) {
		err_set(err,
			"the controller at '%s' speaks protocol %lld (cdbg %s), this rank %d (cdbg %s): install "
			"the same version",
			t->address, val_number(first, "protocol", 0), visible(val_text(first, "version")),
			HANDSHAKE_PROTOCOL, PACKAGE_VERSION);
	} else if (handshake_nonce(nonce, err) == 0) {
		handshake_proof(token, "rank", theirs, nonce, proof);
		add_hello(&hello, j, nonce, proof);
		if (send(t->fd, hello.s, hello.len, MSG_NOSIGNAL) == (ssize_t)hello.len)
			answer = read_object(t, err);
		else
			failed(t, errno, err);
		handshake_proof(token, "controller", theirs, nonce, proof);
	}
	if (answer && !strcmp(val_text(answer, "event"), "refused"))
		err_set(err, "the controller refused this rank: %s", visible(val_text(answer, "error")));
	else if (answer &&
		 (strcmp(val_text(answer, "event"), "welcome") || !hmac_same(val_text(answer, "proof"), proof)))
		err_set(err, "what listens at '%s' does not know the token", t->address);
	else
		ret = answer ? 0 : -1;
	buf_release(&hello);
	val_free(answer);
	val_free(first);
	return ret;
}

static int connect_and_shake(struct talk *t, const struct address *a, const struct rank_join *j, const char *token,
			     struct err *err)
{
	if ((a->path ? connect_unix(t, a->path, err) : connect_tcp(t, a, err)) < 0)
		return -1;
	listener_keep(t->fd, KEEP_SECONDS);
	if (shake(t, j, token, err) < 0)
		return -1;
	if (fcntl(t->fd, F_SETFL, 0) < 0)
		return failed(t, errno, err);
	return 0;
}

int rank_join(const struct rank_join *j, struct err *err)
{
	struct talk t = { .fd = -1, .address = j->address };
	char token[TOKEN_MAX] = "";
	struct address a;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &t.end);
	t.end.tv_sec += HANDSHAKE_MS / 1000;
	if (j->token)
		snprintf(token, sizeof(token), "%s", j->token);
	else if (j->token_file)
		ret = listener_token(j->token_file, token, err);
	if (ret == 0 && !token[0])
		ret = err_set(err, "cannot connect to the controller: no token in CDBG_TOKEN or CDBG_TOKEN_FILE");
	if (ret < 0)
		return -1;
	ret = address_parse(&a, j->address, err);
	if (ret == 0)
		ret = connect_and_shake(&t, &a, j, token, err);
	address_release(&a);
	if (ret < 0 && t.fd >= 0)
		close(t.fd);
	return ret < 0 ? -1 : t.fd;
}
