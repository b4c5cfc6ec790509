// libpq as Swift sees it. What the importer leaves out (constants made with character literals) is named here.
#ifndef PIPPIN_CPOSTGRESQL_SHIM_H
#define PIPPIN_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

static const int pippin_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int pippin_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int pippin_diag_function = PG_DIAG_SOURCE_FUNCTION;
static const int pippin_diag_constraint = PG_DIAG_CONSTRAINT_NAME;

// libpq prints notices to standard error unless a receiver takes them.
static inline void pippin_drop_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}

static inline void pippin_silence_notices(PGconn *_Nonnull connection) {
    PQsetNoticeReceiver(connection, pippin_drop_notice, 0);
}

#endif
