// What Swift's Glibc module leaves out of Linux: epoll, eventfd, signalfd, what ties a process to another, thread names,
// and malloc_trim.
#ifndef PIPPIN_CLINUX_SHIM_H
#define PIPPIN_CLINUX_SHIM_H

#include <sched.h>
#include <stddef.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash.h"

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

// A descriptor that is readable when one of the signals, which must be blocked, has come.
static inline int pippin_signalfd_create(const sigset_t *_Nonnull signals) {
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Takes the next signal that has come; 0 where there is none.
static inline int pippin_signalfd_next(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == sizeof info ? (int) info.ssi_signo : 0;
}

// Has the calling process killed when the thread that started it ends; a change of user undoes that.
static inline int pippin_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

// For posix_spawn: has the new process begin a session, and so a process group, of its own; glibc names it for _GNU_SOURCE
// only.
static const short pippin_spawn_session = 0x80;

// A child that has ended and waits to be collected; 0 where there is none. As long as it waits its number, which is also
// that of its process group, is nobody else's.
static inline pid_t pippin_ended_child(void) {
    siginfo_t info = { 0 };
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

// Sends a signal to one thread of a process (tgkill(2)), so that the backtrace is of what that thread does.
static inline int pippin_signal_thread(int process, int thread, int number) {
    return (int) syscall(SYS_tgkill, process, thread, number);
}

// No program that is run from here on gains rights, whatever its file says; for threads that are started later, too.
static inline int pippin_gain_no_rights(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// Gives up the capabilities of the calling thread and of those that it starts later (capabilities(7)).
static inline int pippin_drop_capabilities(void) {
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return (int) syscall(SYS_capset, &header, none);
}

// Declared by the headers for _GNU_SOURCE only; glibc has all threads change.
extern int setresuid(uid_t real, uid_t effective, uid_t saved);
extern int setresgid(gid_t real, gid_t effective, gid_t saved);

// Makes the process that user's, in every sense in which it has one.
static inline int pippin_become(uid_t user, gid_t group) {
    return setresgid(group, group, group) == 0 && setresuid(user, user, user) == 0 ? 0 : -1;
}

// Gives free pages in the midst of the heap back too; takes the arenas' locks meanwhile.
static inline void pippin_trim_malloc(void) { malloc_trim(1 << 20); }

// How many descriptors this process may have.
static inline unsigned long pippin_descriptor_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

// Lets it have as many as it may allow itself, and not more than `most`.
static inline void pippin_raise_descriptor_limit(unsigned long most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = limit.rlim_max < most ? limit.rlim_max : most;
    if (wanted <= limit.rlim_cur) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// sched.h declares it for _GNU_SOURCE alone.
extern int sched_getaffinity(int process, size_t size, cpu_set_t *set);

// Number of cores that this process may run on (sched_setaffinity(2)), of up to 8,192; 0 if unknown.
static inline int pippin_usable_cores(void) {
    unsigned char set[1024] = { 0 };
    int count = 0;
    if (sched_getaffinity(0, sizeof set, (cpu_set_t *) set) != 0) return 0;
    for (size_t index = 0; index < sizeof set; index++) count += __builtin_popcount(set[index]);
    return count;
}

#endif
