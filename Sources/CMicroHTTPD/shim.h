// What Glibc declares, such as the types of addresses, must not be declared here again: Swift would know it twice.
#pragma clang module import SwiftGlibc
// What Swift cannot reach of libmicrohttpd: variadic functions, unions, and enums that import badly.
#ifndef PIPPIN_CMICROHTTPD_SHIM_H
#define PIPPIN_CMICROHTTPD_SHIM_H

#include <limits.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/socket.h>

#include "tls.h"

static const enum MHD_Result pippin_mhd_yes = MHD_YES;
static const enum MHD_Result pippin_mhd_no = MHD_NO;
static const enum MHD_ConnectionNotificationCode pippin_mhd_started = MHD_CONNECTION_NOTIFY_STARTED;
static const enum MHD_RequestTerminationCode pippin_mhd_completed = MHD_REQUEST_TERMINATED_COMPLETED_OK;

// Everything a daemon is started with.
struct pippin_mhd_setup {
    size_t connection_memory;
    size_t memory_increment;
    // Whether it speaks TLS; every connection is then given its credential when it is made.
    int encrypted;
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
    unsigned int flags =
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *) pippin_tls_retrieve },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) PIPPIN_TLS_PRIORITIES },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
    if (setup->encrypted) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, setup->answer, setup->context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, setup->connection_memory,
        MHD_OPTION_CONNECTION_MEMORY_INCREMENT, setup->memory_increment,
        // Who may connect is ours to say.
        MHD_OPTION_CONNECTION_LIMIT, UINT_MAX,
        MHD_OPTION_UNESCAPE_CALLBACK, pippin_mhd_keep_escapes, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, setup->target, setup->context,
        MHD_OPTION_NOTIFY_COMPLETED, setup->completed, setup->context,
        MHD_OPTION_NOTIFY_CONNECTION, setup->connection, setup->context,
        MHD_OPTION_ARRAY, setup->encrypted ? tls : none,
        MHD_OPTION_END);
}

// accept4(2). Its own header names it for _GNU_SOURCE only, which would give the types of the C library another shape
// here than in the other modules.
extern int pippin_accept4(
    int listener, struct sockaddr *_Nonnull address, socklen_t *_Nonnull size, int flags) __asm__("accept4");

// Takes the next connection of a listening socket, or -1; its socket does not block and is not inherited.
static inline int pippin_accept(
    int listener, struct sockaddr_storage *_Nonnull address, socklen_t *_Nonnull size) {
    return pippin_accept4(listener, (struct sockaddr *) address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
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
