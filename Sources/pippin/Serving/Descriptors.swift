import CLinux
import Glibc

/// The file descriptors of this process.
enum Descriptors {
    /// More than any process here needs; some systems allow a billion, and tables are made for as many as are allowed.
    private static let most = 1 << 19

    /// Allows as many as the system lets this process have (RLIMIT_NOFILE, getrlimit(2)): the soft limit of 1,024 is
    /// for programs that use select(2), which is used nowhere here.
    static func raiseLimit() {
        pippin_raise_descriptor_limit(UInt(most))
    }

    /// How many there may be.
    static var limit: Int { Int(Int32(clamping: pippin_descriptor_limit())) }

    /// How many there are; as many as there may be where none is left to look with.
    static var count: Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return limit }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Not the folder itself, the one above it, and the descriptor it is read with.
        return max(0, count - 3)
    }
}
