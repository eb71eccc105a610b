/* SPDX-License-Identifier: BSD-3-Clause */
/* The UI thread's loop: handles keys, news of the stopped thread, the program's output, and the clock.  Draws when
   no input is left, and at most every 16 ms while the program writes much. */
#include "config.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "ui/tui/exit_restore.h"
#include "ui/line/editor.h"
#include "ui/output/console.h"
#include "ui/output/progtty.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

enum {
	FRAME_MS = 16,
	ESC_MS = 25,
	GRACE_MS = 200, /* a program that stops again within this time is not shown as running */
	LENT_MS = 30,
	LENT_WAIT_MS = 1000,
	DRAIN = 64 << 10,
	DRAIN_STOP = 1 << 20,
};

/* ---- news --------------------------------------------------------------------------------------- */

static void take_rows(struct tui *t, struct answer *a)
{
	struct pane *p = a->pane >= 0 && a->pane < t->panes.n ? t->panes.all[a->pane] : NULL;
	int needed = p ? p->needs : 0;

	if (!p || p->request.serial != a->serial)
		return;
	p->request.asked = false;
	if (a->failed && p->rows && t->program.life == LIFE_EXITED)
		return; /* the last rows stay readable */
	if (a->failed) {
		free(p->error);
		p->error = a->text;
		a->text = NULL;
		p->needs = 0;
	} else {
		pane_take(p, a);
	}
	if (p->needs != needed)
		tui_place(t);
}

static void take_answer(struct tui *t, struct answer *a)
{
	size_t n;

	switch (a->type) {
	case ASK_LINE:
		if (a->stop == t->program.stop)
			t->program.working = false;
		if (a->text && *a->text)
			tui_answer(t, a);
		n = a->text ? strcspn(a->text, "\n") : 0;
		if (a->failed)
			tui_last(t, true, "%s: refused", a->line);
		else if (a->quiet && n && !a->text[n + (a->text[n] == '\n')])
			tui_last(t, false, "%.*s", (int)n, a->text);
		else
			tui_last(t, false, "%s", a->line);
		t->last.fresh = a->failed || a->quiet; /* else it is what was typed */
		if (a->stop == t->program.stop)
			tui_stale(t, false);
		break;
	case ASK_ROWS:
		take_rows(t, a);
		break;
	case ASK_FIND:
		tui_search_take(t, a);
		break;
	case ASK_COMPLETE:
		tui_menu_take(t, a);
		break;
	case ASK_LINKS:
		tui_links_take(t, a);
		break;
	case ASK_BESIDE:
		if (a->stop == t->program.stop)
			tui_stale(t, false);
		break;
	case ASK_NONE:
		break;
	}
	t->screen.dirty = true;
}

/* Takes the answers of older stops (of a command that continued the program, or rows that came too late), or all
   answers; returns those that are left. */
static struct answer *take_answers(struct tui *t, struct answer *a, bool all)
{
	struct answer *next;

	for (; a && (all || a->stop != t->program.stop); a = next) {
		next = a->next;
		if (a->stop == t->program.stop || a->type == ASK_LINE)
			take_answer(t, a);
		answer_free(a);
	}
	return a;
}

static void take_said(struct tui *t, struct message *m)
{
	struct message *next;

	for (; m; m = next) {
		next = m->next;
		if (m->said == SAID_TEXT)
			tui_say(t, STYLE_TEXT, m->text);
		else
			tui_sayf(t, m->said == SAID_WARNING ? STYLE_ERROR : STYLE_NOTE, "%s%s",
				 m->said == SAID_WARNING ? "warning: " : "note: ", m->text);
		free(m->text);
		free(m);
	}
}

static void take_life(struct tui *t, const struct news *n)
{
	bool stop = n->stop != t->program.stop;
	bool past;

	if (n->life != t->program.life || stop) {
		if (n->life != t->program.life || t->program.life != LIFE_STOPPED)
			clock_gettime(CLOCK_MONOTONIC, &t->program.since);
		/* a resumed program's last status stays on the screen for the time of grace */
		t->program.life = n->life;
		t->program.stop = n->stop;
		t->program.working = false;
		if (stop) {
			progtty_drain(DRAIN_STOP); /* shows what it wrote before it stopped, then the stop */
			t->panes.output_then = t->panes.output_now;
			t->panes.output_now = console_total();
			tui_overlay_close(t);
			tui_actions_close(t);
			tui_stale(t, true);
			if (t->terminal.input_focus &&
			    t->panes.focus == t->panes.output) /* the input that the program asked for was typed */
				tui_focus(t, t->terminal.input_from);
			t->terminal.input_focus = false;
		}
		t->screen.dirty = true;
	}
	if (n->queued != t->program.queued) {
		t->program.queued = n->queued;
		if (n->queued && !t->program.working)
			clock_gettime(CLOCK_MONOTONIC, &t->program.since);
		t->screen.dirty = true;
	}
	if (n->status) {
		if (strcmp(val_text(n->status, "where"), val_text(t->program.status, "where")))
			tui_follow(t);
		past = tui_past(t) != NULL;
		val_free(t->program.status);
		t->program.status = n->status;
		if (past != (tui_past(t) != NULL))
			tui_place(t);
		if (stop && *val_text(t->program.status, "card"))
			tui_overlay_card(t, val_text(t->program.status, "card"));
		t->program.compiled |= *val_text(t->program.status, "entry") != '\0';
		t->screen.dirty = true;
	}
}

static void take_hand(struct tui *t, int hand, bool lend)
{
	if (hand < 0)
		return;
	t->terminal.lent = lend;
	t->terminal.lent_seen = false;
	clock_gettime(CLOCK_MONOTONIC, &t->terminal.lent_at);
	if (hand && !t->terminal.handed) {
		progtty_drain(DRAIN_STOP);
		term_leave();
	} else if (!hand && t->terminal.handed) {
		term_back();
		t->screen.repaint = t->screen.dirty = true;
	}
	t->terminal.handed = hand;
	channel_hand_done();
}

/* The program has opened the terminal by name.  The screen is shown again when no descriptor refers to it
   any more. */
static void watch_lent(struct tui *t)
{
	bool open_now = progtty_open_by_name();

	t->terminal.lent_seen |= open_now;
	if (open_now || (!t->terminal.lent_seen && tui_ms_since(&t->terminal.lent_at) < LENT_WAIT_MS))
		return;
	t->terminal.lent = t->terminal.handed = false;
	term_back();
	t->screen.repaint = t->screen.dirty = true;
}

static void take_news(struct tui *t)
{
	struct news n;

	channel_take(&n);
	if (n.views) {
		tui_views(t, n.views);
		tui_place(t); /* views may have headings */
	}
	take_life(t, &n);
	n.answers = take_answers(t, n.answers, false);
	take_said(t, n.said);
	take_answers(t, n.answers, true);
	if (n.call)
		channel_call_done(tui_verb(t, n.verb, n.args, n.out, n.err));
	if (n.question) {
		tui_ask_question(t, n.question);
	}
	if (n.input && t->panes.focus != t->panes.output) {
		t->terminal.input_focus = true;
		t->terminal.input_from = t->panes.focus;
		tui_focus(t, t->panes.output);
		t->panes.output->free = false;
	}
	take_hand(t, n.hand, n.lend);
	if (n.closing)
		t->bye = true;
}

/* A new size, or the process was stopped and continues. */
static void take_signals(struct tui *t)
{
	if (exit_restore_continued() && !t->terminal.handed) {
		term_back();
		t->screen.repaint = true;
	}
	if (t->screen.repaint || term_resized())
		t->screen.dirty = true;
}

/* ---- the loop ----------------------------------------------------------------------------------- */

/* Is everything shown, with no request or answer on its way? */
static bool settled(const struct tui *t)
{
	if (t->prompt.kind == PROMPT_QUESTION) /* nothing continues before the question is answered */
		return !t->keys.typed.len;
	return t->program.life != LIFE_NEW && !channel_busy() && !tui_awaits_rows(t) && !tui_search_waits(t) &&
	       !t->program.working && !t->program.queued && !t->keys.typed.len &&
	       !(t->program.nqueue && t->program.life == LIFE_STOPPED);
}

/* For tests that read marks: a screen counts as complete when the program has run this long and asks
   for nothing. */
static bool runs_on(const struct tui *t, long after)
{
	return t->program.life == LIFE_RUNS && !t->terminal.input_focus && tui_ms_since(&t->program.since) < after;
}

static bool held_back(const struct tui *t)
{
	bool coming = t->program.life == LIFE_RUNS || t->program.working || tui_awaits_rows(t);

	return coming && t->program.life != LIFE_NEW && tui_ms_since(&t->program.since) < GRACE_MS &&
	       !t->screen.repaint;
}

/* Text typed after a command waits for its result: a question, a stop, a request for a line. */
static bool keys_wait(const struct tui *t)
{
	return held_back(t) || tui_letter_wait(t) ||
	       tui_background_half(t, buf_str(&t->keys.typed), t->keys.typed.len) ||
	       (t->program.nqueue && !t->program.working &&
		(t->program.life == LIFE_STOPPED || t->program.life == LIFE_EXITED));
}

static void take_keys(struct tui *t)
{
	size_t i;
	struct key k;

	for (i = 0; i < t->keys.typed.len && !keys_wait(t); i++) {
		size_t burst, answer = 0;

		if (input_idle(&t->keys.input)) {
			if (tui_background_half(t, t->keys.typed.s + i, t->keys.typed.len - i))
				break;
			answer = tui_background_take(t, t->keys.typed.s + i, t->keys.typed.len - i);
		}
		if (answer) {
			t->keys.consumed += answer;
			i += answer - 1;
			continue;
		}
		if (input_idle(&t->keys.input))
			tui_overlay_typed(t, t->keys.typed.s + i, t->keys.typed.len - i);
		burst = tui_burst(t, t->keys.typed.s + i, t->keys.typed.len - i);

		t->screen.dirty = true;
		if (burst) {
			tui_last(t, true, "%zu characters came at once and were ignored: Esc first", t->keys.ignored);
			t->keys.consumed += burst;
			i += burst - 1;
			continue;
		}
		t->keys.consumed++;
		t->keys.left = t->keys.typed.len - i - 1;
		if (input_byte(&t->keys.input, (unsigned char)t->keys.typed.s[i], &k))
			tui_key(t, &k);
	}
	if (!i)
		return;
	memmove(t->keys.typed.s, t->keys.typed.s + i, t->keys.typed.len - i + 1);
	t->keys.typed.len -= i;
}

static void read_keys(struct tui *t)
{
	char b[4096];
	ssize_t n = term_ok() ? read(term_fd(), b, sizeof(b)) : -1;

	if (n < 0 && (errno == EINTR || errno == EAGAIN || !term_ok()))
		return;
	if (n <= 0 && t->terminal.remote) { /* the program runs on without us */
		channel_shut();
		t->bye = true;
		return;
	}
	if (n <= 0) { /* the terminal hung up */
		kill(getpid(), SIGHUP);
		t->bye = true;
		return;
	}
	buf_add(&t->keys.typed, b, (size_t)n);
	clock_gettime(CLOCK_MONOTONIC, &t->keys.typed_at);
}

/* How long to wait for events: until a half key, the time of grace or the clock is due. */
static int patience(const struct tui *t, bool held)
{
	long ms = tui_ms_since(&t->program.since);

	if (t->terminal.lent)
		return LENT_MS;
	if (input_pending(&t->keys.input) || tui_background_half(t, buf_str(&t->keys.typed), t->keys.typed.len))
		return ESC_MS;
	if (tui_background_wait(t))
		return tui_background_wait(t);
	if (tui_letter_wait(t))
		return (int)tui_letter_wait(t);
	if (held)
		return ms < GRACE_MS ? (int)(GRACE_MS - ms) : 1;
	/* the clock; and a program that runs may close what wakes us */
	return t->program.life == LIFE_STOPPED && !t->program.working && !t->program.queued ? -1 :
											      (int)(1000 - ms % 1000);
}

void tui_loop(struct tui *t, int news_fd)
{
	const char *ready = getenv("CDBG_READY"); /* milliseconds */
	bool marks = ready && *ready, held = false, late = false, marked = false;
	long after = marks ? atol(ready) : 0;
	struct timespec painted = { 0 };
	struct key k;

	t->keys.driven = marks;
	while (!t->bye) {
		struct pollfd pf[3] = {
			{ .fd = -1, .events = POLLIN },
			{ .fd = news_fd, .events = POLLIN },
			{ .fd = progtty_fd(), .events = (short)(POLLIN | (progtty_typing() ? POLLOUT : 0)) },
		};
		int n, wait;

		t->lost = !tui_intact();
		if (t->lost)
			return;
		tui_ask(t);
		late = held;
		held = held_back(t);
		if (!t->terminal.handed && !held)
			pf[0].fd = term_fd();
		if (t->keys.typed.len && !keys_wait(t)) {
			take_keys(t);
			marked = false;
			continue;
		}
		wait = patience(t, held);
		if ((t->screen.dirty || (marks && !marked)) && !input_pending(&t->keys.input) && !t->terminal.handed) {
			n = poll(pf, 3, 0);
			if (!held && t->screen.dirty && !tui_background_wait(t) &&
			    (n == 0 || tui_ms_since(&painted) >= FRAME_MS)) {
				tui_paint(t);
				marked = false;
				clock_gettime(CLOCK_MONOTONIC, &painted);
				continue; /* a new size may need other rows */
			}
			if (n == 0 && marks && !marked && !held && !t->screen.dirty && settled(t) &&
			    !runs_on(t, after)) {
				term_ready(t->keys.consumed);
				marked = true;
			}
			if (n > 0 || (t->screen.dirty && !held && !tui_background_wait(t)))
				wait = 0;
		}
		n = poll(pf, 3, wait);
		if (n < 0)
			continue;
		if (t->terminal.lent)
			watch_lent(t);
		if (n == 0) {
			if (input_pending(&t->keys.input) && input_flush(&t->keys.input, &k))
				tui_key(t, &k);
			t->screen.dirty |= t->program.life == LIFE_RUNS || t->program.working || t->program.queued;
			take_news(t); /* the program may have closed what wakes us */
			continue;
		}
		if (pf[1].revents) {
			take_news(t);
			take_signals(t);
			marked = false;
		}
		if (pf[2].revents & POLLOUT)
			progtty_flush();
		if (pf[2].revents & POLLIN)
			t->screen.dirty |= progtty_drain(DRAIN);
		if (pf[0].revents) {
			read_keys(t);
			t->keys.late = late;
			marked = false;
		}
	}
}
