/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: report: collects the data tree, writes the files that python/cdbg_report makes of it, and renames the
   directory. */
#define PY_SSIZE_T_CLEAN
#include "code/select.h"
#include "report/data.h"
#include "report/report.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* The next name, of a directory or a function: a word, or in double quotes, where \ escapes a quote or another \. */
static int next_name(const char **args, const char *what, struct buf *out, struct err *err)
{
	const char *p = *args + strspn(*args, " \t");

	buf_reset(out);
	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			buf_addc(out, *p == '\\' && (p[1] == '"' || p[1] == '\\') ? *++p : *p);
		if (*p++ != '"')
			return err_set(err, "the name of the %s has no closing quote: '%s'", what, *args);
	} else {
		buf_add(out, p, strcspn(p, " \t"));
		p += out->len;
	}
	*args = p + strspn(p, " \t");
	return 0;
}

static int directory_name(const char **args, struct buf *out, struct err *err)
{
	if (next_name(args, "directory", out, err) < 0)
		return -1;
	return out->len ? 0 : err_set(err, "no directory given: 'report DIR [FUNC...]' writes one");
}

/* What a report became. */
struct made {
	bool data;	/* index.json is written */
	struct buf why; /* why there are no pages; empty: there are */
};

/* The exception that is set, in words; it is cleared. */
static void say_exception(struct buf *out)
{
	PyObject *type, *value, *tb; /* owned */
	const bool named = !PyErr_ExceptionMatches(PyExc_ImportError);
	char *text;

	PyErr_Fetch(&type, &value, &tb);
	text = value ? py_text_str(value) : NULL;
	if (named)
		buf_addf(out, "%s: ", ((PyTypeObject *)type)->tp_name);
	buf_adds(out, text ? text : "no memory");
	PyErr_Clear();
	free(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
}

/* One file: a tuple of its name and its bytes. */
static int write_file(struct outdir *d, PyObject *file, struct made *made, struct err *err)
{
	const char *name = PyTuple_Check(file) && PyTuple_GET_SIZE(file) == 2 ?
				   py_text_utf8(PyTuple_GET_ITEM(file, 0)) :
				   NULL;
	PyObject *bytes = name ? PyTuple_GET_ITEM(file, 1) : NULL; /* borrowed */

	if (!name || !PyBytes_Check(bytes))
		return err_set(err, "the Python of the report gave no file");
	made->data = made->data || !strcmp(name, REPORT_DATA);
	return outdir_write(d, name, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes), err);
}

/* All that Python makes of the data.  Where it cannot, the data alone. */
static int write_into(struct outdir *d, const struct val *root, struct made *made, struct err *err)
{
	int ret = 0, collects = PyGC_Disable(); /* it would free the program's objects */
	struct buf text = { 0 };
	PyObject *files, *file; /* owned */

	host->values.json(&text, root);
	buf_addc(&text, '\n');
	files = package_call("cdbg_report.make", "report", Py_BuildValue("(y#)", buf_str(&text), (Py_ssize_t)text.len));
	while (ret == 0 && files && (file = PyIter_Next(files))) {
		ret = write_file(d, file, made, err);
		Py_DECREF(file);
	}
	if (PyErr_Occurred())
		say_exception(&made->why);
	Py_XDECREF(files);
	if (ret == 0 && !made->data)
		ret = outdir_write(d, REPORT_DATA, buf_str(&text), text.len, err);
	buf_release(&text);
	if (collects)
		PyGC_Enable();
	return ret;
}

/* The data of all functions, or of those that the words name, separated by spaces; NULL: err. */
static struct val *collect_data(const char *words, struct err *err)
{
	struct selection *meant = NULL;
	struct buf word = { 0 };
	struct val *root = NULL;
	size_t n = 0, cap = 0;
	bool well = true;

	do {
		meant = mem_grow(meant, &cap, n + 1, sizeof(*meant));
		well = next_name(&words, "function", &word, err) == 0 &&
		       select_find(buf_str(&word), &meant[n], err) == 0;
		n += well;
	} while (well && *words);
	if (well)
		root = data_report(meant, (int)n);
	while (n)
		select_release(&meant[--n]);
	free(meant);
	buf_release(&word);
	return root;
}

static void say_written(const char *name, const struct outdir *d, const struct made *made, struct reply *out)
{
	if (made->why.len)
		buf_addf(&out->text, "%u files, %llu bytes, no pages: %s; 'python -m cdbg.report %s' makes them\n",
			 d->files, d->bytes, made->why.s, name);
	else
		buf_addf(&out->text, "%u files, %llu bytes: open '%s/index.html' in a browser\n", d->files, d->bytes,
			 name);
	if (d->left)
		buf_addf(&out->text, "removed %u unfinished report%s beside it: the process was killed\n", d->left,
			 d->left == 1 ? "" : "s");
	out->more = val_map();
	val_put(out->more, "files", val_int(d->files));
	val_put(out->more, "bytes", val_int((long long)d->bytes));
}

static int run_report(const char *args, struct reply *out, struct err *err)
{
	struct buf name = { 0 };
	struct made made = { .data = false };
	struct outdir d, written;
	struct val *root;
	int ret = directory_name(&args, &name, err);

	if (ret == 0)
		ret = outdir_open(&d, name.s, REPORT_DATA, REPORT_MARK, err);
	if (ret < 0) {
		buf_release(&name);
		return -1;
	}
	root = collect_data(args, err);
	ret = root ? write_into(&d, root, &made, err) : -1;
	val_free(root);
	written = d; /* its numbers */
	if (ret < 0)
		outdir_discard(&d);
	else
		ret = outdir_commit(&d, err);
	if (ret == 0)
		say_written(name.s, &written, &made, out);
	buf_release(&made.why);
	buf_release(&name);
	return ret;
}

/* The text of a tuple (did it work, text). */
static int take_answer(PyObject *answer, struct buf *out, struct err *err)
{
	const bool two = answer && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == 2;
	const char *text = two ? py_text_utf8(PyTuple_GET_ITEM(answer, 1)) : NULL;
	struct buf why = { 0 };
	int ret = 0;

	if (!text) {
		if (PyErr_Occurred())
			say_exception(&why);
		ret = err_set(err, "cannot compare the reports: %s", why.len ? why.s : "the answer is not UTF-8");
	} else if (PyTuple_GET_ITEM(answer, 0) != Py_True) {
		ret = err_set(err, "%s", text);
	} else {
		buf_adds(out, text);
	}
	buf_release(&why);
	return ret;
}

static int report_diff_run(const char *args, struct reply *out, struct err *err)
{
	struct buf a = { 0 }, b = { 0 };
	int ret = directory_name(&args, &a, err) < 0 || directory_name(&args, &b, err) < 0 ? -1 : 0, collects;
	PyObject *answer; /* owned */

	if (ret < 0 || *args) {
		ret = err_set(err,
			      "'report diff' compares two reports: 'report diff DIR1 DIR2'; 'report ./diff' writes one "
			      "into a directory of that name");
	} else {
		collects = PyGC_Disable();
		answer = package_call("cdbg_report.diff", "answer", Py_BuildValue("(yy)", a.s, b.s));
		ret = take_answer(answer, &out->text, err);
		Py_XDECREF(answer);
		if (collects)
			PyGC_Enable();
	}
	buf_release(&a);
	buf_release(&b);
	return ret;
}

static int report_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)s;
	if (!strncmp(args, "diff", 4) && (!args[4] || args[4] == ' '))
		return report_diff_run(args + 4 + (args[4] == ' '), out, err);
	return run_report(args, out, err);
}

/* Completes directories that begin with a path. Only the word at its end is replaced, so candidates begin there. */
static void complete_directory(const char *path, const char *word, struct val *list)
{
	const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
	size_t before = strlen(begin) > strlen(word) ? strlen(begin) - strlen(word) : 0;
	char *folder = slash ? mem_strn(path, (size_t)(slash + 1 - path)) : mem_str(".");
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || strncmp(e->d_name, begin, strlen(begin)) != 0 ||
		    (e->d_name[0] == '.' && *begin != '.'))
			continue;
		val_pushf(list, "%s/\tdirectory", e->d_name + before);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

/* A name with spaces is one argument in quotes. */
static void complete_quoted(struct session *s, const char *word, struct val *list)
{
	struct val *names = val_list();
	const char *text;
	size_t i, n;

	select_complete(s, "", word, names);
	for (i = 0; i < names->u.list.n; i++) {
		text = names->u.list.item[i]->u.s;
		n = strcspn(text, "\t");
		if (memchr(text, ' ', n))
			val_pushf(list, "\"%.*s\"%s", (int)n, text, text + n);
		else
			val_push(list, val_str(text));
	}
	val_free(names);
}

static void complete(struct session *s, const char *args, const char *word, struct val *list)
{
	const char *space = strrchr(args, ' ');
	bool diff = !strncmp(args, "diff ", 5);

	if (space && !diff) {
		complete_quoted(s, word, list);
		return;
	}
	complete_directory(space ? space + 1 : args, word, list);
	if (!space)
		val_push(list, val_str("diff\tcompare two reports"));
}

const struct cmd_def cmd_report[] = {
	{ .name = "report",
	  .args = "DIR [FUNC...] | diff DIR1 DIR2",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .help = "write what is known of compiled functions as pages for a browser and as files",
	  .more = "DIR/index.html is the first page, DIR/index.json the same as data; each function has\n"
		  "a folder with its page, its generated code, guards, graphs and kernels.  DIR must be\n"
		  "empty, absent, or an earlier report, which is replaced.  Write a name with spaces in\n"
		  "double quotes.  diff: say what changed from one report to another.  The same without\n"
		  "torch: python -m cdbg.report DIR makes the pages again, --diff DIR1 DIR2 compares.",
	  .complete = complete,
	  .run = report_run },
	{ .name = NULL },
};
