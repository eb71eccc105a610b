/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts: text typed after `layout save` or read from the file of layouts, placed on screens of any size. */
#include "fuzz.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "ui/tui/layout.h"

static struct rect screen;
static const char *hidden_name;

static bool hidden(const char *name)
{
	return !strcmp(name, hidden_name);
}

/* A pane that is shown is on the screen. */
static void check_pane(void *arg, struct layout *l)
{
	(void)arg;
	if (!l->shown)
		return;
	HOLDS(l->rect.y >= screen.y && l->rect.x >= screen.x && l->rect.h > 0 && l->rect.w > 0);
	HOLDS(l->rect.y + l->rect.h <= screen.y + screen.h && l->rect.x + l->rect.w <= screen.x + screen.w);
}

static int needs(const void *arg, const char *name)
{
	(void)arg;
	return (int)strlen(name) * 7;
}

static void place(struct layout *l, int rows, int cols, const char *name)
{
	struct placing p = { .hidden = hidden, .one_row = rows % 2 ? name : NULL, .needs = needs };

	screen = (struct rect){ 0, 0, rows, cols };
	hidden_name = name;
	p.wide = cols % 3 ? "graph" : NULL;
	layout_place(l, screen, &p);
	layout_each(l, check_pane, NULL);
}

/* What is printed is read again as the same. */
static void check_print(const struct layout *l)
{
	struct buf a = { 0 }, b = { 0 };
	struct layout *again;

	layout_print(l, &a);
	again = layout_parse(buf_str(&a), NULL);
	HOLDS(again);
	layout_print(again, &b);
	HOLDS(!strcmp(buf_str(&a), buf_str(&b)));
	layout_free(again);
	buf_release(&a);
	buf_release(&b);
}

static void load(const uint8_t *data, size_t size)
{
	int fd = memfd_create("layouts", MFD_CLOEXEC), i;
	struct err err;
	char name[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	layouts_load(name, &err);
	close(fd);
	HOLDS(layouts_spec(layouts_last(), 24, 80));
	for (i = 0; layouts_name(i); i++)
		HOLDS(layouts_spec(layouts_name(i), 60, 220));
	layouts_release();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int what = fuzz_byte(&data, &size), rows = fuzz_byte(&data, &size) + 1, cols = fuzz_byte(&data, &size) * 8 + 1;
	int by = fuzz_byte(&data, &size) - 128;
	struct layout *l;
	struct err err;
	char *text;

	if (what & 1) {
		load(data, size);
		return 0;
	}
	text = fuzz_text(data, size);
	l = layout_parse(text, &err);
	if (l) {
		check_print(l);
		place(l, rows, cols, what & 2 ? "asm" : "");
		layout_find(l, "stack");
		layout_slot(l);
		layout_resize(l, "source", what & 4, by);
		check_print(l);
		place(l, rows, cols, "");
	}
	layout_free(l);
	free(text);
	return 0;
}
