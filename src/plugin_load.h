/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading plugins and waking them; for module.c alone. */
#ifndef CDBG_PLUGIN_LOAD_H
#define CDBG_PLUGIN_LOAD_H
#include <stdbool.h>

struct session;

/*
 * Load every *.so of the folder dir (may be NULL), then those of CDBG_PLUGIN_PATH (folders or files, by colons), and
 * register what they bring with the session.  Again for a second session: nothing is loaded twice.  What fails is
 * kept until plugin_wake_all().  Before the front end opens: its `ready` names the plugins (plug_name()).
 */
void plugin_load_all(struct session *s, const char *dir);
/* Report what failed, and wake those whose module is imported already.  After session_start(). */
void plugin_wake_all(void);
/* The i-th module whose import a plugin waits for, so that an import hook can look for it; NULL past the last. */
const char *plugin_waits_for(int i);
/* A module was imported, whole: wake the plugins that wait for it.  Raises nothing; the pending exception stays. */
void plugin_woken(const char *module);
/* The session has ended: host->session is NULL from now on.  Called after the plugins' own detach. */
void plugin_detached(void);

#endif
