/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from the program, made safe to show: it can neither control the terminal nor look like a line of cdbg.  Knows
   libc only. */
#ifndef CDBG_VISIBLE_H
#define CDBG_VISIBLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Can a terminal show this character as it is?  False for C0, DEL and C1 controls, bidirectional controls, line and
   paragraph separators, and for what takes no room and changes nothing around it, as U+200B and U+FEFF: two names that
   differ by one would look the same, and a name of one alone could not be seen.  Joiners and combining marks stay. */
bool visible_char(uint32_t c);
/*
 * Append the n bytes at s, with what cannot be shown written as Python writes it in a string: \x1b, \x9b, \u202e, and
 * \xff for a byte that is not UTF-8.  Tabs stay; line feeds stay with `lines`, otherwise they become \n and the result
 * is one line.
 */
void visible_add(struct buf *out, const char *s, size_t n, bool lines);
/* Does visible_add() without `lines` leave these n bytes unchanged? */
bool visible_is(const char *s, size_t n);
/* s in one line: s itself where nothing has to change, else a copy that stays valid for the next 15 calls by this
   thread.  NULL stays NULL. */
const char *visible(const char *s);
/*
 * Append a value's text of several lines so that only its first line begins where cdbg's own lines do: the others
 * begin with a bar, which replaces the first space if they have one.
 */
void visible_value(struct buf *out, const char *s, size_t n);

#endif
