import CLinux
import Glibc
import HTTP
import Synchronization

/// The machine and container that this process runs on.
enum Machine {
    /// Number of online cores, regardless of the process's CPU affinity and its container's CPU share.
    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Octets of memory that this process may use: the machine's, or the limit of its container or unit.
    static var memory: Int {
        let installed = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return limits.reduce(installed, min)
    }

    /// Memory limits of this process's control group and of those above it (cgroups(7), version 2), in octets.
    private static var limits: [Int] {
        let group = lines(of: "/proc/self/cgroup").first { $0.hasPrefix("0::/") }?.dropFirst("0::/".count) ?? ""
        let names = group.split(separator: "/")
        return (0...names.count).compactMap { count in
            let folder = names.prefix(count).map { $0 + "/" }.joined()
            // A number, or "max".
            return firstLine(of: "/sys/fs/cgroup/\(folder)memory.max").flatMap { Int($0) }
        }
    }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Resident memory of this process in octets; 0 if unknown.
    static var residentMemory: Int {
        let words = firstLine(of: "/proc/self/statm")?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    private static func firstLine(of path: String) -> String? { lines(of: path).first }

    /// Lines of a file of the system, at most 1 MiB; empty if there is no such file.
    static func lines(of path: String) -> [String] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe fclose(file) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 8192)
        while text.count < 1 << 20 {
            let count = unsafe fread(&piece, 1, piece.count, file)
            guard count > 0 else { break }
            text += piece.prefix(count)
        }
        return text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}

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

/// Limits of a process's connections, derived from its limit of file descriptors.
struct ServerLimits {
    /// Descriptors per loop for connections to the database, to Apple, and for mail and lookups.
    private static let reservePerLoop = 216
    /// Descriptors for 64 checks and 64 notifications to servers of teams, for the log, files, and libraries.
    private static let reserve = 192
    private static let connectionsPerLoop = 4096
    /// Minimum number of connections, however few descriptors there are.
    private static let fewest = 16

    let connections: Int
    /// Maximum in flight of one client's network.
    let perNetwork: Int

    /// - Parameters:
    ///   - descriptors: maximum number of file descriptors of this process.
    ///   - chosen: maximum of one network; nil for a quarter of all.
    init(descriptors: Int, loops: Int, perNetwork chosen: Int? = nil) {
        let kept = min(Self.reserve + loops * Self.reservePerLoop, descriptors / 2)
        connections = max(Self.fewest, min(loops * Self.connectionsPerLoop, descriptors - kept))
        perNetwork = chosen ?? max(Self.fewest, connections / 4)
    }
}

extension Settings {
    /// Options of the HTTP servers.
    ///
    /// - Throws: `CommandFailure` if the certificate or key cannot be read.
    func serverOptions(loops: Int) throws(CommandFailure) -> ServerOptions {
        var options = ServerOptions(address: address, port: port)
        options.trustedProxies = trustedProxies
        if let tls { options.tls = try TLSFiles.read(tls) }
        let limits = ServerLimits(descriptors: Descriptors.limit, loops: loops, perNetwork: connectionsPerAddress)
        options.connectionLimit = limits.connections
        options.inFlightPerNetwork = limits.perNetwork
        if publicURL.isLoopback { options.hosts = HostRule(local: publicURL.host) }
        return options
    }
}

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
