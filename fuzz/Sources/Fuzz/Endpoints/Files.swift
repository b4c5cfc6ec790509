import Glibc

/// Small files, read and written whole.
enum Files {
    static func all(in folder: String) -> [[UInt8]] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().compactMap { read("\(folder)/\($0)") }
    }

    static func read(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var octets = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&octets, 1, octets.count, file)
        return Array(octets.prefix(count))
    }

    static func write(_ octets: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "w") else { return }
        defer { unsafe fclose(file) }
        _ = unsafe fwrite(octets, 1, octets.count, file)
    }

    /// Writes to standard error, where libFuzzer writes as well.
    static func tell(_ text: String) { _ = unsafe Glibc.write(2, text, text.utf8.count) }
}
