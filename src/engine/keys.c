/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of keys.  Read by the thread that draws, changed by commands: both take the lock. */
#include "engine/keys.h"
#include <pthread.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"

static const struct key_binding defaults[] = {
	/* run the program: gdb's single keys */
	{ KEYS_PANE, "s", "step", "step a line, or a region of generated code", .label = "step", .pane_rank = 2 },
	{ KEYS_PANE, "n", "next", "step over calls", .label = "over", .pane_rank = 3 },
	{ KEYS_PANE, "i", "stepi", "step one instruction", .label = "instruction", .pane_rank = 1 },
	{ KEYS_PANE, "o", "nexti", "step one instruction, over calls" },
	{ KEYS_PANE, "c", "continue", "continue the program", .label = "continue", .pane_rank = 13 },
	{ KEYS_PANE, "f", "finish", "run to the end of the frame", .label = "finish", .pane_rank = 14 },
	{ KEYS_PANE, "u", "up", "select the caller", .label = "up", .pane_rank = 17 },
	{ KEYS_PANE, "d", "down", "select the callee", .label = "down", .pane_rank = 18 },
	{ KEYS_PANE, "w", "where", "print the frames" },
	{ KEYS_PANE, "t", "tui run-to", "run to the row of the cursor", .label = "run to", .pane_rank = 4 },
	{ KEYS_PANE, "b", "tui break", "set or delete a breakpoint at the row of the cursor" },
	{ KEYS_PANE, "q", "quit", "leave the debugger" },
	/* move in a pane: vi's keys */
	{ KEYS_PANE, "j", "tui scroll down", "next row" },
	{ KEYS_PANE, "Down", "tui scroll down", "next row" },
	{ KEYS_PANE, "k", "tui scroll up", "previous row" },
	{ KEYS_PANE, "Up", "tui scroll up", "previous row" },
	{ KEYS_PANE, "h", "tui scroll left", "scroll left" },
	{ KEYS_PANE, "Left", "tui close scroll left", "close the row, else scroll left" },
	{ KEYS_PANE, "l", "tui scroll right", "scroll right" },
	{ KEYS_PANE, "Right", "tui open scroll right", "open the row, else scroll right" },
	{ KEYS_PANE, "g", "tui scroll top", "first row" },
	{ KEYS_PANE, "Home", "tui scroll top", "first row" },
	{ KEYS_PANE, "G", "tui scroll bottom", "last row" },
	{ KEYS_PANE, "End", "tui scroll bottom", "last row" },
	{ KEYS_PANE, "PageDown", "tui scroll pagedown", "next page" },
	{ KEYS_PANE, "C-f", "tui scroll pagedown", "next page" },
	{ KEYS_PANE, "PageUp", "tui scroll pageup", "previous page" },
	{ KEYS_PANE, "C-b", "tui scroll pageup", "previous page" },
	{ KEYS_PANE, "C-d", "tui scroll halfdown", "next half page" },
	{ KEYS_PANE, "C-u", "tui scroll halfup", "previous half page" },
	{ KEYS_PANE, ".", "tui scroll current", "return to the current row" },
	{ KEYS_PANE, "H", "tui scroll current", "return to the current row" },
	{ KEYS_PANE, "/", "tui search", "search the pane", .label = "find", .pane_rank = 9 },
	{ KEYS_PANE, "C-n", "tui match next", "next match" },
	{ KEYS_PANE, "C-p", "tui match previous", "previous match" },
	{ KEYS_PANE, "&", "tui filter", "show only the rows with a text", .label = "filter", .pane_rank = 10 },
	{ KEYS_PANE, "m", "tui menu", "open the menu of actions", .label = "actions", .pane_rank = 8 },
	{ KEYS_PANE, "?", "tui help", "help for this pane" },
	/* act on the selected row */
	{ KEYS_PANE, "Enter", "tui follow", "follow the row", .pane_rank = 6 },
	{ KEYS_PANE, "Space", "tui toggle", "fold a region, toggle a breakpoint, or drop a guard", .pane_rank = 5 },
	{ KEYS_PANE, "e", "tui edit", "edit the value of the row on the command line", .pane_rank = 7 },
	{ KEYS_PANE, "=", "tui format next", "show the value of the row in its next form" },
	{ KEYS_PANE, "v", "tui row", "show the row in full" },
	{ KEYS_PANE, "}", "view -next", "next table of the tensor that is viewed" },
	{ KEYS_PANE, "{", "view -prev", "previous table of it" },
	/* panes */
	{ KEYS_PANE, "Tab", "focus next", "next pane", .label = "next pane", .pane_rank = 15 },
	{ KEYS_ALL, "S-Tab", "focus prev", "previous pane", .label = "panes", .line_rank = 3 },
	{ KEYS_PANE, "V", "focus locals", NULL },
	{ KEYS_PANE, "S", "focus stack", NULL },
	{ KEYS_PANE, "B", "focus breakpoints", NULL },
	{ KEYS_PANE, "C", "focus asm", NULL },
	{ KEYS_PANE, "O", "focus output", NULL },
	{ KEYS_PANE, ":", "tui prompt", "go to the command line" },
	{ KEYS_PANE, "Esc", "focus cmd", "go to the command line", .label = "prompt", .pane_rank = 12 },
	{ KEYS_PANE, "!", "tui prompt !", "type a Python statement" },
	{ KEYS_PANE, "z", "zoom", "show the pane alone, or all again", .label = "zoom", .pane_rank = 16 },
	{ KEYS_PANE, "x", "hide", "hide the pane" },
	{ KEYS_PANE, "+", "tui open winheight +1", "open the row; else make the pane higher" },
	{ KEYS_PANE, "-", "tui close winheight -1", "close the row; else make the pane lower" },
	{ KEYS_PANE, ">", "winwidth +2", "wider" },
	{ KEYS_PANE, "<", "winwidth -2", "narrower" },
	{ KEYS_PANE, "]", "tui slot next", "next pane in the layout's free place" },
	{ KEYS_PANE, "[", "tui slot prev", "previous pane there" },
	{ KEYS_ALL, "M-1", "tui pane 1", "the pane with that number" },
	{ KEYS_ALL, "M-2", "tui pane 2", NULL },
	{ KEYS_ALL, "M-3", "tui pane 3", NULL },
	{ KEYS_ALL, "M-4", "tui pane 4", NULL },
	{ KEYS_ALL, "M-5", "tui pane 5", NULL },
	{ KEYS_ALL, "M-6", "tui pane 6", NULL },
	{ KEYS_ALL, "M-7", "tui pane 7", NULL },
	{ KEYS_ALL, "M-8", "tui pane 8", NULL },
	{ KEYS_ALL, "M-9", "tui pane 9", NULL },
	/* everywhere */
	{ KEYS_ALL, "M-a", "tui answer", "open the last long answer again, or the one before" },
	{ KEYS_ALL, "M-k", "tui keep", "keep the open answer as a pane" },
	{ KEYS_ALL, "M-m", "tui menu", "open the menu of actions" },
	{ KEYS_ALL, "M-&", "tui filter", "show only the rows with a text" },
	{ KEYS_ALL, "C-l", "refresh", "redraw the screen" },
	{ KEYS_ALL, "C-x o", "focus next", "next pane" },
	{ KEYS_ALL, "C-x 1", "zoom", "show the pane alone, or all again" },
	{ KEYS_ALL, "C-x 2", "layout next", "next layout" },
	{ KEYS_ALL, "C-x a", "tui disable", "leave the full screen" },
	{ KEYS_PANE, "C-x s", "focus source", NULL },
	{ KEYS_ALL, "PageUp", "tui scroll pageup", "on the command line: scroll its answers" },
	{ KEYS_ALL, "PageDown", "tui scroll pagedown", "on the command line: scroll its answers" },
	{ KEYS_ALL, "F1", "tui help", "help for the pane", .label = "help", .pane_rank = 11, .line_rank = 4 },
	{ KEYS_ALL, "F2", "layout next", "next layout", .label = "layout", .line_rank = 5 },
	{ KEYS_ALL, "F3", "focus next", "next pane" },
	{ KEYS_ALL, "F4", "zoom", "show the pane alone, or all again" },
	{ KEYS_ALL, "F5", "continue", "continue the program", .label = "continue", .line_rank = 6 },
	{ KEYS_PANE, "F6", "focus output", "in a pane: go to the output pane" },
	{ KEYS_ALL, "F7", "stepi", "step one instruction", .label = "instruction", .line_rank = 9 },
	{ KEYS_ALL, "F8", "nexti", "step one instruction, over calls" },
	{ KEYS_ALL, "F9", "tui break", "set or delete a breakpoint at the row of the cursor" },
	{ KEYS_ALL, "F10", "next", "step over calls", .label = "over", .line_rank = 8 },
	{ KEYS_ALL, "F11", "step", "step a line or a region", .label = "step", .line_rank = 7 },
	{ KEYS_ALL, "S-F5", "rcontinue", "recorded: back to where something set now was hit" },
	{ KEYS_ALL, "S-F6", "now", "recorded: return from the past" },
	{ KEYS_ALL, "S-F7", "rstepi", "recorded: back one instruction" },
	{ KEYS_ALL, "S-F8", "rstep", "recorded: back a line or a region" },
	{ KEYS_ALL, "S-F10", "rnext", "recorded: back over calls" },
	{ KEYS_ALL, "S-F12", "rfinish", "recorded: back to the call of the frame" },
	{ KEYS_ALL, "S-F11", "finish", "run to the end of the frame" },
	{ KEYS_ALL, "F12", "finish", "run to the end of the frame" },
	/* the line editor's own, which have no command line */
	{ KEYS_LINE, "Tab", "", "complete the word", .label = "complete", .line_rank = 1 },
	{ KEYS_LINE, "Up", "", "the line before", .label = "history", .line_rank = 2 },
	{ KEYS_LINE, "C-r", "", "search the history", .label = "search history", .line_rank = 10 },
};

static const char *const named[] = { "Tab",    "S-Tab",	   "Enter",   "Esc",	"Space",  "Backspace", "Up",
				     "Down",   "Left",	   "Right",   "Home",	"End",	  "Insert",    "Delete",
				     "PageUp", "PageDown", "C-Up",    "C-Down", "C-Left", "C-Right",   "S-Up",
				     "S-Down", "S-Left",   "S-Right", NULL };

static struct {
	pthread_mutex_t lock;
	struct key_binding *key;
	size_t n, cap;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The first use copies the defaults.  With the lock held. */
static void copy_defaults(void)
{
	size_t i, n = sizeof(defaults) / sizeof(*defaults);

	if (table.n)
		return;
	table.key = mem_grow(table.key, &table.cap, n, sizeof(*table.key));
	for (i = 0; i < n; i++)
		table.key[i] = defaults[i];
	table.n = n;
}

bool keys_at(size_t i, struct key_binding *out)
{
	bool there;

	pthread_mutex_lock(&table.lock);
	copy_defaults();
	there = i < table.n;
	if (there)
		*out = table.key[i];
	pthread_mutex_unlock(&table.lock);
	return there;
}

static bool counts(const struct key_binding *k, bool line)
{
	return *k->line && (k->where == KEYS_ALL || (k->where == KEYS_LINE) == line);
}

/* A binding of the pane takes precedence over one for everywhere. */
const char *keys_find(const char *key, bool line)
{
	const char *found = NULL;
	size_t i;

	pthread_mutex_lock(&table.lock);
	copy_defaults();
	for (i = 0; i < table.n; i++)
		if (counts(&table.key[i], line) && !strcmp(table.key[i].key, key) &&
		    (!found || table.key[i].where != KEYS_ALL))
			found = table.key[i].line;
	pthread_mutex_unlock(&table.lock);
	return found;
}

const char *keys_of(const char *line)
{
	const char *found = "";
	size_t i;

	pthread_mutex_lock(&table.lock);
	copy_defaults();
	for (i = 0; i < table.n && !*found; i++)
		if (counts(&table.key[i], false) && !strcmp(table.key[i].line, line))
			found = table.key[i].key;
	pthread_mutex_unlock(&table.lock);
	return found;
}

bool keys_prefix(const char *key, bool line)
{
	size_t i, n = strlen(key);
	bool found = false;

	pthread_mutex_lock(&table.lock);
	copy_defaults();
	for (i = 0; i < table.n; i++)
		found |= counts(&table.key[i], line) && !strncmp(table.key[i].key, key, n) &&
			 table.key[i].key[n] == ' ';
	pthread_mutex_unlock(&table.lock);
	return found;
}

/* One key's name: a character, C-x, M-x, F1..F12, S-F1.., or a name above. */
static bool key_name(const char *s, size_t n)
{
	size_t i;

	if (n > 2 && s[0] == 'S' && s[1] == '-' && s[2] == 'F')
		return key_name(s + 2, n - 2);
	if (n >= 2 && n <= 3 && s[0] == 'F' && s[1] >= '1' && s[1] <= '9')
		return n == 2 || (s[1] == '1' && s[2] >= '0' && s[2] <= '2');
	for (i = 0; named[i]; i++)
		if (strlen(named[i]) == n && !strncmp(named[i], s, n))
			return true;
	if (n > 2 && (s[0] == 'C' || s[0] == 'M') && s[1] == '-') {
		s += 2;
		n -= 2;
	}
	return n > 0 && text_width(s) > 0 && n <= 4 && (n == 1 || (unsigned char)s[0] >= 0xc2);
}

static bool key_names(const char *s)
{
	size_t n;

	for (; *s; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		if (!key_name(s, n))
			return false;
	}
	return true;
}

int keys_bind(enum key_where where, const char *key, const char *line, struct err *err)
{
	struct key_binding *k = NULL;
	size_t i;

	if (!*key || !key_names(key))
		return err_set(err,
			       "invalid key '%s': expected a character, C-x, M-x, F1 to F12 or a name that "
			       "'info keys' lists",
			       key);
	pthread_mutex_lock(&table.lock);
	copy_defaults();
	for (i = 0; i < table.n; i++)
		if (table.key[i].where == where && !strcmp(table.key[i].key, key))
			k = &table.key[i];
	if (!k) {
		table.key = mem_grow(table.key, &table.cap, table.n + 1, sizeof(*table.key));
		k = &table.key[table.n++];
		k->key = mem_str(key);
		k->where = where;
	}
	k->line = mem_str(line); /* the old text may be in use: kept */
	k->help = NULL;
	k->user = true;
	pthread_mutex_unlock(&table.lock);
	return 0;
}

const char *keys_where_name(enum key_where w)
{
	return w == KEYS_PANE ? "pane" : w == KEYS_LINE ? "line" : "all";
}
