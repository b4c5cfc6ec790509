// What a thread does before its process dies of a trap, a fault or an abort.
#ifndef PIPPIN_CRASH_H
#define PIPPIN_CRASH_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { pippin_crash_signals = 32 };

struct pippin_backtraces {
    // Seconds that a backtrace may take.
    unsigned limit;
    // Swift's handlers, by signal.
    struct sigaction handlers[pippin_crash_signals];
};

// Call it from one place only: what it keeps is the translation unit's own.
static inline struct pippin_backtraces *_Nonnull pippin_backtraces(void) {
    static struct pippin_backtraces backtraces;
    return &backtraces;
}

// Ends the line that Swift's handler has begun, so that the next one of the log is whole.
static void pippin_late_handler(int number) {
    // A reader that has stopped must not keep the process.
    struct pollfd output = { .fd = STDERR_FILENO, .events = POLLOUT };
    ssize_t ignored = poll(&output, 1, 0) == 1 ? write(STDERR_FILENO, "\n", 1) : 0;
    (void) ignored;
    signal(number, SIG_DFL);
    raise(number);
}

static void pippin_crash_handler(int number, siginfo_t *_Nullable info, void *_Nullable context) {
    // Swift's handler may wait for other threads for ever, or the program that it runs for memory that is damaged.
    signal(SIGALRM, pippin_late_handler);
    alarm(pippin_backtraces()->limit);
    // A process that has changed its user hides from that user where its code is loaded (PR_SET_DUMPABLE), which is what
    // the backtrace is made of.
    int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    pippin_backtraces()->handlers[number].sa_sigaction(number, info, context);
    prctl(PR_SET_DUMPABLE, dumpable == 1, 0, 0, 0);
    // Swift's handler returns to the instruction that trapped; a signal that was sent would be over by then.
    signal(number, SIG_DFL);
    raise(number);
}

// Bounds the time of the backtraces that the Swift runtime writes, if it does, and has the process die after each.
static inline void pippin_bound_backtraces(unsigned limit) {
    static const int numbers[] = { SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
    pippin_backtraces()->limit = limit;
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        struct sigaction *swift = &pippin_backtraces()->handlers[numbers[index]];
        if (sigaction(numbers[index], NULL, swift) != 0 || !(swift->sa_flags & SA_SIGINFO)) continue;
        struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
        action.sa_sigaction = pippin_crash_handler;
        sigemptyset(&action.sa_mask);
        sigaction(numbers[index], &action, NULL);
    }
}

enum { pippin_signal_stack_size = 64 << 10 };

// Gives the calling thread a stack for its signal handlers, without which there is no backtrace of one that has run out
// of stack; null where there is no memory for it.
static inline void *_Nullable pippin_signal_stack(void) {
    void *memory =
        mmap(NULL, pippin_signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    stack_t stack = { .ss_sp = memory, .ss_flags = 0, .ss_size = pippin_signal_stack_size };
    sigaltstack(&stack, NULL);
    return memory;
}

// Takes it back, before the thread ends.
static inline void pippin_drop_signal_stack(void *_Nullable memory) {
    stack_t none = { .ss_sp = NULL, .ss_flags = SS_DISABLE, .ss_size = 0 };
    if (!memory) return;
    sigaltstack(&none, NULL);
    munmap(memory, pippin_signal_stack_size);
}

#endif
