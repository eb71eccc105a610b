/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket that a session listens on: see listener.h. */
#include "config.h"
#include "ui/wire/listener.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "ui/wire/address.h"

enum { WAITING = 8, TOKEN_BYTES = 16, TOKEN_LEAST = 16 };

/* ---- a Unix socket ------------------------------------------------------------------------------------------- */

/* The folder of a path, made if there is none: the user's alone, so that nobody else reaches what is in it. */
static int open_folder(const char *path, const char *folder, struct err *err)
{
	int made = mkdir(folder, 0700), dir;
	struct stat st;

	if (made < 0 && errno != EEXIST)
		return err_set(err, "cannot listen on '%s': cannot make the folder '%s': %s", path, folder,
			       strerror(errno));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(err,
			       "cannot listen on '%s': '%s' is a link or no folder, and must be a folder of your own",
			       path, folder);
	if (dir < 0 || fstat(dir, &st) < 0)
		err_set(err, "cannot listen on '%s': cannot open the folder '%s': %s", path, folder, strerror(errno));
	else if (st.st_uid != geteuid())
		err_set(err, "cannot listen on '%s': the folder '%s' belongs to another user; use one of your own",
			path, folder);
	else if (st.st_mode & 077)
		err_set(err,
			"cannot listen on '%s': other users can enter the folder '%s': 'chmod 700 %s', or use "
			"unix: without a path",
			path, folder, folder);
	else
		return dir;
	if (dir >= 0)
		close(dir);
	return -1;
}

/* The name of a file through the descriptor of its folder: it cannot become another one, and is short. */
static void address_in(const struct listener *l, struct sockaddr_un *to)
{
	char name[sizeof(to->sun_path) + 40];

	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	snprintf(name, sizeof(name), "/proc/self/fd/%d/%s", l->dir, l->name);
	memcpy(to->sun_path, name, strnlen(name, sizeof(to->sun_path) - 1));
}

/* A file has the name.  0: it was a socket that nobody listens on any more, and is gone. */
static int remove_stale(const struct listener *l, const char *path, const struct stat *st, struct err *err)
{
	struct sockaddr_un to;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd, refused;

	if (!S_ISSOCK(st->st_mode) || st->st_uid != geteuid())
		return err_set(err, "cannot listen on '%s': a file that is not a socket of yours has this name", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, "cannot listen on '%s': %s", path, strerror(errno));
	address_in(l, &to);
	refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno == ECONNREFUSED;
	if (!refused && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
		err_set(err, "cannot listen on '%s': process %ld listens there", path, (long)peer.pid);
	else if (!refused)
		err_set(err, "cannot listen on '%s': another process listens there", path);
	close(fd);
	if (!refused)
		return -1;
	if (unlinkat(l->dir, l->name, 0) < 0)
		return err_set(err, "cannot remove '%s', which a process that ended left: %s", path, strerror(errno));
	return 0;
}

/* With the folder locked: two processes that begin at the same time do not take each other's socket for a stale one. */
static int bind_in(struct listener *l, const char *path, struct err *err)
{
	struct sockaddr_un to;
	struct stat st;

	if (fstatat(l->dir, l->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && remove_stale(l, path, &st, err) < 0)
		return -1;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	address_in(l, &to);
	if (l->fd < 0 || fchmod(l->fd, 0600) < 0 || bind(l->fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return err_set(err, "cannot listen on '%s': %s", path, strerror(errno));
	if (fchmodat(l->dir, l->name, 0600, 0) < 0 || fstatat(l->dir, l->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    listen(l->fd, WAITING) < 0) {
		err_set(err, "cannot listen on '%s': %s", path, strerror(errno));
		unlinkat(l->dir, l->name, 0);
		return -1;
	}
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	return 0;
}

static int open_unix(struct listener *l, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_strn(path, slash > path ? (size_t)(slash - path) : 1);
	int ret = -1;

	if (strlen(path) >= NAME_MAX_UNIX)
		err_set(err,
			"cannot listen on '%s': a socket's path has at most %d bytes, this one has %zu; use a shorter "
			"one, or unix: alone",
			path, NAME_MAX_UNIX - 1, strlen(path));
	else if (!slash[1])
		err_set(err, "cannot listen on '%s': it names a folder, and the socket needs a name in it", path);
	else
		l->dir = open_folder(path, folder, err);
	free(folder);
	if (l->dir < 0)
		return -1;
	snprintf(l->name, sizeof(l->name), "%s", slash + 1);
	snprintf(l->shown, sizeof(l->shown), "unix:%s", path);
	if (flock(l->dir, LOCK_EX) == 0) {
		ret = bind_in(l, path, err);
		flock(l->dir, LOCK_UN);
	} else {
		err_set(err, "cannot listen on '%s': cannot lock its folder: %s", path, strerror(errno));
	}
	return ret;
}

/* ---- TCP, and its token ---------------------------------------------------------------------------------------- */

static int make_token(struct listener *l, struct err *err)
{
	unsigned char raw[TOKEN_BYTES];
	size_t i;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_set(err, "cannot make a token: %s", strerror(errno));
	for (i = 0; i < sizeof(raw); i++)
		snprintf(l->token + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

/* Of a file that exists. */
static int read_token(char token[TOKEN_MAX], int fd, const char *file, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return err_set(err,
			       "cannot use the token in '%s': it must be a file of yours that nobody else can read; "
			       "'chmod 600 %s', or name a file that does not exist",
			       file, file);
	n = read(fd, token, TOKEN_MAX - 1);
	token[n > 0 ? n : 0] = '\0';
	token[strcspn(token, " \t\r\n")] = '\0';
	if (strlen(token) < TOKEN_LEAST)
		return err_set(err, "cannot use the token in '%s': it must have at least %d characters", file,
			       TOKEN_LEAST);
	return 0;
}

int listener_token(const char *file, char token[TOKEN_MAX], struct err *err)
{
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0)
		return err_set(err, "cannot use '%s' for the token: %s", file, strerror(errno));
	ret = read_token(token, fd, file, err);
	close(fd);
	return ret;
}

static int write_token(struct listener *l, int fd, const char *file, struct err *err)
{
	if (make_token(l, err) < 0)
		return -1;
	if (file_write_all(fd, l->token, strlen(l->token)) < 0 || file_write_all(fd, "\n", 1) < 0)
		return err_set(err, "cannot write the token to '%s': %s", file, strerror(errno));
	return 0;
}

static int take_token(struct listener *l, const char *file, struct err *err)
{
	bool fresh = true;
	int fd, ret;

	if (!file || !*file)
		return make_token(l, err);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST) {
		fresh = false;
		fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd < 0)
		return err_set(err, "cannot use '%s' for the token: %s", file, strerror(errno));
	ret = fresh ? write_token(l, fd, file, err) : read_token(l->token, fd, file, err);
	close(fd);
	snprintf(l->token_file, sizeof(l->token_file), "%s", file);
	return ret;
}

/* "127.0.0.1:4711", "[::1]:4711" */
static void show_address(const struct sockaddr *a, socklen_t size, char *out, size_t max)
{
	char host[128], port[16];

	if (getnameinfo(a, size, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(out, max, "?");
	else
		snprintf(out, max, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int bind_tcp(struct listener *l, const struct addrinfo *to)
{
	int one = 1, e;

	l->fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd >= 0 && setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(l->fd, to->ai_addr, to->ai_addrlen) == 0 && listen(l->fd, WAITING) == 0)
		return 0;
	e = errno;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	errno = e;
	return -1;
}

static int open_tcp(struct listener *l, const struct address *a, const char *token_file, struct err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *list = NULL, *to;
	struct sockaddr_storage got;
	socklen_t size = sizeof(got);
	char port[16];
	int e;

	snprintf(port, sizeof(port), "%d", a->port);
	e = getaddrinfo(a->host, port, &hints, &list);
	if (e)
		return err_set(err, "cannot listen on '%s:%s': %s", a->host, port, gai_strerror(e));
	for (to = list; to && bind_tcp(l, to) < 0; to = to->ai_next)
		;
	e = errno;
	freeaddrinfo(list);
	if (l->fd < 0 && e == EADDRINUSE)
		return err_set(err, "cannot listen on '%s:%s': another process uses this port; port 0 takes a free one",
			       a->host, port);
	if (l->fd < 0)
		return err_set(err, "cannot listen on '%s:%s': %s", a->host, port, strerror(e));
	if (getsockname(l->fd, (struct sockaddr *)&got, &size) < 0)
		return err_set(err, "cannot listen on '%s:%s': %s", a->host, port, strerror(errno));
	show_address((struct sockaddr *)&got, size, l->shown, sizeof(l->shown));
	return take_token(l, token_file, err);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

int listener_open(struct listener *l, const char *address, const char *token_file, struct err *err)
{
	struct address a;
	int ret;

	memset(l, 0, sizeof(*l));
	l->fd = l->dir = -1;
	ret = address_parse(&a, address, err);
	if (ret == 0)
		ret = a.path ? open_unix(l, a.path, err) : open_tcp(l, &a, token_file, err);
	address_release(&a);
	if (ret < 0)
		listener_close(l);
	return ret;
}

void listener_end(struct listener *l)
{
	struct stat st;

	if (l->dir >= 0 && fstatat(l->dir, l->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == l->dev &&
	    st.st_ino == l->ino)
		unlinkat(l->dir, l->name, 0);
	listener_close(l);
}

void listener_close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->dir >= 0)
		close(l->dir);
	l->fd = l->dir = -1;
}

void listener_tell(const struct listener *l, bool wait, bool quiet)
{
	if (l->token[0] && !l->token_file[0])
		dprintf(2, "cdbg: listening on %s, token %s\n", l->shown, l->token);
	else if (!quiet)
		dprintf(2, "cdbg: listening on %s%s%s\n", l->shown, l->token[0] ? ", token in " : "", l->token_file);
	if (wait && !quiet)
		dprintf(2, "cdbg: the program waits for a client\n");
}

/* ---- clients ------------------------------------------------------------------------------------------- */

/* The name of a process, without characters that a terminal would obey. */
static void process_name(pid_t pid, char *out, size_t max)
{
	char file[48];
	ssize_t n;
	size_t i;
	int fd;

	snprintf(file, sizeof(file), "/proc/%ld/comm", (long)pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, out, max - 1) : -1;
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	for (i = 0; out[i]; i++)
		if (out[i] < ' ' || out[i] > '~')
			out[i] = '?';
}

int listener_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int listener_accept(const struct listener *l, int flags, bool *full)
{
	int fd = accept4(l->fd, NULL, NULL, flags);

	*full = fd < 0 && (errno == EMFILE || errno == ENFILE);
	return fd;
}

/* One that stays in the queue would wake whoever polls again and again. */
void listener_turn_away(const struct listener *l, int *spare)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	int fd;

	if (*spare >= 0)
		close(*spare);
	fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else
		nanosleep(&pause, NULL); /* another thread was faster */
	*spare = listener_spare();
}

/* Of a Unix socket the TCP options fail, which changes nothing. */
void listener_keep(int fd, int seconds)
{
	const int on = 1, count = 4, limit = seconds * 1000, idle = seconds > 3 ? seconds / 3 : 1;
	const int interval = seconds - idle > count ? (seconds - idle) / count : 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
}

bool listener_peer(const struct listener *l, int fd, char *who, size_t max)
{
	struct sockaddr_storage from;
	socklen_t size = sizeof(from), length = sizeof(struct ucred);
	struct ucred peer;
	char name[32];

	if (l->dir < 0) {
		listener_keep(fd, KEEP_SECONDS);
		if (getpeername(fd, (struct sockaddr *)&from, &size) < 0)
			return false;
		show_address((struct sockaddr *)&from, size, who, max);
		return true;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return false;
	process_name(peer.pid, name, sizeof(name));
	snprintf(who, max, "process %ld%s%s%s", (long)peer.pid, *name ? " (" : "", name, *name ? ")" : "");
	return peer.uid == geteuid() || peer.uid == 0;
}

bool listener_admits(const struct listener *l, const char *text, size_t n)
{
	size_t length = strlen(l->token), i;
	unsigned char differs = n != length;

	for (i = 0; i < length; i++)
		differs |= (unsigned char)l->token[i] ^ (unsigned char)(i < n ? text[i] : 0);
	return !differs;
}
