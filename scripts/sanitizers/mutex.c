// Tells ThreadSanitizer of Swift's Mutex. Where a thread has to wait for one, or wakes another, that happens in
// libswiftSynchronization, whose atomics no sanitizer has seen: what the lock protects would look unprotected.
//
// Loaded before that library, whose two functions it calls: _MutexHandle._lockSlow(_: UInt32) and _unlockSlow().
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in programs without the sanitizer, of which `swift test` itself is one.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*unlock_function)(SELF void *handle);

SWIFT void pippin_lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void pippin_unlock(SELF void *handle) __asm__(UNLOCK);

SWIFT void pippin_lock(uint32_t thread, SELF void *handle) {
    ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void pippin_unlock(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
