import CLinux

/// How the C library's allocator behaves in this process.
enum Malloc {
    /// Few arenas and early give-back: a handful of threads needs no more, and memory counts.
    static func settle() {
        pippin_settle_malloc()
    }
}
