/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the text that a backend wrote, inductor's wrapper code: see kernels.h.  Reads text only. */
#include "report/kernels.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* "[sin, cos]" after "Source Nodes: ", in the comment before a kernel. */
static struct val *source_nodes(const char *line, const char *end)
{
	static const char lead[] = "Source Nodes: [";
	struct val *list = val_list();
	const char *p = memmem(line, (size_t)(end - line), lead, sizeof(lead) - 1), *close;
	char *name;
	size_t n;

	close = p ? memchr(p, ']', (size_t)(end - p)) : NULL;
	for (p = close ? p + sizeof(lead) - 1 : NULL; p && p < close; p += n) {
		p += strspn(p, ", ");
		n = strcspn(p, ",]");
		name = mem_strn(p, n);
		if (n)
			val_push(list, val_str(name));
		free(name);
	}
	return list;
}

static struct val *kernel_add(struct val *list, const char *name, size_t n, const char *language, struct val *nodes)
{
	struct val *k = val_push(list, val_map());
	char *text = mem_strn(name, n);

	val_put(k, "kernel", val_str(text));
	val_put(k, "language", val_str(language));
	val_put(k, "nodes", nodes);
	free(text);
	return k;
}

/* `NAME = async_compile.triton('NAME', '''...''', ...)`: its source ends at the next three quotes.  Returns the
   text after it. */
static const char *definition(struct val *list, const char *line, size_t n, struct val *nodes)
{
	static const char call[] = " = async_compile.";
	const char *what = line + n + sizeof(call) - 1, *begin, *end;
	char *source;
	struct val *k;

	begin = strstr(what, "'''");
	end = begin ? strstr(begin + 3, "'''") : NULL;
	k = kernel_add(list, line, n,
		       !strncmp(what, "triton", 6) ? "triton" :
		       !strncmp(what, "cpp", 3)	   ? "c++" :
						     "python",
		       nodes);
	if (!end)
		return what;
	begin += 3 + (begin[3] == '\n');
	source = mem_strn(begin, (size_t)(end - begin));
	val_put(k, "source", val_str(source));
	free(source);
	return end + 3;
}

struct val *kernels_of(const char *text)
{
	static const char external[] = "extern_kernels.";
	struct val *list = val_list(), *nodes = NULL;
	const char *line, *next, *end, *p;
	size_t n;

	for (line = text; *line; line = next) {
		end = line + strcspn(line, "\n");
		next = *end ? end + 1 : end;
		p = line + strspn(line, " \t");
		if (*p == '#') {
			if (!nodes || memmem(p, (size_t)(end - p), "Source Nodes:", 13)) {
				val_free(nodes);
				nodes = source_nodes(p, end);
			}
			continue;
		}
		n = py_text_word(p);
		if (n && !strncmp(p + n, " = async_compile.", 17) && strncmp(p + n + 17, "wait", 4)) {
			next = definition(list, p, n, nodes ? nodes : val_list());
			nodes = NULL;
			next += strcspn(next, "\n");
			next += *next == '\n';
		} else if (!strncmp(p, external, sizeof(external) - 1)) {
			n = sizeof(external) - 1 + py_text_word(p + sizeof(external) - 1);
			kernel_add(list, p, n, "library", nodes ? nodes : val_list());
			nodes = NULL;
		} else if (end > p) {
			val_free(nodes);
			nodes = NULL;
		}
	}
	val_free(nodes);
	return list;
}
