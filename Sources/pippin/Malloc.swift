import CLinux
import Synchronization

/// Settings and state of the C library's allocator in this process.
enum Malloc {
    /// Growth of resident memory, in octets, from which `giveBack` returns free memory to the system.
    private static let slack = 16 << 20
    /// Lowest resident memory, in octets, since free memory was last returned to the system.
    private static let settled = Mutex(0)

    /// Limits the allocator to two arenas and makes it return free memory early, because few threads allocate.
    static func settle() { pippin_settle_malloc() }

    /// Returns free memory to the system if resident memory has grown enough, and reports resident memory in octets.
    ///
    /// By itself, the allocator returns only the free memory at the end of the heap, while most lies between blocks in
    /// use.
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
