import CLinux
import Synchronization

/// How the C library's allocator behaves in this process.
enum Malloc {
    /// What may lie idle before it is given back, in octets.
    private static let slack = 16 << 20
    /// Resident memory after it was given back last.
    private static let settled = Mutex(0)

    /// Few arenas and early give-back: a handful of threads needs no more, and memory counts.
    static func settle() {
        pippin_settle_malloc()
    }

    /// Gives back what a busy time has left behind, unless that is little; returns what is resident then, in octets.
    ///
    /// Free memory lies scattered between what is in use, and the allocator by itself gives back only what is at the end.
    static func giveBack() -> Int {
        let resident = Machine.residentMemory
        return settled.withLock { settled in
            guard resident > settled + slack else {
                settled = min(settled, resident)
                return resident
            }
            pippin_trim_malloc()
            settled = Machine.residentMemory
            return settled
        }
    }
}
