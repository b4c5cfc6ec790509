import CLinux
import Glibc
import HTTP
import Synchronization

/// Settings and state of the C library's allocator in this process.
enum Malloc {
    /// Growth of resident memory, in octets, from which `giveBack` returns free memory to the system.
    private static let slack = 16 << 20
    /// Lowest resident memory, in octets, since free memory was last returned to the system.
    private static let settled = Mutex(0)

    /// Environment variables that set up the allocator of a worker; none if the operator has set the variable.
    ///
    /// Two arenas, because few threads allocate; free memory at the top of the heap goes back early; what is longer than
    /// nearly every page and body has memory of its own, which goes back when it is freed. A thread keeps more blocks
    /// of each size than the default of 7, because a page consists of hundreds.
    static var variables: [String] {
        let name = "GLIBC_TUNABLES"
        guard Environment.value(name) == nil else { return [] }
        let tunables = ["arena_max=2", "trim_threshold=1048576", "mmap_threshold=262144", "tcache_count=200"]
        return ["\(name)=" + tunables.map { "glibc.malloc." + $0 }.joined(separator: ":")]
    }

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
