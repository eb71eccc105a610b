/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that attaches: see attach.h. */
#include "config.h"
#include "attach/attach.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "attach/attach_ranks.h"
#include "attach/environment.h"
#include "attach/inject.h"
#include "attach/process.h"
#include "attach/own_terminal.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "ui/args.h"
#include "ui/front.h"

enum { ADDRESS = 4096, CHUNK = 65536 };

static const char unix_prefix[] = "unix:";
static const char no_ranks[] = "this launcher has no ranks now, and is debugged itself: attach again later";

static volatile sig_atomic_t given_up;

static void give_up(int sig)
{
	(void)sig;
	given_up = 1;
}

static void tell(const char *text)
{
	dprintf(2, "cdbg: %s\n", text);
}

static bool gives_up(void *unused, const char *text)
{
	(void)unused;
	if (text)
		dprintf(2, "cdbg: %s; Ctrl-C gives up\n", text);
	return given_up;
}

static const struct inject_waiter person = { .gives_up = gives_up };

/* ---- the process's own socket ---------------------------------------------------------------------------------- */

/* A path of the process, as this one reaches it: through its root, and through a descriptor of the folder, since the
   name of a socket is short. */
static int connect_in(pid_t pid, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX + 48], name[sizeof(((struct sockaddr_un *)0)->sun_path) + 40];
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int dir, fd, n;

	if (path[0] != '/' || snprintf(folder, sizeof(folder), "/proc/%ld/root%.*s", (long)pid, (int)(slash - path),
				       path) >= (int)sizeof(folder))
		return -1;
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	n = dir < 0 ? -1 : snprintf(name, sizeof(name), "/proc/self/fd/%d%s", dir, slash);
	fd = n < 0 || n >= (int)sizeof(to.sun_path) ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		memcpy(to.sun_path, name, (size_t)n);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
			close(fd);
			fd = -1;
		}
	}
	if (dir >= 0)
		close(dir);
	return fd;
}

/* Nobody but the process itself is spoken to: a child that it forked has its environment, and others may have made the
   name a link to another socket. */
static bool is_theirs(int fd, pid_t pid)
{
	struct process_state st;
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == pid &&
	       process_state(pid, &st) && (peer.uid == st.user || peer.uid == 0);
}

static int connect_theirs(pid_t pid, const char *path)
{
	int fd = connect_in(pid, path);

	if (fd >= 0 && !is_theirs(fd, pid)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Where cdbg.listen() and CDBG_LISTEN make the socket of a process, as struct address says. */
static int connect_listening(pid_t pid)
{
	char *run = environment_at_start(pid, "XDG_RUNTIME_DIR"), *told = environment_at_start(pid, "CDBG_LISTEN"),
	     *path;
	struct process_state st;
	int fd = -1;

	if (!process_state(pid, &st))
		st.inside = pid;
	if (told && !strncmp(told, "unix:/", strlen("unix:/")) && !strstr(told, "%p"))
		fd = connect_theirs(pid, told + strlen(unix_prefix));
	path = run && *run == '/' ? mem_fmt("%s/cdbg/%ld.sock", run, (long)st.inside) :
				    mem_fmt("/tmp/cdbg-%ld/%ld.sock", (long)st.user, (long)st.inside);
	if (fd < 0)
		fd = connect_theirs(pid, path);
	free(path);
	free(told);
	free(run);
	return fd;
}

/* ---- a session there ------------------------------------------------------------------------------------------- */

static void add_word(struct buf *words, const char *word)
{
	buf_add(words, word, strlen(word) + 1);
}

/* The command line there: two words about the front end, what is to be said, or NULL, and the commands for the first
   stop. */
static char *words_for(const struct args *a, const char *attached, const char *front, const char *note)
{
	struct buf words = { 0 };
	char here[PATH_MAX] = "";
	size_t i, n = strlen("source ");

	add_word(&words, attached);
	add_word(&words, front);
	if (note)
		add_word(&words, "--attached-note"), add_word(&words, note);
	if (a && a->norc)
		add_word(&words, "-nx");
	if (a && a->quiet)
		add_word(&words, "-q");
	if (a && a->batch)
		add_word(&words, "-batch");
	for (i = 0; a && i < a->nlines; i++) {
		const char *line = a->lines[i];
		char *other = NULL;

		/* -x FILE: the other process has another current directory */
		if (!strncmp(line, "source ", n) && line[n] != '/' && line[n] != '~' && line[n] != '-' &&
		    getcwd(here, sizeof(here)))
			other = mem_fmt("source %s/%s", here, line + n);
		add_word(&words, "-ex");
		add_word(&words, other ? other : line);
		free(other);
	}
	buf_add(&words, "", 1);
	return buf_detach(&words);
}

struct sent {
	struct own_terminal *t;
	struct err err; /* why it was not sent */
};

static void send_terminal(void *arg, int channel)
{
	struct sent *sent = arg;

	own_terminal_send(sent->t, channel, &sent->err);
}

/* Where the session there listens, or t: the terminal that it is shown on, and i has the channel then. */
static int begin_session(struct inject *i, pid_t pid, const char *words, struct own_terminal *t,
			 const struct inject_waiter *waiter, char *where, size_t max, struct err *err)
{
	struct sigaction ours = { .sa_handler = give_up }, before;
	struct sent sent = { t, { "" } };
	int ret;

	given_up = 0;
	sigaction(SIGINT, &ours, &before);
	ret = inject_begin(i, pid, words, t ? send_terminal : NULL, &sent, err);
	if (ret == 0) {
		ret = inject_wait(i, where, max, waiter, err); /* knows better why it was not sent */
		if (ret == 0 && *sent.err.text)
			ret = err_set(err, "%s", sent.err.text);
		inject_end(i);
	}
	sigaction(SIGINT, &before, NULL);
	return ret;
}

/* Nothing is shown before the first stop, which is late while the main thread is in C code. */
static int await_stop(pid_t pid, int fd, struct err *err)
{
	enum { STEP_MS = 100 };
	struct sigaction ours = { .sa_handler = give_up }, before;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int left = INJECT_LATE_MS;

	given_up = 0;
	sigaction(SIGINT, &ours, &before);
	for (; !given_up && poll(&p, 1, STEP_MS) <= 0; left -= STEP_MS)
		if (left == 0)
			inject_tell_why(pid, &person);
	sigaction(SIGINT, &before, NULL);
	return given_up ? err_set(err, "given up: process %ld runs on", (long)pid) : 0;
}

static int open_session(pid_t pid, const char *attached, const char *option, const struct args *a,
			const struct inject_waiter *waiter, struct err *err)
{
	char *front = mem_fmt("%s=%s", option, unix_prefix), *words = words_for(a, attached, front, NULL);
	char where[ADDRESS] = "";
	struct inject i;
	int fd = -1;

	if (begin_session(&i, pid, words, NULL, waiter, where, sizeof(where), err) == 0) {
		if (!strncmp(where, unix_prefix, strlen(unix_prefix)))
			fd = connect_theirs(pid, where + strlen(unix_prefix));
		if (fd < 0)
			err_set(err, "cannot connect to process %ld at '%s': %s", (long)pid, where, strerror(errno));
	}
	free(words);
	free(front);
	return fd;
}

int attach_listen(pid_t pid, const char *option, const struct inject_waiter *waiter, struct err *err)
{
	int fd = strcmp(option, "--json") ? -1 : connect_listening(pid);

	return fd >= 0 ? fd : open_session(pid, "--attached", option, NULL, waiter, err);
}

/* Settings of a rank are the controller's. */
int attach_rank(pid_t pid, struct err *err)
{
	const struct args none = { .norc = true, .quiet = true };

	return open_session(pid, "--attached-rank", "--json", &none, &person, err);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

/* Looks for a line of the conversation. */
struct search {
	const char *begins; /* as this */
	size_t at;	    /* so much of it has come; ELSE: the present line is another one */
	bool found;
};
enum { ELSE = 1 << 20 };

static void look_for(struct search *s, const char *text, size_t n)
{
	for (; n; text++, n--)
		if (*text == '\n') {
			s->found |= s->at != ELSE && !s->begins[s->at];
			s->at = 0;
		} else if (s->at != ELSE && s->begins[s->at]) {
			s->at = *text == s->begins[s->at] ? s->at + 1 : ELSE;
		}
}

/* False: no more come. */
static bool copy_some(int from, int to, struct search *s)
{
	static char part[CHUNK];
	ssize_t n = read(from, part, sizeof(part));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n > 0 && s)
		look_for(s, part, (size_t)n);
	return n > 0 && file_write_all(to, part, (size_t)n) == 0;
}

/* The end of the input detaches, after all that came before it.  A program that listens keeps the connection then;
   else its end says that nothing of the session is left. */
static void pass_bytes(int fd, bool listens)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = 0, .events = POLLIN } };
	struct search reply = { .begins = "{\"reply\":\"detach\"," };
	static const char last[] = "detach\n";

	while (p[1].fd >= 0 || !listens || !reply.found) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents && !copy_some(fd, 1, &reply))
			return;
		if (p[1].revents && !copy_some(0, fd, NULL)) {
			p[1].fd = -1;
			reply.found = false;
			if (send(fd, last, sizeof(last) - 1, MSG_NOSIGNAL) < 0)
				return;
		}
	}
}

static int run_json(const struct args *a, struct err *err)
{
	static const char stop[] = "interrupt\n";
	int fd = connect_listening(a->instead.attach), ret;
	bool listens = fd >= 0;

	if (listens && send(fd, stop, sizeof(stop) - 1, MSG_NOSIGNAL) < 0)
		return err_set(err, "process %ld closed its socket: %s", (long)a->instead.attach, strerror(errno));
	if (fd < 0)
		fd = open_session(a->instead.attach, "--attached", "--json", a, &person, err);
	if (fd < 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	ret = await_stop(a->instead.attach, fd, err);
	if (ret == 0)
		pass_bytes(fd, listens);
	close(fd);
	return ret;
}

/* The screen, or the command line, of the session there on the terminal here. */
static int run_terminal(const struct args *a, const char *note, struct err *err)
{
	const char *type = front_wants_screen(a) ? getenv("TERM") : NULL;
	char *attached = type && *type ? mem_fmt("--attached=%s", type) : mem_str("--attached");
	char *words = words_for(a, attached, "--plain", note), unused[ADDRESS];
	struct inject i = { .channel = -1 };
	struct own_terminal t;
	int ret = own_terminal_open(&t, err);

	if (ret == 0)
		ret = begin_session(&i, a->instead.attach, words, &t, &person, unused, sizeof(unused), err);
	if (ret == 0)
		ret = await_stop(a->instead.attach, t.end, err);
	if (ret == 0 && !own_terminal_pass(&t, i.channel))
		ret = err_set(err, "process %ld has ended", (long)a->instead.attach);
	if (i.channel >= 0)
		close(i.channel);
	own_terminal_close(&t);
	free(words);
	free(attached);
	return ret;
}

int attach_run(const struct args *a)
{
	struct err err = { "" };
	bool launcher;
	int status, ret;

	if (attach_ranks(a, &status, &launcher))
		return status;
	if (a->json && launcher)
		tell(no_ranks);
	ret = a->json ? run_json(a, &err) : run_terminal(a, launcher ? no_ranks : NULL, &err);
	if (ret < 0)
		tell(err.text);
	return ret < 0;
}
