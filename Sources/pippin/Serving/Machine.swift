import CLinux
import Glibc
import HTTP
import Synchronization

/// The machine and container that this process runs on.
enum Machine {
    /// Number of cores that this process may use: its CPU affinity's, or the CPU share of its container or unit.
    static var cores: Int {
        let allowed = Int(pippin_usable_cores())
        let usable = allowed > 0 ? allowed : sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let shares = limits("cpu.max").compactMap(cores(share:))
        return max(1, shares.reduce(usable, min))
    }

    /// Number of cores, rounded up, of a quota and its period in microseconds; nil without a quota.
    static func cores(share: String) -> Int? {
        let numbers = share.split(separator: " ").map { Int($0) }
        guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0, period > 0 else {
            return nil
        }
        return (quota - 1) / period + 1
    }

    /// Octets of memory that this process may use: the machine's, or the limit of its container or unit.
    static var memory: Int {
        let installed = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return limits("memory.max").compactMap { Int($0) }.reduce(installed, min)
    }

    /// A limit of this process's control group and of those above it (cgroups(7), version 2), which may be "max".
    private static func limits(_ name: String) -> [String] {
        let group = lines(of: "/proc/self/cgroup").first { $0.hasPrefix("0::/") }?.dropFirst("0::/".count) ?? ""
        let names = group.split(separator: "/")
        return (0...names.count).compactMap { count in
            firstLine(of: "/sys/fs/cgroup/\(names.prefix(count).map { $0 + "/" }.joined())\(name)")
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
