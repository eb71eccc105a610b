/* SPDX-License-Identifier: BSD-3-Clause */
/* f-strings as text; where the text in braces would end them, the calls that make the same.  Knows
   no other expressions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/flow/flow.h"
#include "py/decompile/text/print.h"

/* Between braces: nothing that ends them, or the string. */
static bool within_braces(const struct buf *text)
{
	return !strpbrk(text->s, "\"\\\n#!:") && text->s[0] != '{';
}

static void fstring_part(struct printer *p, const struct expr *e, bool spec, bool *ok)
{
	struct buf text = { NULL, 0, 0 }, *out = p->out;
	size_t k;
	int i;

	for (i = 0; i < e->n; i++) {
		const struct expr *x = e->kid[i];

		buf_reset(&text);
		p->out = &text;
		if (x->kind == E_CONST) {
			dec_literal(x->obj, &text);
			p->out = out;
			for (k = 1; k + 1 < text.len; k++) {
				if (text.s[k] == '{' || text.s[k] == '}') {
					buf_addc(out, text.s[k]);
					*ok = *ok && !spec;
				}
				*ok = *ok && text.s[k] != '"' && !(spec && text.s[k] == '\\');
				buf_addc(out, text.s[k]);
			}
			continue;
		}
		print_braced(p, x->kid[0]);
		p->out = out;
		*ok = *ok && text.len && within_braces(&text);
		buf_addf(out, "{%s%s", buf_str(&text), x->text);
		if (x->kid[1]) {
			const struct expr one = { .kind = E_STRING, .kid = (struct expr **)&x->kid[1], .n = 1 };

			buf_addc(out, ':');
			*ok = *ok && (x->kid[1]->kind == E_STRING || x->kid[1]->kind == E_CONST);
			fstring_part(p, x->kid[1]->kind == E_CONST ? &one : x->kid[1], true, ok);
		}
		buf_addc(out, '}');
	}
	p->out = out;
	buf_release(&text);
}

/* The same without an f-string: ''.join() of format() of each. */
static void joined(struct printer *p, const struct expr *e)
{
	int i;

	buf_adds(p->out, "''.join((");
	for (i = 0; i < e->n; i++) {
		const struct expr *x = e->kid[i];

		if (x->kind == E_CONST) {
			dec_literal(x->obj, p->out);
		} else {
			print_bound(p, p->format);
			buf_addc(p->out, '(');
			if (*x->text) {
				print_bound(p, x->text[1] == 's' ? (PyObject *)&PyUnicode_Type :
					       x->text[1] == 'r' ? p->repr :
								   p->ascii);
				buf_addc(p->out, '(');
			}
			print_expression(p, x->kid[0]);
			if (*x->text)
				buf_addc(p->out, ')');
			if (x->kid[1]) {
				buf_adds(p->out, ", ");
				print_expression(p, x->kid[1]);
			}
			buf_addc(p->out, ')');
		}
		buf_adds(p->out, ", ");
	}
	buf_adds(p->out, "))");
}

void print_fstring(struct printer *p, const struct expr *e)
{
	struct buf text = { NULL, 0, 0 }, *out = p->out;
	bool ok = true;

	p->out = &text;
	fstring_part(p, e, false, &ok);
	p->out = out;
	if (ok)
		buf_addf(out, "f\"%s\"", buf_str(&text));
	else
		joined(p, e);
	buf_release(&text);
}
