/* The limit of HTTP here: libmicrohttpd, one epoll and one thread per core, a page that is a constant.

   page PORT THREADS     serves until standard input ends */

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char page[1024];

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *body_size, void **request) {
    (void)context, (void)url, (void)method, (void)version, (void)body, (void)body_size;
    static int seen;
    if (!*request) return *request = &seen, MHD_YES; /* an answer to the head alone would close the connection */
    struct MHD_Response *response = MHD_create_response_from_buffer(sizeof page, page, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "application/json;charset=UTF-8");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: page PORT THREADS\n"), 2;
    memset(page, 'x', sizeof page);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(atoi(arguments[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &answer, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, atoi(arguments[2]), MHD_OPTION_END);
    if (!daemon) return perror("page: cannot listen"), 1;
    puts("ready");
    fflush(stdout);
    for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) continue;
    MHD_stop_daemon(daemon);
    return 0;
}
