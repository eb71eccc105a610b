/* SPDX-License-Identifier: BSD-3-Clause */
/* Names found in a list, and the nearest one to a misspelt word.  Knows libc only. */
#include "base/pick.h"
#include <stdbool.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"

enum { LONGEST = 40 }; /* bytes of a name that is compared; of a word that an error quotes */

bool pick_has_word(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; list && *list; list += len) {
		list += strspn(list, " ");
		len = strcspn(list, " ");
		if (n && len == n && !strncmp(list, word, n))
			return true;
	}
	return false;
}

int pick_exact(const struct pick *p, const char *word)
{
	const char *name;
	int i;

	for (i = 0; (name = p->at(p->arg, i)); i++)
		if (*name && !strcmp(name, word))
			return i;
	for (i = 0; p->alias && (name = p->at(p->arg, i)); i++)
		if (*name && pick_has_word(p->alias(p->arg, i), word))
			return i;
	return -1;
}

/* ---- the nearest ------------------------------------------------------------------------------------------ */

static int smaller_of(int a, int b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that make b of a; both at most LONGEST bytes. */
static int distance(const char *a, size_t na, const char *b, size_t nb)
{
	int row[3][LONGEST + 1]; /* the rows of a's last two bytes and of this one; their memory is used in turn */
	int *two = row[0], *one = row[1], *now = row[2], *turn;
	size_t i, k;

	for (k = 0; k <= nb; k++)
		one[k] = (int)k;
	memset(row[0], 0, sizeof(row[0]));
	for (i = 1; i <= na; i++) {
		now[0] = (int)i;
		for (k = 1; k <= nb; k++) {
			now[k] = smaller_of(smaller_of(one[k], now[k - 1]) + 1, one[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = smaller_of(now[k], two[k - 2] + 1);
		}
		turn = two;
		two = one;
		one = now;
		now = turn;
	}
	return one[nb];
}

static size_t common_start(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* "entries" of "entry": as near as a name can be, though three letters differ. */
static bool is_plural_of(const char *name, const char *word, size_t n)
{
	return n > 2 && word[n - 1] == 'y' && !strncmp(name, word, n - 1) && !strcmp(name + n - 1, "ies");
}

/* "graph-break" of "break" or "breaks": a name with the word, but for one letter, as one of its parts. */
static const char *nearest_part(const struct pick *p, const char *word, size_t n)
{
	const char *name, *part, *best = NULL;
	int i, d, least = n > 3 ? 2 : 1;
	size_t len;

	for (i = 0; (name = p->at(p->arg, i)); i++)
		for (part = name; strchr(name, '-') && *part; part += len + (part[len] == '-')) {
			len = strcspn(part, "-");
			d = len <= LONGEST ? distance(word, n, part, len) : least;
			if (d < least) {
				least = d;
				best = name;
			}
		}
	return best;
}

/* Of several that are as near, the one that begins most like the word. */
const char *pick_nearest(const struct pick *p, const char *word)
{
	size_t n = strlen(word), len;
	const char *name, *best = NULL;
	int i, d, least_yet = n > 8 ? 4 : n > 4 ? 3 : 2; /* the first distance that is too far */

	if (n < 2 || n > LONGEST)
		return NULL;
	for (i = 0; (name = p->at(p->arg, i)); i++) {
		len = strlen(name);
		if (!len || len > LONGEST)
			continue;
		if (is_plural_of(name, word, n))
			return name;
		d = distance(word, n, name, len);
		if (d < (int)len && (d < least_yet ||
				     (best && d == least_yet && common_start(name, word) > common_start(best, word)))) {
			least_yet = d;
			best = name;
		}
	}
	return best ? best : nearest_part(p, word, n);
}

/* ---- by prefix ---------------------------------------------------------------------------------------------- */

/* How many names begin with word; the last one's index in *found, their names in *names. */
static int find_prefix(const struct pick *p, const char *word, int *found, struct buf *names)
{
	const char *name;
	int i, hits = 0;

	for (i = 0; (name = p->at(p->arg, i)); i++)
		if (*name && !strncmp(name, word, strlen(word))) {
			buf_addf(names, "%s%s", names->len ? ", " : "", name);
			*found = i;
			hits++;
		}
	return hits;
}

static int refuse_word(const struct pick *p, const char *word, struct err *err)
{
	const char *near = pick_nearest(p, word), *before = p->before ? p->before : "";
	int n = (int)text_fit(word, LONGEST);
	const char *more = word[n] ? "..." : "";
	struct buf names = { 0 };
	int none;

	if (near)
		return err_set(err, "unknown %s '%s%s'; did you mean '%s%s'?", p->what, before, word, before, near);
	if (p->list)
		return err_set(err, "unknown %s '%s%.*s%s'; %s", p->what, before, n, word, more, p->list);
	find_prefix(p, "", &none, &names);
	err_set(err, "unknown %s '%s%.*s%s'; try: %s", p->what, before, n, word, more, buf_str(&names));
	buf_release(&names);
	return -1;
}

int pick_name(const struct pick *p, const char *word, struct err *err)
{
	int found = pick_exact(p, word), hits;
	struct buf names = { 0 };

	if (found >= 0)
		return found;
	hits = *word ? find_prefix(p, word, &found, &names) : 0;
	if (hits > 1)
		err_set(err, "ambiguous %s '%s%s': %s", p->what, p->before ? p->before : "", word, buf_str(&names));
	else if (!hits)
		refuse_word(p, word, err);
	buf_release(&names);
	return hits == 1 ? found : -1;
}
