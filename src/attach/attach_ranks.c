/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaches to the ranks of a job: see attach_ranks.h.  A rank is a process that has RANK in its environment, as
   torchrun and its like set it; its own children inherit that, and are none.  Knows no session. */
#include "config.h"
#include "attach/attach_ranks.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/attach.h"
#include "attach/environment.h"
#include "attach/process.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "py/interp/host.h"
#include "ui/args.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank_set.h"
#include "ui/ranks/ranks_main.h"

struct one {
	pid_t pid, parent;
	long rank; /* -1: none */
};

struct processes {
	struct one *one;
	size_t n, cap;
};

static long number_in(pid_t pid, const char *name, long most, long absent)
{
	char *text = environment_now(pid, name);
	long n = absent;

	if (text)
		text_is_number(text, 0, most, &n);
	free(text);
	return n;
}

/* The program of a command line of Python, or the module that -m names; NULL: neither. */
static const char *program_of(const struct buf *words)
{
	const char *w = words->s, *end = w ? w + words->len : w;
	bool module = false, value = false;

	for (w = w ? w + strlen(w) + 1 : w; w < end; w += strlen(w) + 1) {
		if (module || (!value && *w != '-'))
			return w;
		module = !value && !strcmp(w, "-m");
		value = !value && (!strcmp(w, "-X") || !strcmp(w, "-W"));
	}
	return NULL;
}

/* As src/start/sitecustomize.py knows them. */
static bool starts_ranks(pid_t pid)
{
	static const char *const launchers[] = {
		"torchrun",
		"accelerate",
		"deepspeed",
		"torch.distributed.run",
		"torch.distributed.launch",
		"accelerate.commands.launch",
		"deepspeed.launcher.launch",
	};
	struct buf words = { 0 };
	const char *program, *slash;
	bool found = false;
	size_t i;

	environment_words(pid, &words);
	program = program_of(&words);
	slash = program ? strrchr(program, '/') : NULL;
	for (i = 0; program && i < sizeof(launchers) / sizeof(*launchers); i++)
		found = found || !strcmp(slash ? slash + 1 : program, launchers[i]);
	buf_release(&words);
	return found;
}

/* As it is for its own process: a launcher may have the RANK of its host, as in a pod of Kubernetes. */
static long rank_of(pid_t pid)
{
	long rank = number_in(pid, "RANK", RANK_MAX, -1);

	return rank >= 0 && starts_ranks(pid) ? -1 : rank;
}

/* All processes. */
static void list_processes(struct processes *all)
{
	DIR *d = opendir("/proc");
	struct process_state st;
	struct dirent *e;
	long pid;

	while (d && (e = readdir(d)))
		if (text_is_number(e->d_name, 1, 1L << 30, &pid) && process_state((pid_t)pid, &st) && st.state != 'Z') {
			all->one = mem_grow(all->one, &all->cap, all->n + 1, sizeof(*all->one));
			all->one[all->n++] = (struct one){ (pid_t)pid, st.parent, -1 };
		}
	if (d)
		closedir(d);
}

static int by_rank(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Descendants of this process that are ranks, by number. */
static void find_ranks(pid_t launcher, struct processes *found)
{
	struct processes all = { NULL, 0, 0 };
	pid_t *above;
	size_t n = 0, i, k;

	list_processes(&all);
	above = mem_alloc((all.n + 1) * sizeof(*above)); /* whose children are looked at */
	above[n++] = launcher;
	for (i = 0; i < n; i++)
		for (k = 0; k < all.n; k++) {
			if (all.one[k].parent != above[i] || n > all.n)
				continue;
			all.one[k].rank = rank_of(all.one[k].pid);
			if (all.one[k].rank < 0) {
				above[n++] = all.one[k].pid;
				continue;
			}
			found->one = mem_grow(found->one, &found->cap, found->n + 1, sizeof(*found->one));
			found->one[found->n++] = all.one[k];
		}
	if (found->n)
		qsort(found->one, found->n, sizeof(*found->one), by_rank);
	free(above);
	free(all.one);
}

/* What a rank that joins by itself says. */
static struct val *hello_of(const struct one *r)
{
	struct val *v = val_map();
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	val_put(v, "rank", val_int(r->rank));
	val_put(v, "world", val_int(number_in(r->pid, "WORLD_SIZE", RANK_MAX, 0)));
	val_put(v, "local", val_int(number_in(r->pid, "LOCAL_RANK", RANK_MAX, -1)));
	val_put(v, "restart", val_int(number_in(r->pid, "TORCHELASTIC_RESTART_COUNT", RANK_MAX, 0)));
	val_put(v, "host", val_str(host));
	val_put(v, "pid", val_int(r->pid));
	val_put(v, "python", val_str(host_version()));
	val_put(v, "torch", val_null());
	return v;
}

/* Those of this host, one after the other; those that cannot be attached to are told of, and run on. */
static int join(struct controller *c, void *arg, struct err *err)
{
	const struct processes *found = arg;
	size_t i, joined = 0;
	int fd;

	for (i = 0; i < found->n; i++) {
		if (i && found->one[i].rank == found->one[i - 1].rank) {
			dprintf(2, "cdbg: processes %ld and %ld both are rank %ld: attach to the launcher of one job\n",
				(long)found->one[i - 1].pid, (long)found->one[i].pid, found->one[i].rank);
			controller_without(c);
			continue;
		}
		fd = attach_rank(found->one[i].pid, err);
		if (fd >= 0) {
			controller_adopt(c, fd, hello_of(&found->one[i]));
			joined++;
			continue;
		}
		dprintf(2, "cdbg: rank %ld: %s\n", found->one[i].rank, err->text);
		controller_without(c);
	}
	return joined ? 0 : err_set(err, "no rank could be attached to");
}

bool attach_ranks(const struct args *a, int *status, bool *none)
{
	struct processes found = { NULL, 0, 0 };
	bool launcher = rank_of(a->instead.attach) < 0;

	if (launcher)
		find_ranks(a->instead.attach, &found);
	*none = launcher && !found.n && starts_ranks(a->instead.attach);
	if (found.n)
		*status = ranks_attached(a, (int)found.n, join, &found);
	free(found.one);
	return found.n > 0;
}
