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
