/* SPDX-License-Identifier: BSD-3-Clause */
/* A small program inside this process, stopped under cdbg: targets that need frames, code and names run at that stop.
   What inputs evaluate finds neither import nor open() among the builtins.  Knows no parser. */
#include "fuzz.h"
#include <Python.h>
#include <ctype.h>
#include <unistd.h>
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/cmd_table.h"
#include "engine/dispatch.h"
#include "engine/option_table.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "ui/json/val_json.h"
#include "view/view_table.h"
#include "view/view.h"

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
PyMODINIT_FUNC PyInit__cdbg(void);

static const char program[] = "class Point:\n"
			      "    def __init__(self, x, y=2):\n"
			      "        self.x, self.y = x, y\n"
			      "    def __len__(self):\n"
			      "        return self.x\n"
			      "def numbers(n):\n"
			      "    try:\n"
			      "        for i in range(n):\n"
			      "            yield i\n"
			      "    finally:\n"
			      "        n = None\n"
			      "def work(n, *rest, key=None, **more):\n"
			      "    total, text, point = 0, 'text', Point(n)\n"
			      "    gen = numbers(n)\n"
			      "    def inner(a):\n"
			      "        return a + total\n"
			      "    for i in gen:\n"
			      "        with_value = [total, inner(i)]\n"
			      "        total += with_value[1]\n"
			      "    return total\n"
			      "work(3, 4, key='k', other=5)\n";

static struct {
	int argc, stops;
	char **argv;
	struct session *s;
} live;

static int one(const uint8_t *data, size_t size)
{
	return fuzz_at_stop(live.s, data, size);
}

static void command(struct session *s, const char *line)
{
	struct reply r = { .rows = NULL };
	struct err err = { "" };

	if (cmd_execute(s, line, &r, &err) < 0)
		BUG("%s: %s", line, err.text);
	reply_release(&r);
}

bool fuzz_harmless(struct session *s, const char *line)
{
	static const char *const never[] = { "source", "save", "tty", "restart", "kill", "python" };
	const struct cmd_def *c;
	struct buf word = { 0 };
	const char *args = line;
	bool good;
	size_t i;

	line += strspn(line, " \t\r");
	good = !strstr(line, "**") && !strstr(line, "<<") && !strstr(line, "for") && !strstr(line, "*9") &&
	       !strstr(line, "log") && !strstr(line, "out");
	for (i = 0; line[i] && (isalnum((unsigned char)line[i]) || line[i] == '-'); i++)
		;
	buf_add(&word, line, i);
	c = *buf_str(&word) ? cmd_find(buf_str(&word), NULL) : NULL;
	for (i = 0; c && i < sizeof(never) / sizeof(*never); i++)
		if (!strcmp(c->name, never[i]))
			good = false;
	if (good && cmd_is_python(s, args) && !cmd_gathering(s))
		good = strlen(line) < 60;
	buf_release(&word);
	return good;
}

void fuzz_run(struct session *s, const char *line)
{
	struct reply r = { .rows = NULL };
	struct err err = { "" };
	struct buf text = { 0 };

	if (cmd_execute(s, line, &r, &err) < 0)
		HOLDS(*err.text);
	if (r.rows) {
		view_text(s, r.rows, &text);
		json_add_rows(&text, r.rows, NULL);
	}
	reply_release(&r);
	buf_release(&text);
	s->resume = RESUME_NONE;
}

static void stopped(struct session *s, const struct event *ev)
{
	(void)ev;
	if (live.stops++ == 0) {
		command(s, "break 18");
		s->resume = RESUME_GO;
		return;
	}
	command(s, "delete");
	live.s = s;
	LLVMFuzzerRunDriver(&live.argc, &live.argv, one);
	_exit(0);
}

static void quiet_note(struct session *s, enum note_level level, const char *text)
{
	(void)s;
	(void)level;
	(void)text;
}

static void quiet_say(struct session *s, const char *text)
{
	(void)s;
	(void)text;
}

static void exited(struct session *s, int status)
{
	(void)status;
	s->resume = RESUME_QUIT;
}

static bool confirm(struct session *s, const char *question)
{
	(void)s;
	(void)question;
	return true;
}

static const struct front_ops front = {
	.name = "fuzz",
	.stopped = stopped,
	.note = quiet_note,
	.say = quiet_say,
	.exited = exited,
	.confirm = confirm,
};

/* Names for the program: builtins that only compute. */
static PyObject *globals(void)
{
	static const char *const names[] = {
		"__build_class__", "len",  "range",	"int",	      "str",	"list", "dict", "repr",
		"isinstance",	   "type", "Exception", "ValueError", "sorted", "abs",	NULL
	};
	PyObject *all = PyEval_GetBuiltins(), *few = PyDict_New(), *g = PyDict_New();
	int i;

	for (i = 0; names[i]; i++)
		PyDict_SetItemString(few, names[i], PyDict_GetItemString(all, names[i]));
	PyDict_SetItemString(g, "__builtins__", few);
	PyDict_SetItemString(g, "__name__", PyUnicode_FromString("__main__"));
	return g;
}

int main(int argc, char **argv)
{
	PyPreConfig before;
	PyConfig config;
	struct err err = { "" };
	struct session *s;
	PyObject *code, *names;

	live.argc = argc;
	live.argv = argv;
	PyPreConfig_InitIsolatedConfig(&before);
	before.allocator = PYMEM_ALLOCATOR_MALLOC; /* the sanitizer sees each block */
	Py_PreInitialize(&before);
	PyConfig_InitIsolatedConfig(&config);
	config.install_signal_handlers = 0;
	PyConfig_SetBytesString(&config, &config.program_name, FUZZ_PYTHON);
	if (PyStatus_Exception(Py_InitializeFromConfig(&config)) || !PyInit__cdbg())
		BUG("no interpreter");
	event_add(event_table);
	view_add(view_table);
	cmd_add(cmd_table);
	s = session_new(&front);
	option_add(s, option_table);
	if (session_start(s, &err) < 0)
		BUG("%s", err.text);
	code = Py_CompileString(program, "/program.py", Py_file_input);
	session_stop_at(s, (struct py_code *)code);
	names = globals();
	PyEval_EvalCode(code, names, names);
	PyErr_Print();
	BUG("the program was not stopped");
}
