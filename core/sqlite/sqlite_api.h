#pragma once

// The one place that includes SQLite. The same sources are built twice: into the core library,
// linked with libsqlite3, and into the loadable extension, which calls the host's SQLite through
// its table of functions.
#ifdef LONGPOLE_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif
