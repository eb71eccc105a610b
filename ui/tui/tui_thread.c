/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends the UI thread, and gives it a table of descriptors of its own.  Never takes the GIL. */
#include "config.h"
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/ownfd.h"
#include "base/sigstack.h"
#include "engine/option.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "ui/output/console.h"
#include "ui/tui/exit_restore.h"
#include "ui/line/editor.h"
#include "ui/line/libedit.h"
#include "ui/lost_fds.h"
#include "ui/output/progtty.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

static struct {
	struct tui *ui;
	struct editor *editor; /* while it is open */
	pthread_t thread;
	atomic_bool lost; /* it has ended because the program took its descriptors */
	bool private, quiet;
	int news_fd;
	struct err failed;
	pthread_mutex_t lock;
	pthread_cond_t ready;
	int state; /* of its start: 0 begins, 1 well, -1 failed */
} ut = { .lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER };

static char *home_file(const char *name)
{
	const char *home = getenv("HOME");

	return home && *home ? mem_fmt("%s/%s", home, name) : NULL;
}

static int ui_begin(struct tui *t, struct err *err)
{
	struct err why;

	if (term_open(err) < 0)
		return -1;
	libedit_history_size(option_number(session_get(), "history-size")); /* the session waits for us */
	t->prompt.editor = ut.editor = editor_hidden(err);
	if (!ut.editor) {
		term_close();
		return -1;
	}
	t->screen.colours = t->screen.hints = true;
	snprintf(t->screen.theme, sizeof(t->screen.theme), "auto");
	snprintf(t->screen.colour, sizeof(t->screen.colour), "auto");
	tui_theme(t);
	tui_background_ask(t);
	t->layouts.file = home_file(".cdbg_layouts");
	if (t->layouts.file && layouts_load(t->layouts.file, &why) < 0)
		tui_sayf(t, STYLE_NOTE, "note: %s", why.text);
	term_size(&t->screen.rows, &t->screen.cols);
	tui_views(t, NULL);
	if (tui_layout(t, layouts_last(), &why) < 0) {
		tui_sayf(t, STYLE_NOTE, "note: %s", why.text);
		tui_layout(t, "default", &why);
	}
	if (!ut.quiet)
		tui_say(t, STYLE_NOTE,
			"cdbg " PACKAGE_VERSION
			": 'help' lists commands, F1 keys, S-Tab goes to the panes, 'quit' leaves");
	t->screen.dirty = t->screen.repaint = true;
	return 0;
}

static void close_editor(struct tui *t)
{
	editor_close(t->prompt.editor);
	t->prompt.editor = ut.editor = NULL;
}

static void ui_end(struct tui *t)
{
	progtty_drain(16 << 20);
	if (term_live() && t->screen.grid.now)
		tui_paint(t);
	tui_background_end(t);
	close_editor(t);
	term_close();
}

bool tui_intact(void)
{
	return term_ok() && progtty_ok() && editor_ok(ut.editor) && channel_ok();
}

/* Writes the last screenful of the program's output to the terminal, when the pane is gone.  It is not written to
   the program's own descriptors, which may be anything. */
void tui_tell_output(const struct tui *t)
{
	int fd = lost_fds_terminal();

	if (fd < 0)
		return;
	console_tail(fd, t->screen.rows > 2 ? (unsigned long)t->screen.rows - 2 : 1);
	close(fd);
}

/* The program has closed or replaced descriptors of the screen, which it can where the UI thread has no table of
   its own.  Gives the program its terminal back at once, and requests a stop at which the session ends. */
static void ui_lost(struct tui *t)
{
	progtty_drain(16 << 20);
	term_lost();
	if (!t->terminal.handed && !t->terminal.elsewhere)
		tui_tell_output(t);
	progtty_give();
	lost_fds_say(progtty_saved(2));
	if (editor_ok(ut.editor))
		close_editor(t);
	atomic_store(&ut.lost, true);
	channel_shut();
	if (t->program.life == LIFE_RUNS || t->program.life == LIFE_NEW)
		hook_interrupt();
}

static void *ui_main(void *arg)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	struct tui *t = arg;
	int state;

	if (locale)
		uselocale(locale); /* the program's setlocale() changes nothing here */
	pthread_setname_np(pthread_self(), "cdbg-ui");
	term_thread_is_self();
	sigstack_thread();
	ut.private = ownfd_private() == 0;
	state = ui_begin(t, &ut.failed) < 0 ? -1 : 1;
	pthread_mutex_lock(&ut.lock);
	ut.state = state;
	pthread_cond_broadcast(&ut.ready);
	pthread_mutex_unlock(&ut.lock);
	if (state > 0) {
		tui_loop(t, ut.news_fd);
		if (t->lost || !tui_intact())
			ui_lost(t);
		else
			ui_end(t);
	}
	return NULL;
}

void tui_thread_join(void)
{
	pthread_join(ut.thread, NULL);
	ownfd_reap();
}

void tui_thread_woken(void)
{
	ut.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ut.ready = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	ut.ui->prompt.editor = ut.editor = NULL; /* its descriptors are in the table of a thread that is not here */
	ut.lost = false;
	ownfd_reap();
}

bool tui_thread_is_self(void)
{
	return pthread_equal(pthread_self(), ut.thread);
}

bool tui_thread_private(void)
{
	return ut.private;
}

bool tui_thread_lost(void)
{
	return ut.lost;
}

int tui_thread_start(struct tui *t, int news_fd, bool quiet, struct err *err)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t all, before;
	size_t i;
	int failed;

	ut.ui = t;
	ut.news_fd = news_fd;
	ut.quiet = quiet;
	ut.state = 0;
	ut.lost = false;
	sigfillset(&all);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&ut.thread, NULL, ui_main, ut.ui);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return err_set(err, "cannot start the screen's thread: %s", strerror(failed));
	pthread_mutex_lock(&ut.lock);
	while (!ut.state)
		pthread_cond_wait(&ut.ready, &ut.lock);
	pthread_mutex_unlock(&ut.lock);
	if (ut.state > 0)
		return 0;
	tui_thread_join();
	*err = ut.failed;
	return -1;
}

void tui_free(struct tui *t)
{
	int i;

	for (i = 0; i < t->panes.n; i++)
		pane_free(t->panes.all[i]);
	free(t->panes.all);
	layout_free(t->layouts.current);
	while (t->messages.n)
		free(t->messages.line[--t->messages.n].text);
	free(t->messages.line);
	while (t->program.nqueue)
		free(t->program.queue[--t->program.nqueue].line);
	grid_release(&t->screen.grid);
	input_release(&t->keys.input);
	buf_release(&t->keys.typed);
	buf_release(&t->prompt.line);
	buf_release(&t->prompt.label);
	tui_search_release(t);
	tui_menu_release(t);
	tui_actions_release(t);
	tui_filter_release(t);
	tui_overlay_release(t);
	val_free(t->program.status);
	val_free(t->links.list);
	free(t->links.row);
	free(t->prompt.question);
	buf_release(&t->prompt.answer);
	free(t->program.working_line);
	free(t->last.text);
	free(t->program.row_line);
	free(t->layouts.file);
	free(t);
}
