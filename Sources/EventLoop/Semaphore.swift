import Glibc

/// A counting semaphore for threads (sem_overview(7)).
// @unchecked Sendable: `sem_t` is made for sharing between threads.
@safe final class Semaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func signal() { unsafe sem_post(semaphore) }

    /// Blocks the calling thread until the count is positive, then decrements it.
    func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
