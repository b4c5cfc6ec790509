// What Swift cannot reach of libmicrohttpd: variadic functions, unions, and enums that import badly.
#ifndef PIPPIN_CMICROHTTPD_SHIM_H
#define PIPPIN_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <string.h>

static const enum MHD_Result pippin_mhd_yes = MHD_YES;
static const enum MHD_Result pippin_mhd_no = MHD_NO;
static const enum MHD_ConnectionNotificationCode pippin_mhd_started = MHD_CONNECTION_NOTIFY_STARTED;
static const enum MHD_RequestTerminationCode pippin_mhd_completed = MHD_REQUEST_TERMINATED_COMPLETED_OK;

// Everything a daemon is started with; key and certificate are both null or both PEM text.
struct pippin_mhd_setup {
    int listen_socket;
    size_t connection_memory;
    unsigned int connection_limit;
    unsigned int connections_per_address;
    const char *_Nullable key;
    const char *_Nullable certificate;
    void *_Nonnull context;
    MHD_AccessHandlerCallback _Nonnull answer;
    void *_Nullable (*_Nonnull target)(
        void *_Nullable context, const char *_Nonnull target, struct MHD_Connection *_Nonnull connection);
    MHD_RequestCompletedCallback _Nonnull completed;
    MHD_NotifyConnectionCallback _Nonnull connection;
};

// Leaves path and arguments as they came; the length is all libmicrohttpd asks for.
static inline size_t pippin_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void) context;
    (void) connection;
    return strlen(text);
}

static inline struct MHD_Daemon *_Nullable pippin_mhd_start(const struct pippin_mhd_setup *_Nonnull setup) {
    unsigned int flags = MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) setup->key },
        { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) setup->certificate },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
    int encrypted = setup->key && setup->certificate;
    if (encrypted) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, setup->answer, setup->context,
        MHD_OPTION_LISTEN_SOCKET, setup->listen_socket,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, setup->connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, setup->connection_limit,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, setup->connections_per_address,
        MHD_OPTION_UNESCAPE_CALLBACK, pippin_mhd_keep_escapes, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, setup->target, setup->context,
        MHD_OPTION_NOTIFY_COMPLETED, setup->completed, setup->context,
        MHD_OPTION_NOTIFY_CONNECTION, setup->connection, setup->context,
        MHD_OPTION_ARRAY, encrypted ? tls : none,
        MHD_OPTION_END);
}

// The descriptor that is readable when the daemon has something to do, or -1.
static inline int pippin_mhd_epoll(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// Whether the daemon has work that no descriptor will announce.
static inline int pippin_mhd_has_pending_work(struct MHD_Daemon *_Nonnull daemon) {
    MHD_UNSIGNED_LONG_LONG timeout;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout == 0;
}

static inline const struct sockaddr *_Nullable pippin_mhd_peer(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline int pippin_mhd_socket(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *_Nullable pippin_mhd_context(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Octets of the request line and the header fields, once they were read.
static inline size_t pippin_mhd_head_size(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

// The first value of a header field, or null.
static inline const char *_Nullable pippin_mhd_field(
    struct MHD_Connection *_Nonnull connection, const char *_Nonnull name, size_t name_size,
    size_t *_Nonnull value_size) {
    const char *value = NULL;
    if (MHD_lookup_connection_value_n(connection, MHD_HEADER_KIND, name, name_size, &value, value_size)
        != MHD_YES)
        return NULL;
    return value;
}

static inline void pippin_mhd_each_field(
    struct MHD_Connection *_Nonnull connection, MHD_KeyValueIteratorN _Nonnull body,
    void *_Nullable context) {
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, body, context);
}

// A response with a body of its own; add fields, queue it, destroy it.
static inline struct MHD_Response *_Nullable pippin_mhd_copy_response(
    const void *_Nullable body, size_t size) {
    enum MHD_ResponseMemoryMode mode = size ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT;
    return MHD_create_response_from_buffer(size, (void *) body, mode);
}

static const ssize_t pippin_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t pippin_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

// A response of unknown length whose body `read` gives out; `context` is handed to `free` in the end.
static inline struct MHD_Response *_Nullable pippin_mhd_stream_response(
    size_t piece, MHD_ContentReaderCallback _Nonnull read, void *_Nonnull context,
    MHD_ContentReaderFreeCallback _Nonnull free) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, piece, read, context, free);
}

#endif
