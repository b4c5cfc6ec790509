// What a process leaves behind when it falls: written by a signal handler into memory that another process reads.
#ifndef PIPPIN_CRASH_H
#define PIPPIN_CRASH_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

enum { pippin_crash_frames = 48 };

struct pippin_crash_note {
    // The signal; 0 as long as nothing has happened.
    uint32_t signal;
    uint32_t frame_count;
    // The name of the thread that fell.
    char thread[16];
    // Where it stood, then who had called it: return addresses less one.
    uint64_t frames[pippin_crash_frames];
};

// Where the process notes its end.
static inline struct pippin_crash_note *_Nullable *_Nonnull pippin_crash_place(void) {
    static struct pippin_crash_note *place = NULL;
    return &place;
}

// Follows the saved frame pointers, which Swift's code keeps; each lies further up the stack than the one before. A bad
// one is a fault within this handler, which ends the process like the first, and what was noted by then stays.
static inline void pippin_crash_walk(
    struct pippin_crash_note *_Nonnull note, uint64_t counter, uint64_t frame, uint64_t stack) {
    const uint64_t reach = 8 << 20;
    note->frames[0] = counter;
    note->frame_count = 1;
    uint64_t last = stack;
    while (note->frame_count < pippin_crash_frames) {
        if (frame % 8 || frame < last || frame - stack > reach) return;
        const uint64_t *words = (const uint64_t *) frame;
        if (!words[1]) return;
        note->frames[note->frame_count] = words[1] - 1;
        note->frame_count += 1;
        last = frame + 16;
        // Swift marks the frames of async functions in bit 60.
        frame = words[0] & ~(UINT64_C(1) << 60);
    }
}

static void pippin_crash_handler(int number, siginfo_t *_Nullable info, void *_Nullable context) {
    (void) info;
    struct pippin_crash_note *note = *pippin_crash_place();
    uint32_t none = 0;
    if (note && context
        && __atomic_compare_exchange_n(
            &note->signal, &none, (uint32_t) number, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        const mcontext_t *machine = &((const ucontext_t *) context)->uc_mcontext;
        prctl(PR_GET_NAME, note->thread, 0, 0, 0);
#if defined(__x86_64__)
        // REG_RIP, REG_RBP and REG_RSP, which only _GNU_SOURCE names.
        pippin_crash_walk(
            note, (uint64_t) machine->gregs[16], (uint64_t) machine->gregs[10], (uint64_t) machine->gregs[15]);
#elif defined(__aarch64__)
        pippin_crash_walk(note, machine->pc, machine->regs[29], machine->sp);
#else
        (void) machine;
#endif
    }
    // Then it dies as it would have.
    signal(number, SIG_DFL);
    raise(number);
}

// Has traps, faults and aborts of this process noted in `note`. Call it from one place only: what it keeps is the
// translation unit's own.
static inline void pippin_crash_watch(struct pippin_crash_note *_Nonnull note) {
    static const int numbers[] = { SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGSYS };
    *pippin_crash_place() = note;
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
    action.sa_sigaction = pippin_crash_handler;
    sigfillset(&action.sa_mask);
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
        sigaction(numbers[index], &action, NULL);
}

enum { pippin_signal_stack_size = 64 << 10 };

// Gives the calling thread a stack for its signal handlers, since one that has run out of stack could not note that;
// null where there is no memory for it.
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
