/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: report: collects the data tree, writes pages and files from it, and renames the directory. */
#include "report/cmd_report.h"
#include "code/select.h"
#include "report/assets.h"
#include "report/data.h"
#include "report/diff.h"
#include "report/files.h"
#include "report/page.h"
#include "report/report.h"
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

static int put_file(void *arg, const char *name, const struct buf *text, struct err *err)
{
	return outdir_write(arg, name, buf_str(text), text->len, err);
}

static int write_function(struct outdir *d, const struct val *root, struct val *f, PyObject *known, struct err *err)
{
	struct buf page = { 0 };
	char *name = mem_fmt("%s/index.html", val_text(f, "folder"));
	int ret = files_function(f, known, put_file, d, err);

	if (ret == 0) {
		page_function(root, f, &page);
		ret = put_file(d, name, &page, err);
	}
	buf_release(&page);
	free(name);
	return ret;
}

static int write_into(struct outdir *d, const struct val *root, struct err *err)
{
	const struct val *functions = data_list(root, "functions");
	PyObject *known = PyDict_New(); /* owned; see files_function() */
	struct buf b = { 0 };
	size_t i;
	int ret = known ? assets_write(put_file, d, err) : err_set(err, "no memory for the report");

	PyErr_Clear();
	for (i = 0; ret == 0 && i < functions->u.list.n; i++)
		ret = write_function(d, root, functions->u.list.item[i], known, err);
	Py_XDECREF(known);
	if (ret == 0) {
		page_index(root, &b);
		ret = put_file(d, "index.html", &b, err);
	}
	b.len = 0;
	if (ret == 0) {
		host->json(&b, root);
		buf_addc(&b, '\n');
		ret = put_file(d, REPORT_DATA, &b, err);
	}
	buf_release(&b);
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

static int run_report(const char *args, struct reply *out, struct err *err)
{
	struct buf name = { 0 };
	struct outdir d;
	struct val *root;
	unsigned long long bytes;
	unsigned files, left;
	int ret = directory_name(&args, &name, err);

	if (ret == 0)
		ret = outdir_open(&d, name.s, REPORT_DATA, REPORT_MARK, err);
	if (ret < 0) {
		buf_release(&name);
		return -1;
	}
	root = collect_data(args, err);
	ret = root ? write_into(&d, root, err) : -1;
	val_free(root);
	files = d.files;
	left = d.left;
	bytes = d.bytes;
	if (ret < 0)
		outdir_discard(&d);
	else
		ret = outdir_commit(&d, err);
	if (ret == 0) {
		buf_addf(&out->text, "%u files, %llu bytes: open '%s/index.html' in a browser\n", files, bytes, name.s);
		if (left)
			buf_addf(&out->text, "removed %u unfinished report%s beside it: the process was killed\n", left,
				 left == 1 ? "" : "s");
		out->more = val_map();
		val_put(out->more, "files", val_int(files));
		val_put(out->more, "bytes", val_int((long long)bytes));
	}
	buf_release(&name);
	return ret;
}

static int report_diff_run(const char *args, struct reply *out, struct err *err)
{
	struct buf a = { 0 }, b = { 0 };
	int ret = directory_name(&args, &a, err) < 0 || directory_name(&args, &b, err) < 0 ? -1 : 0;

	if (ret < 0 || *args)
		ret = err_set(err,
			      "'report diff' compares two reports: 'report diff DIR1 DIR2'; 'report ./diff' writes one "
			      "into a directory of that name");
	else
		ret = diff_reports(a.s, b.s, &out->text, err);
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
		  "double quotes.  diff: say what changed from one report to another.",
	  .complete = complete,
	  .run = report_run },
	{ .name = NULL },
};
