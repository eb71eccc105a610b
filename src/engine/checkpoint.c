/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of the program: see checkpoint.h. */
#include "engine/checkpoint.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/family.h"
#include "base/openfiles.h"
#include "base/ownfd.h"
#include "base/procmem.h"
#include "engine/handover.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/way.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/interp/fork.h"
#include "py/interp/host.h"
#include "py/interp/interp.h"
#include "py/record/recorder.h"

static struct openfiles files; /* as they were at the newest checkpoint: the child's, too */
static unsigned long taken_at; /* the stop of that one */
static int wanted;	       /* where `checkpoint go` goes */
static char *told;	       /* owned: why there was no checkpoint at a stop, once for each reason */
static struct {
	bool yes; /* this process was a checkpoint, and it is its turn */
	int number, lost_files;
	bool kept; /* a copy of it waits under the same number */
} arrived;

/* Those that were taken on the way to this state, in the order of their numbers. */
static struct {
	int *number; /* owned */
	size_t n, cap;
} line;

/* ---- what a checkpoint would lack ---------------------------------------------------------------------------- */

static int missing(int n, const char *what, const char *which, const char *remedy, struct err *err)
{
	return err_set(err, "no checkpoint: it would lack %d %s%s (%s): %s", n, what, n == 1 ? "" : "s", which, remedy);
}

static int refuse_missing(struct err *err)
{
	struct buf names = { 0 };
	int n = fork_threads(&names), ret = 0;

	if (n)
		ret = missing(n, "other thread", buf_str(&names),
			      "end it first, or 'checkpoint take -f' where none of them holds a lock", err);
	else if ((n = fork_children(&names)))
		ret = missing(n, "worker process", buf_str(&names),
			      "take it between two loops over a DataLoader, or 'checkpoint take -f' if its rest is not "
			      "needed",
			      err);
	else if (fork_loop())
		ret = err_set(err,
			      "no checkpoint: asyncio runs its loop here, and what that waits for is the same for "
			      "the past and the present: take it before asyncio.run(), or 'checkpoint take -f' where "
			      "it does not matter");
	buf_release(&names);
	return ret;
}

/* Memory that the program writes after the fork is copied, all of it at worst. */
static int refuse_memory(struct err *err)
{
	long long need = procmem_written(), have = procmem_available();
	struct buf a = { 0 }, b = { 0 };

	if (need < 0 || have < 0 || need <= have)
		return 0;
	procmem_text(need, &a);
	procmem_text(have, &b);
	err_set(err,
		"no checkpoint: it would take up to %s more, if the program writes all that it holds, and %s are "
		"available: 'delete checkpoint N' ends one, 'checkpoint take -f' takes it anyway",
		a.s, b.s);
	buf_release(&a);
	buf_release(&b);
	return -1;
}

static int may_take(struct session *s, bool force, struct err *err)
{
	const char *device = openfiles_device();

	if (session_present(s, err) < 0)
		return -1;
	if (!s->front->leave)
		return err_set(
			err,
			"there are no checkpoints with this front end, which is not made again in a forked process: "
			"the prompt, the full screen and --json have them");
	if (device)
		return err_set(
			err,
			"no checkpoint: the process uses an accelerator (%s is open), and its driver, as CUDA's, "
			"does not work in a forked process: run the program on the CPU",
			device);
	if (!fork_main_thread())
		return err_set(err, "no checkpoint: this is not the process's first thread, and only that is the same "
				    "in a forked process: stop there");
	if (interp_others())
		return err_set(err, "no checkpoint: there are other interpreters in this process, which a forked one "
				    "lacks");
	return force ? 0 : refuse_missing(err) < 0 || refuse_memory(err) < 0 ? -1 : 0;
}

/* ---- taking ---------------------------------------------------------------------------------------------------- */

static void describe(struct session *s, char *where, size_t size)
{
	const struct frame *f = NULL;
	int i;

	for (i = 0; s->thread && (f = stack_frame(&s->stack, s, i)) && f->hidden; i++)
		;
	if (!f)
		snprintf(where, size, "%s", s->exited ? "the end of the program" : "no frame");
	else if (f->file && f->line)
		snprintf(where, size, "%s:%d (%s)", text_path_file_name(f->file), f->line, f->qualname);
	else
		snprintf(where, size, "%s", f->qualname);
}

static void add_to_line(int number)
{
	size_t i, n = 0;

	for (i = 0; i < line.n; i++)
		if (family_find(line.number[i]))
			line.number[n++] = line.number[i];
	line.number = mem_grow(line.number, &line.cap, n + 1, sizeof(*line.number));
	line.number[n++] = number;
	line.n = n;
}

/* In the child: as the process was, but for what cannot be. */
static void arrive(struct session *s, struct family_member *m, void *kept)
{
	arrived.number = m->number;
	arrived.kept = family_wait(m) == 0;
	ownfd_inherit(false);
	record_woken(kept);
	fork_woken();
	hook_woken();
	arrived.lost_files = openfiles_restore(&files);
	arrived.yes = true;
	session_ask(s);
	session_resume(s, RESUME_BACK);
}

/* 1: in the child. */
static int take(struct session *s, unsigned long stop, enum family_kind kind, int *number, struct err *err)
{
	struct family_member new = { .stop = stop, .kind = kind }, *m;
	void *kept;
	pid_t pid;
	int e;

	if (past_present(s, &new.instruction))
		new.record = record_id();
	describe(s, new.where, sizeof(new.where));
	clock_gettime(CLOCK_MONOTONIC, &new.made);
	m = family_add(&new, err);
	if (!m)
		return -1;
	*number = m->number;
	add_to_line(m->number);
	kept = record_keep();
	host_flush(); /* the child does not write it again */
	openfiles_save(&files);
	taken_at = stop;
	if (s->front->hold)
		s->front->hold(s, true);
	ownfd_inherit(true);
	pid = fork_quietly();
	if (pid == 0) {
		arrive(s, m, kept);
		return 1;
	}
	e = errno;
	ownfd_inherit(false);
	if (s->front->hold)
		s->front->hold(s, false);
	free(kept);
	family_born(m, pid);
	return pid < 0 ? err_set(err, "no checkpoint: the process cannot be forked: %s", strerror(e)) : 0;
}

int checkpoint_take(struct session *s, unsigned long stop, bool force, struct buf *out, struct err *err)
{
	int number, ret;

	if (may_take(s, force, err) < 0)
		return -1;
	ret = take(s, stop, FAMILY_TAKEN, &number, err);
	if (ret)
		return ret < 0 ? -1 : 0;
	buf_addf(out, "checkpoint %d: 'checkpoint go %d' comes back here\n", number, number);
	if (files.pipes || files.sockets)
		buf_addf(out, "%d pipe%s and %d socket%s stay as they are then: what is read from them is gone\n",
			 files.pipes, files.pipes == 1 ? "" : "s", files.sockets, files.sockets == 1 ? "" : "s");
	return 0;
}

/* Of those taken at stops the one whose neighbours are nearest, measured by its age: older ones become sparser.  The
   oldest stays, if there may be more than one. */
static const struct family_member *superfluous(unsigned long stop, long most)
{
	const struct family_member *m, *best = NULL, *before = NULL, *two_before = NULL;
	double gap, least = 0;
	long n = 0;
	int i;

	for (i = 0; (m = family_at(i)); i++) {
		if (m->kind != FAMILY_AUTO)
			continue;
		n++;
		if (two_before) {
			gap = (double)(m->stop - two_before->stop) / (double)(stop - before->stop + 1);
			if (!best || gap < least) {
				best = before;
				least = gap;
			}
		}
		two_before = before;
		before = m;
	}
	if (n < most)
		return NULL;
	return best ? best : before;
}

void checkpoint_auto(struct session *s, unsigned long stop)
{
	long most = option_number(s, "checkpoint-auto");
	const struct family_member *m;
	struct err err;
	int number;

	if (!most || !s->front->leave || taken_at == stop)
		return;
	if (may_take(s, false, &err) == 0) {
		while ((m = superfluous(stop, most)))
			family_end(m);
		if (take(s, stop, FAMILY_AUTO, &number, &err) >= 0)
			return;
	}
	if (!told || strcmp(told, err.text))
		session_note(s, NOTE_INFO, "%s", err.text);
	free(told);
	told = mem_str(err.text);
}

/* ---- going back ------------------------------------------------------------------------------------------------ */

int checkpoint_go(struct session *s, int number, struct err *err)
{
	if (!family_find(number))
		return err_set(err, "no checkpoint %d: 'info checkpoints' lists them", number);
	wanted = number;
	session_resume(s, RESUME_BACK);
	return 0;
}

/* This process waits, and the one of the checkpoint goes on.  Returns when it is this one's turn again: at once, with
   what is wrong, if it cannot be the other's.  said: what the process that was there said. */
static const char *leave(struct session *s, const struct family_member *m, struct buf *said)
{
	struct family_member root = { .kind = FAMILY_LEFT };
	struct buf front = { 0 };
	void *kept;
	size_t n;

	host_flush();
	describe(s, root.where, sizeof(root.where));
	clock_gettime(CLOCK_MONOTONIC, &root.made);
	s->front->leave(s, &front);
	handover_write(s, buf_str(&front), said);
	buf_release(&front);
	n = said->len;
	if (n > FAMILY_TEXT - sizeof(n))
		return "too many command lines wait";
	memcpy(family_text(), &n, sizeof(n));
	memcpy(family_text() + sizeof(n), said->s, n);
	kept = record_keep();
	family_go(m, &root);
	record_woken(kept);
	arrived.number = 0;
	return NULL;
}

static void hear(struct buf *said)
{
	size_t n;

	memcpy(&n, family_text(), sizeof(n));
	buf_reset(said);
	buf_add(said, family_text() + sizeof(n), n);
}

static void say_arrived(struct session *s)
{
	struct buf b = { 0 };

	if (!arrived.number)
		buf_adds(&b, "back in the process that was started, as it was left");
	else
		buf_addf(&b, "back at checkpoint %d, in process %ld", arrived.number, (long)getpid());
	if (arrived.number && !arrived.kept)
		buf_adds(&b, "; no copy of it could be kept, so it is none any more");
	if (arrived.number && arrived.lost_files)
		buf_addf(&b, "; the position of %d file%s could not be set back", arrived.lost_files,
			 arrived.lost_files == 1 ? "" : "s");
	session_note(s, NOTE_INFO, "%s", b.s);
	buf_release(&b);
}

void checkpoint_back(struct session *s)
{
	const struct family_member *m = arrived.yes ? NULL : family_find(wanted);
	const char *wrong = arrived.yes || m ? NULL : "its process has died";
	struct buf said = { 0 };
	struct err err = { "" };

	s->resume = RESUME_NONE;
	if (m)
		wrong = leave(s, m, &said);
	if (!wrong)
		hear(&said);
	if ((!wrong || m) && s->front->enter(s, handover_read(s, buf_str(&said), said.len), &err) < 0) {
		dprintf(2, "cdbg: detached, the program runs on: %s\n", err.text);
		session_resume(s, RESUME_DETACH);
	} else if (wrong) {
		session_note(s, NOTE_WARNING, "cannot go to checkpoint %d: %s", wanted, wrong);
	} else {
		say_arrived(s);
	}
	arrived.yes = false;
	if (!wrong)
		way_begin(s);
	buf_release(&said);
}

/* ---- the list -------------------------------------------------------------------------------------------------- */

int checkpoint_before(unsigned long record, uint64_t number)
{
	const struct family_member *m;
	size_t i;

	for (i = line.n; i > 0; i--) {
		m = family_find(line.number[i - 1]);
		if (m && m->record == record && m->instruction <= number)
			return m->number;
	}
	return 0;
}

int checkpoint_delete(int number, struct err *err)
{
	const struct family_member *m = family_find(number);

	if (!m)
		return err_set(err, "no checkpoint %d: 'info checkpoints' lists them", number);
	if (m->kind == FAMILY_LEFT)
		return err_set(err, "checkpoint %d is the process that was started: it ends with the program", number);
	family_end(m);
	return 0;
}

void checkpoint_release(void)
{
	family_end_all();
}

void checkpoint_forked(void)
{
	family_forget();
}
