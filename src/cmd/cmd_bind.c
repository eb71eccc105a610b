/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: bind, and tty.  A key is a name for a command line; the table is the engine's. */
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/keys.h"
#include "engine/screen.h"

static void say_binding(struct buf *out, const struct key_binding *k)
{
	size_t from = out->len;

	buf_adds(out, k->key);
	buf_pad(out, 10, from);
	buf_addf(out, "%-5s %s\n", keys_where_name(k->where), k->line);
}

/* Chords have a space inside: they are quoted, "C-x o". */
static int take_key(const char **args, struct buf *key, struct err *err)
{
	const char *end;

	if (**args != '"')
		return cmd_word(args, key) ? 0 :
					     err_set(err, "missing key: 'bind KEY COMMAND'; 'info keys' lists "
							  "the keys");
	end = strchr(*args + 1, '"');
	if (!end)
		return err_set(err, "missing '\"' at the end of the key");
	buf_add(key, *args + 1, (size_t)(end - *args - 1));
	*args = end + 1 + strspn(end + 1, " \t");
	return 0;
}

static int run_bind(struct session *s, const char *args, struct reply *out, struct err *err)
{
	enum key_where where = KEYS_PANE;
	struct buf key = { 0 };
	struct key_binding k;
	size_t i;
	int ret = 0;

	(void)s;
	if (!strncmp(args, "-a ", 3) || !strncmp(args, "-l ", 3)) {
		where = args[1] == 'a' ? KEYS_ALL : KEYS_LINE;
		args += 3 + strspn(args + 3, " \t");
	}
	if (!*args) {
		for (i = 0; keys_at(i, &k); i++)
			if (*k.line)
				say_binding(&out->text, &k);
		return 0;
	}
	if (take_key(&args, &key, err) < 0) {
		ret = -1;
	} else if (!*args) {
		for (i = 0; keys_at(i, &k); i++)
			if (!strcmp(k.key, key.s) && *k.line)
				say_binding(&out->text, &k);
		if (!out->text.len)
			ret = err_set(err, "key '%s' has no command: 'bind %s COMMAND' gives it one", key.s, key.s);
	} else {
		ret = keys_bind(where, key.s, strcmp(args, "\"\"") ? args : "", err);
	}
	buf_release(&key);
	return ret;
}

static int run_tty(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)s;
	if (!*args)
		return err_set(err, "missing terminal: 'tty /dev/pts/N'; the shell command 'tty' prints this name");
	return screen_run("tty", args, &out->text, err);
}

const struct cmd_def cmd_bind[] = {
	{ .name = "bind",
	  .args = "[-a|-l] [KEY [COMMAND]]",
	  .help = "bind a key to a command line",
	  .more = "The key works while a pane has the focus; -l: on the command line; -a: in both.\n"
		  "KEY is a character, C-x, M-x, F1 to F12, or a name that 'info keys' shows; several\n"
		  "keys are quoted: \"C-x o\".  COMMAND \"\" removes the binding.",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_RAW | CMD_GONE,
	  .run = run_bind },
	{ .name = "tty",
	  .args = "DEVICE",
	  .help = "move the full screen to another terminal",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .run = run_tty },
	{ .name = NULL },
};
