import Glibc

/// What this process runs on.
enum Machine {
    /// How many cores this process may use.
    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Octets of memory that this process may use: the machine's, or those of the container it runs in.
    static var memory: Int {
        let installed = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        // cgroup v2, "memory.max": a number, or "max".
        let limit = firstLine(of: "/sys/fs/cgroup/memory.max").flatMap { Int($0) }
        return limit.map { min($0, installed) } ?? installed
    }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Resident octets of this process; 0 where the system does not say.
    static var residentMemory: Int {
        let words = firstLine(of: "/proc/self/statm")?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// Of a short file that the system writes.
    private static func firstLine(of path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = unsafe fread(&text, 1, text.count, file)
        return String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
