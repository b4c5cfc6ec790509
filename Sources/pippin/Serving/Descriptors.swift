import CLinux
import Glibc

/// File descriptors of this process.
enum Descriptors {
    /// Upper bound for the limit, because some systems allow a billion and tables are sized by the limit.
    private static let most = 1 << 19

    /// Raises the soft limit (RLIMIT_NOFILE, getrlimit(2)) as far as the system allows.
    ///
    /// The default of 1,024 is for programs that use select(2), which Pippin does not.
    static func raiseLimit() { pippin_raise_descriptor_limit(UInt(most)) }

    /// Maximum number of open descriptors.
    static var limit: Int { Int(Int32(clamping: pippin_descriptor_limit())) }

    /// Number of open descriptors; the limit if no descriptor is left to count them with.
    static var count: Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return limit }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Without the entries "." and "..", and the descriptor that reads the directory.
        return max(0, count - 3)
    }
}
