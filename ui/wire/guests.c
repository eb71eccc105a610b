/* SPDX-License-Identifier: BSD-3-Clause */
/* Those that have connected and are not let in yet: see guests.h. */
#include "ui/wire/guests.h"
#include <unistd.h>
#include "base/ticks.h"
#include "ui/wire/listener.h"

void guests_begin(struct guests *all)
{
	int i;

	for (i = 0; i < all->most; i++)
		all->guest[i].fd = -1;
	all->spare = listener_spare();
}

void guests_drop(struct guest *g)
{
	g->fd = -1;
	buf_release(&g->text);
}

void guests_end(struct guests *all)
{
	int i;

	for (i = 0; i < all->most; i++) {
		if (all->guest[i].fd >= 0)
			close(all->guest[i].fd);
		guests_drop(&all->guest[i]);
	}
	if (all->spare >= 0)
		close(all->spare);
}

/* The place of the oldest; NULL: there is none. */
static struct guest *make_room(struct guests *all)
{
	struct guest *oldest = NULL;
	int i;

	for (i = 0; i < all->most; i++)
		if (all->guest[i].fd >= 0 && (!oldest || all->guest[i].came < oldest->came))
			oldest = &all->guest[i];
	if (oldest)
		all->refuse(all->arg, oldest, "too many others wait to be let in");
	return oldest;
}

static struct guest *place(struct guests *all)
{
	int i;

	for (i = 0; i < all->most; i++)
		if (all->guest[i].fd < 0)
			return &all->guest[i];
	return make_room(all);
}

struct guest *guests_accept(struct guests *all, const struct listener *l, int flags)
{
	struct guest new = { .who = "" }, *g;
	bool full;

	new.fd = listener_accept(l, flags, &full);
	if (full && make_room(all))
		new.fd = listener_accept(l, flags, &full);
	if (full) {
		listener_turn_away(l, &all->spare);
		all->refuse(all->arg, NULL, "too many files are open: 'ulimit -n' says how many may be");
	}
	if (new.fd < 0)
		return NULL;
	if (!listener_peer(l, new.fd, new.who, sizeof(new.who))) {
		all->refuse(all->arg, &new, all->stranger);
		return NULL;
	}
	new.came = ticks_ns();
	g = place(all);
	if (g)
		*g = new;
	return g;
}

int guests_late(struct guests *all)
{
	long least = -1, left;
	int i;

	for (i = 0; i < all->most; i++) {
		if (all->guest[i].fd < 0)
			continue;
		left = GUESTS_MS - (long)((ticks_ns() - all->guest[i].came) / 1000000);
		if (left <= 0)
			all->refuse(all->arg, &all->guest[i], all->late);
		else if (least < 0 || left < least)
			least = left;
	}
	return (int)least;
}
