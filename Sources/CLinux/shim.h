// What Swift's Glibc module leaves out of Linux: epoll, eventfd, thread names, and malloc's knobs.
#ifndef PIPPIN_CLINUX_SHIM_H
#define PIPPIN_CLINUX_SHIM_H

#include <malloc.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

static const uint32_t pippin_epoll_read = EPOLLIN;
static const uint32_t pippin_epoll_write = EPOLLOUT;
static const uint32_t pippin_epoll_closed = EPOLLERR | EPOLLHUP;

static inline int pippin_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int pippin_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline int pippin_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = { .events = events, .data = { .u64 = token } };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int pippin_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = { .events = events, .data = { .u64 = token } };
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

static inline int pippin_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0);
}

// Names the calling thread; the kernel keeps the first 15 bytes.
static inline int pippin_name_thread(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Two arenas, and free memory at the top of the heap goes back early.
static inline void pippin_settle_malloc(void) {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

#endif
