/* SPDX-License-Identifier: BSD-3-Clause */
/* The extension module _cdbg: joins the floors, and is what __init__.py and __main__.py call.  Nobody includes it. */
#include "config.h"
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ask.h"
#include "base/buf.h"
#include "base/visible.h"
#include "attach/attach.h"
#include "attach/inject.h"
#include "attached.h"
#include "breakpoint.h"
#include "cmd/serve.h"
#include "cmd/cmd_table.h"
#include "engine/dispatch.h"
#include "engine/session_end.h"
#include "engine/option.h"
#include "engine/option_table.h"
#include "engine/procs.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "event/event_table.h"
#include "front_ends.h"
#include "listen.h"
#include "plugin_load.h"
#include "py/crash/crash.h"
#include "py/hook/hook.h"
#include "py/interp/gil_thread.h"
#include "py/interp/host.h"
#include "py/interp/interp.h"
#include "py/record/record_gone.h"
#include "py/value/value.h"
#include "restart.h"
#include "script.h"
#include "source_api.h"
#include "ui/args.h"
#include "ui/front.h"
#include "ui/ranks/rank_join.h"
#include "ui/ranks/ranks_main.h"
#include "ui/wire/conversation.h"
#include "view/view_table.h"

static struct args args = { .talk_fd = -1, .restart_fd = -1, .dap_start.given = -1 };
static char **arg_text;			   /* what args points into */
static bool left;			   /* the user detached: breakpoint() does nothing any more */
static enum lent { OWN, ASKED, RUN } lent; /* to a test runner: who waits for an answer, or runs a test: see lend() */
static bool post_mortem;		   /* frames that have exited are looked at */
static bool quits;			   /* ... and `quit` was given */
static const char TERMINAL_PROGRAM[] = "set terminal program";
static PyObject *finder; /* in sys.meta_path while the session lasts; owned */

static PyObject *raise_err(const struct err *err)
{
	PyErr_SetString(PyExc_RuntimeError, err->text);
	return NULL;
}

/* ---- how a session ends ---------------------------------------------------------------------------------- */

static void drop_finder(void)
{
	PyObject *type, *value, *tb, *path, *r;

	if (!finder)
		return;
	PyErr_Fetch(&type, &value, &tb);
	path = PySys_GetObject("meta_path");
	r = path ? PyObject_CallMethod(path, "remove", "O", finder) : NULL;
	Py_XDECREF(r);
	Py_CLEAR(finder);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

/* The cells of a notebook are the kernel's, whose state is the person's work: `quit` ends a cell. */
static enum lent lent_now(void)
{
	if (lent != OWN || args.command || !host_in_kernel())
		return lent;
	return post_mortem ? ASKED : RUN;
}

/* The front end has left the terminal.  At a prompt of Python a person may call breakpoint() again. */
static void on_release(struct session *s)
{
	if (!s->detached)
		return;
	left = lent == OWN && !args.attached && (args.command || (!s->unanswered && !host_at_prompt()));
	breakpoint_hook(false);
	plugin_detached();
	drop_finder();
}

/*
 * `quit` before the program has ended: flush its output, restore the terminal and exit with status 0 (or the status
 * given to quit), without atexit functions and finally clauses, as when gdb kills it.
 */
static void end_process(struct session *s, bool restart)
{
	struct err err = { "" };
	struct buf said = { 0 };
	struct restart r;
	enum lent how = restart ? OWN : lent_now();

	if (how != OWN) {
		quits = true;
		session_detach(s);
		if (how == RUN)
			PyErr_SetInterrupt();
		return;
	}
	if (restart && restart_prepare(&r, s, &err) < 0) {
		session_note(s, NOTE_WARNING, "%s", err.text);
		return;
	}
	host_flush();
	s->front->release(s);
	if (!restart)
		_exit(s->status);
	if (s->front->again) {
		s->front->again(s, &said);
		restart_say(&r, &said);
	}
	restart_now(&r, &err);
	dprintf(2, "cdbg: %s\n", err.text);
	_exit(1);
}

/* ---- start ------------------------------------------------------------------------------------------------- */

static char *folder_beside(const char *name)
{
	static const char here;
	const char *slash;
	Dl_info info;

	if (!dladdr(&here, &info) || !info.dli_fname)
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	return slash ? mem_fmt("%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name) : NULL;
}

static void queue_rc(struct session *s)
{
	const char *home = getenv("HOME");
	char *own = home && *home ? mem_fmt("%s/.cdbgrc", home) : NULL, *line;
	char a[4096] = "", b[4096] = "";

	if (own && (realpath(own, a) || errno != ENOENT)) {
		line = mem_fmt("source -auto %s", own);
		session_queue(s, line);
		free(line);
	}
	if ((realpath(".cdbgrc", b) || errno != ENOENT) && strcmp(a, b))
		session_queue(s, "source -auto ./.cdbgrc");
	free(own);
}

static void queue_all(struct session *s)
{
	size_t i;

	if (!args.attached && host_at_prompt())
		session_queue(s, TERMINAL_PROGRAM);
	if (args.restart_fd >= 0) {
		restart_queue(s, args.restart_fd);
		return;
	}
	if (!args.norc)
		queue_rc(s);
	for (i = 0; i < args.nlines; i++)
		session_queue(s, args.lines[i]);
}

static struct session *new_session(void)
{
	struct session *s = session_new(front_ends_choose(&args, on_release));
	char *dir = folder_beside("plugins");

	option_add(s, option_table);
	plugin_load_all(s, dir);
	free(dir);
	return s;
}

/* For functions of the module that only ask plugins about code: the present session, or one that never starts: it
   shows nothing and touches nothing of the program. */
static struct session *any_session(void)
{
	struct session *s = session_get();

	if (!s) {
		s = new_session();
		session_over(s);
		plugin_detached();
	}
	return s;
}

/* open(later): a session with its front end, which may wait for the first stop; plugins are loaded, and nothing of the
   program is touched yet. */
static PyObject *mod_open(PyObject *self, PyObject *later)
{
	struct err err = { "" };
	struct session *s;

	(void)self;
	left = false;
	s = new_session();
	s->setup.end = end_process;
	s->setup.serve = cmd_serve;
	s->setup.batch = args.batch;
	s->setup.attached = args.attached;
	s->setup.restartable = restart_possible() && !args.script_in && !args.join && !args.attached;
	if (args.address)
		listen_prepare();
	if (later == Py_True)
		front_ends_open_later(&args);
	else if (front_ends_open(&args, &err) < 0)
		return raise_err(&err);
	if (args.other.note)
		session_note(s, NOTE_INFO, "%s", args.other.note);
	if (!args.report)
		queue_all(s);
	args_forget_lines(&args); /* a session that a later client begins does not run them again */
	Py_RETURN_NONE;
}

/* start(finder): install hooks, wake plugins; the finder asks waits() for the modules to look for. */
static PyObject *mod_start(PyObject *self, PyObject *arg)
{
	struct session *s = session_get();
	struct err err = { "" };

	(void)self;
	Py_INCREF(arg);
	Py_XSETREF(finder, arg);
	if (session_start(s, &err) < 0) {
		session_detach(s); /* nothing half-started stays */
		left = false;
		return raise_err(&err);
	}
	breakpoint_hook(true);
	plugin_wake_all();
	Py_RETURN_NONE;
}

static PyObject *mod_waits(PyObject *self, PyObject *unused)
{
	PyObject *set = PySet_New(NULL), *name;
	const char *module;
	int i, failed = 0;

	(void)self;
	(void)unused;
	for (i = 0; set && !failed && (module = plugin_waits_for(i)); i++) {
		name = PyUnicode_FromString(module);
		failed = !name || PySet_Add(set, name) < 0;
		Py_XDECREF(name);
	}
	if (failed)
		Py_CLEAR(set);
	return set;
}

/* ---- waking plugins ----------------------------------------------------------------------------------------- */

/* Replaces a loader's exec_module for one module: runs the real one, then wakes the plugin. */
static PyObject *exec_module(PyObject *self, PyObject *module)
{
	PyObject *loader = PyTuple_GET_ITEM(self, 0), *real = PyTuple_GET_ITEM(self, 1);
	PyObject *r;

	Py_INCREF(self);
	if (PyObject_SetAttrString(loader, "exec_module", NULL) < 0)
		PyErr_Clear();
	r = PyObject_CallOneArg(real, module);
	if (r && session_get() && !session_get()->detached)
		plugin_woken(PyUnicode_AsUTF8(PyTuple_GET_ITEM(self, 2)));
	Py_DECREF(self);
	return r;
}

static PyMethodDef exec_module_def = { "exec_module", exec_module, METH_O, NULL };

/* wake_after(loader, name): written in C so that no frame of cdbg appears in the program's tracebacks. */
static PyObject *mod_wake_after(PyObject *self, PyObject *arg)
{
	PyObject *loader, *name, *real, *keep = NULL, *f = NULL;

	(void)self;
	if (!PyArg_ParseTuple(arg, "OU", &loader, &name))
		return NULL;
	real = PyObject_GetAttrString(loader, "exec_module");
	if (real)
		keep = PyTuple_Pack(3, loader, real, name);
	if (keep)
		f = PyCFunction_New(&exec_module_def, keep);
	if (f)
		PyObject_SetAttrString(loader, "exec_module", f);
	Py_XDECREF(real);
	Py_XDECREF(keep);
	Py_XDECREF(f);
	/* a loader without attributes: the plugin is not woken, the program runs */
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* ---- the program ---------------------------------------------------------------------------------------------- */

static PyObject *mod_active(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(session_living() != NULL);
}

/* Several ranks on one terminal: only one of them stops. */
static PyObject *mod_silent(PyObject *self, PyObject *unused)
{
	const char *rank = getenv("RANK"), *ours = getenv("CDBG_RANK");

	(void)self;
	(void)unused;
	return PyBool_FromLong(left ||
			       (!args.join && !args.rank && rank && *rank && strcmp(rank, ours && *ours ? ours : "0")));
}

/* stop_at(code): as it begins; stop_at(file): as code of this file is given to exec(), once; stop_at(None): no more. */
static PyObject *mod_stop_at(PyObject *self, PyObject *arg)
{
	struct session *s = session_living();

	(void)self;
	if (!PyCode_Check(arg) && !PyUnicode_Check(arg) && arg != Py_None)
		return PyErr_Format(PyExc_TypeError, "stop_at() takes a code object or the name of a file");
	if (s && PyCode_Check(arg))
		session_stop_at(s, (struct py_code *)arg);
	else if (s)
		session_stop_at_file(s, arg == Py_None ? NULL : (struct py_obj *)arg);
	Py_RETURN_NONE;
}

/* queue(line): a command that is given at the next stop, before the person is asked. */
static PyObject *mod_queue(PyObject *self, PyObject *arg)
{
	const char *line = PyUnicode_Check(arg) ? PyUnicode_AsUTF8(arg) : NULL;

	(void)self;
	if (!line)
		return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "queue() takes a line of text");
	if (session_living())
		session_queue(session_living(), line);
	Py_RETURN_NONE;
}

/* ask(line, value): run a read-only command about the value's code; its answer as text and rows. */
static PyObject *mod_ask(PyObject *self, PyObject *args_tuple)
{
	const char *line;
	PyObject *about = NULL;
	struct err err = { "" };
	struct py_obj *answer;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "s|O", &line, &about))
		return NULL;
	if (!session_living())
		return PyErr_Format(PyExc_RuntimeError, "cdbg is not running in this process");
	answer = ask(session_living(), line, (struct py_obj *)(about == Py_None ? NULL : about), &err);
	return answer ? (PyObject *)answer : raise_err(&err);
}

/* post_mortem(exception, traceback): without a traceback that of the exception. */
static PyObject *mod_post_mortem(PyObject *self, PyObject *args_tuple)
{
	PyObject *exc, *tb = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "O|O", &exc, &tb))
		return NULL;
	if (!PyExceptionInstance_Check(exc))
		return PyErr_Format(PyExc_TypeError, "post_mortem() takes an exception");
	tb = tb ? Py_NewRef(tb) : PyException_GetTraceback(exc);
	post_mortem = true;
	if (session_living())
		session_post_mortem(session_living(), (struct py_obj *)Py_TYPE(exc), (struct py_obj *)exc,
				    (struct py_obj *)tb);
	post_mortem = false;
	Py_XDECREF(tb);
	Py_RETURN_NONE;
}

/*
 * lend(1) .. lend(0): in between `quit` at a stop detaches cdbg and returns to the caller; afterwards the terminal is
 * the caller's, and the result is true if the user quit.  lend(2): `quit` interrupts what runs, as Ctrl-C does, and
 * while the program runs the terminal is its own.
 */
static PyObject *mod_lend(PyObject *self, PyObject *how)
{
	struct session *s = session_living();

	(void)self;
	lent = how == Py_False || !PyObject_IsTrue(how) ? OWN : PyLong_AsLong(how) == 1 ? ASKED : RUN;
	PyErr_Clear();
	if (lent != OWN)
		quits = false;
	if (s && lent == OWN)
		front_ends_close(s, &args);
	else if (s && lent == RUN)
		session_queue(s, TERMINAL_PROGRAM);
	return PyBool_FromLong(quits);
}

/* break_in(frame): stop at its next instruction. */
static PyObject *mod_break_in(PyObject *self, PyObject *frame)
{
	(void)self;
	if (!PyFrame_Check(frame))
		return PyErr_Format(PyExc_TypeError, "break_in() takes a frame");
	if (session_living())
		session_break_in(session_living(), (struct py_frame *)frame);
	Py_RETURN_NONE;
}

PyDoc_STRVAR(crash_report_doc,
	     "crash_report(file=True, /)\n--\n\n"
	     "Report what each thread ran when a signal crashes the program, on standard error; also to a new file of "
	     "this name; False: off.");

static PyObject *mod_crash_report(PyObject *self, PyObject *args_tuple)
{
	PyObject *file = Py_True, *bytes = NULL;
	struct err err = { "" };
	const char *value = "on";
	int ret;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "|O:crash_report", &file))
		return NULL;
	if (file == Py_False)
		value = "off";
	else if (file != Py_True && file != Py_None) {
		if (!PyUnicode_FSConverter(file, &bytes))
			return NULL;
		value = PyBytes_AS_STRING(bytes);
	}
	crash_keep(file != Py_False);
	if (session_living())
		ret = option_set(session_living(), "crash-report", value, &err);
	else
		ret = procs_check_crash(NULL, value, &err);
	Py_XDECREF(bytes);
	if (ret < 0)
		return raise_err(&err);
	Py_RETURN_NONE;
}

static PyObject *mod_exit(PyObject *self, PyObject *arg)
{
	struct session *s = session_get();
	long status = PyLong_AsLong(arg);

	(void)self;
	if (status == -1 && PyErr_Occurred())
		return NULL;
	if (s && s->started && s->detached)
		s->front->exited(s, (int)status);
	else if (s && s->started)
		session_exit(s, (int)status);
	if (session_living())
		hook_stop(); /* the shutdown of the interpreter is not debugged */
	Py_RETURN_NONE;
}

/* listen(address, token_file): what the next open() does in place of asking at a terminal. */
static PyObject *mod_listen(PyObject *self, PyObject *args_tuple)
{
	static char *address, *token_file; /* owned */
	const char *where = NULL, *file = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "s|z", &where, &file))
		return NULL;
	if (session_living())
		return PyErr_Format(PyExc_RuntimeError, "cdbg debugs this process already: 'detach' there first");
	free(address);
	free(token_file);
	address = mem_str(where);
	token_file = mem_str(file);
	args_listen(&args, address, token_file);
	Py_RETURN_NONE;
}

/* join(address, token, token_file, library): the controller that the next open() connects to; false if the command line
   names another front end.  library: the version of what the controller is told about. */
static PyObject *mod_join(PyObject *self, PyObject *args_tuple)
{
	static struct rank_join join; /* its texts are owned, for good */
	const char *address, *token, *token_file, *library;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "szzz", &address, &token, &token_file, &library))
		return NULL;
	if (args.json || args.dap || args.report || args.join)
		Py_RETURN_FALSE;
	join = (struct rank_join){ mem_str(address), mem_str(token), mem_str(token_file), mem_str(library) };
	args_join(&args, &join);
	Py_RETURN_TRUE;
}

/* Where the process listens, as text; None: nowhere. */
static PyObject *mod_where(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (!conversation_where())
		Py_RETURN_NONE;
	return PyUnicode_DecodeFSDefault(conversation_where());
}

/* What an editor can ask for, as JSON. */
static PyObject *mod_capabilities(PyObject *self, PyObject *unused)
{
	struct buf b = { 0 };
	PyObject *text;

	(void)self;
	(void)unused;
	any_session();
	front_dap_capabilities(&b);
	text = PyUnicode_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return text;
}

static PyObject *mod_detach(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (session_living()) {
		session_detach(session_living());
		left = false; /* the program did this itself: it may start cdbg again */
	}
	Py_RETURN_NONE;
}

static PyObject *mod_forked(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	gil_thread_forked();
	if (session_living() && session_forked(session_living()))
		Py_RETURN_NONE;
	left = true;
	breakpoint_hook(false);
	drop_finder();
	Py_RETURN_NONE;
}

static PyObject *mod_forked_parent(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (session_living())
		session_forked_parent(session_living());
	Py_RETURN_NONE;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int take_args(PyObject *list)
{
	Py_ssize_t i, n = PyList_GET_SIZE(list);
	PyObject *bytes;

	arg_text = mem_alloc(((size_t)n + 1) * sizeof(*arg_text));
	for (i = 0; i < n; i++) {
		bytes = PyUnicode_EncodeFSDefault(PyList_GET_ITEM(list, i));
		if (!bytes)
			return -1;
		arg_text[i] = mem_str(PyBytes_AS_STRING(bytes));
		Py_DECREF(bytes);
	}
	return (int)n;
}

/* The controller of a job, in place of a program. */
static int ranks(void)
{
	PyObject *executable = PySys_GetObject("executable");
	const char *python = executable && PyUnicode_Check(executable) ? PyUnicode_AsUTF8(executable) : NULL;
	char *start = folder_beside("start");
	int status;

	PyErr_Clear();
	status = ranks_main(&args, arg_text + args.first, python ? python : "python3", start);
	free(start);
	return status;
}

/* The record of a process that is gone, in place of a program: the exit status. */
static int show_record(void)
{
	struct err err = { "" };
	PyObject *opened = NULL;
	struct session *s;

	if (record_gone_load(args.instead.post_mortem, &err) == 0) {
		opened = mod_open(NULL, Py_False);
		s = opened ? session_get() : NULL;
		if (s && session_start(s, &err) == 0) {
			s->setup.restartable = false;
			session_gone(s);
			session_detach(s);
			return 0;
		}
		if (s)
			session_detach(s);
	}
	if (PyErr_Occurred())
		PyErr_Print();
	else
		dprintf(2, "cdbg: %s: %s\n", visible(args.instead.post_mortem), err.text);
	Py_XDECREF(opened);
	record_gone_release();
	return 2;
}

/* options(argv): an exit status if there is nothing else to do, else (script or None, module or None, index of its
   arguments); two None: an editor says what to run. */
static PyObject *mod_options(PyObject *self, PyObject *list)
{
	struct err err = { "" };
	int n;

	(void)self;
	if (!PyList_Check(list))
		return PyErr_Format(PyExc_TypeError, "options() takes a list");
	n = take_args(list);
	if (n < 0)
		return NULL;
	if (args_parse(&args, n, arg_text, &err) < 0) {
		dprintf(2, "cdbg: %s\n%s", err.text, args_usage);
		return PyLong_FromLong(2);
	}
	if (args.ranks.on && !args.help && !args.version)
		return PyLong_FromLong(ranks());
	if (args.help)
		dprintf(1, "%s", args_usage);
	else if (args.version)
		dprintf(1, "cdbg %s, for CPython %s\n", PACKAGE_VERSION, host_version());
	else if (args.instead.post_mortem)
		return PyLong_FromLong(show_record());
	else if (args.instead.attach)
		return PyLong_FromLong(attach_run(&args));
	else if (args_launched(&args))
		return Py_BuildValue("(OOi)", Py_None, Py_None, 0);
	else if (args.module)
		return Py_BuildValue("(OO&i)", Py_None, PyUnicode_DecodeFSDefault, args.module, args.first);
	else
		return Py_BuildValue("(O&Oi)", PyUnicode_DecodeFSDefault, arg_text[args.first], Py_None,
				     args.first + 1);
	return PyLong_FromLong(0);
}

/* attached(words, channel): another process attached to this one; what the next open() does. */
static PyObject *mod_attached(PyObject *self, PyObject *args_tuple)
{
	struct err err = { "" };
	PyObject *words;
	int channel, n;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "O!i", &PyList_Type, &words, &channel))
		return NULL;
	n = take_args(words);
	if (n < 0)
		return NULL;
	if (args_attached(&args, n, arg_text, channel, &err) < 0)
		return raise_err(&err);
	Py_RETURN_NONE;
}

static bool waiter_gives_up(void *ask, const char *text)
{
	PyObject *r = PyErr_Occurred() ? NULL : PyObject_CallFunction(ask, "z", text);
	bool gives_up = !r || r == Py_True;

	Py_XDECREF(r);
	return gives_up;
}

/* attach(pid, option, ask): a descriptor that leads to a session there, see attach_listen() and inject_waiter. */
static PyObject *mod_attach(PyObject *self, PyObject *args_tuple)
{
	struct inject_waiter waiter = { .gives_up = waiter_gives_up };
	struct err err = { "" };
	const char *option;
	int pid, fd;

	(void)self;
	if (!PyArg_ParseTuple(args_tuple, "isO", &pid, &option, &waiter.arg))
		return NULL;
	fd = attach_listen((pid_t)pid, option, &waiter, &err);
	if (!PyErr_Occurred())
		return fd < 0 ? raise_err(&err) : PyLong_FromLong(fd);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* attached_page(path): see attached.h. */
static PyObject *mod_attached_page(PyObject *self, PyObject *path)
{
	(void)self;
	if (!PyBytes_Check(path))
		return PyErr_Format(PyExc_TypeError, "path must be bytes");
	attached_page(PyBytes_AS_STRING(path));
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "options", mod_options, METH_O, NULL },
	{ "capabilities", mod_capabilities, METH_NOARGS, NULL },
	{ "open", mod_open, METH_O, NULL },
	{ "start", mod_start, METH_O, NULL },
	{ "waits", mod_waits, METH_NOARGS, NULL },
	{ "wake_after", mod_wake_after, METH_VARARGS, NULL },
	{ "active", mod_active, METH_NOARGS, NULL },
	{ "silent", mod_silent, METH_NOARGS, NULL },
	{ "stop_at", mod_stop_at, METH_O, NULL },
	{ "queue", mod_queue, METH_O, NULL },
	{ "post_mortem", mod_post_mortem, METH_VARARGS, NULL },
	{ "crash_report", mod_crash_report, METH_VARARGS, crash_report_doc },
	{ "exit", mod_exit, METH_O, NULL },
	{ "ask", mod_ask, METH_VARARGS, NULL },
	{ "lend", mod_lend, METH_O, NULL },
	{ "break_in", mod_break_in, METH_O, NULL },
	{ "attach", mod_attach, METH_VARARGS, NULL },
	{ "attached", mod_attached, METH_VARARGS, NULL },
	{ "attached_page", mod_attached_page, METH_O, NULL },
	{ "listen", mod_listen, METH_VARARGS, NULL },
	{ "join", mod_join, METH_VARARGS, NULL },
	{ "where", mod_where, METH_NOARGS, NULL },
	{ "detach", mod_detach, METH_NOARGS, NULL },
	{ "forked", mod_forked, METH_NOARGS, NULL },
	{ "decompile", (PyCFunction)(void (*)(void))source_api_decompile, METH_VARARGS | METH_KEYWORDS,
	  source_decompile_doc },
	{ "recompile", source_api_recompile, METH_O, source_recompile_doc },
	{ "forked_parent", mod_forked_parent, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static int mod_exec(PyObject *m)
{
	if (!interp_ours()) {
		PyErr_SetString(PyExc_ImportError, "cdbg can be imported in the main interpreter only: "
						   "it does not debug sub-interpreters");
		return -1;
	}
	if (!session_get()) /* not at a second import */
		restart_remember();
	source_api_session(any_session);
	event_add(event_table);
	view_add(view_table);
	cmd_add(cmd_table);
	if (PyModule_AddStringConstant(m, "__version__", PACKAGE_VERSION) < 0 ||
	    PyModule_AddObjectRef(m, "builtins", (PyObject *)host_builtins()) < 0)
		return -1;
	return script_add((struct py_obj *)m) < 0 ? -1 : breakpoint_add((struct py_obj *)m);
}

static struct PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, (void *)mod_exec },
#ifdef Py_mod_multiple_interpreters
	/* so that mod_exec() runs, and refuses, in each of them */
	{ Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
#endif
	{ 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "cdbg._cdbg",
	.m_methods = methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__cdbg(void);
PyMODINIT_FUNC PyInit__cdbg(void)
{
	return PyModuleDef_Init(&module);
}
