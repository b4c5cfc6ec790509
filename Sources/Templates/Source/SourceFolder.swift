import Glibc

/// A folder of templates or texts, read with POSIX calls.
struct SourceFolder: Sendable {
    let path: String
    /// Suffix of the file names.
    private let suffix: String
    /// Prefix of the paths in diagnostics.
    private let prefix: String

    init(templates path: String) {
        self.path = path
        (suffix, prefix) = (".html", "")
    }

    init(texts path: String) {
        self.path = path
        (suffix, prefix) = (".txt", "Texts/")
    }

    /// Identity and modification time of a file, to detect edits.
    struct Stamp: Equatable, Sendable {
        let name: String
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    /// Returns the stamps of all files with the suffix below the folder, sorted by name.
    ///
    /// Two results are equal as long as no file is edited, added or removed.
    func stamps() throws(Diagnostics) -> [Stamp] {
        var found: [Stamp] = []
        try collect(below: "", depth: 0, into: &found)
        return found
    }

    /// Reads one file.
    func source(_ name: String) throws(Diagnostics) -> Source {
        Source(name: name, bytes: try read(name + suffix), file: prefix + name + suffix)
    }

    private func read(_ name: String) throws(Diagnostics) -> [UInt8] {
        let file = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name) }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name) }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= TemplateLimit.sourceBytes else {
                throw problem(name, "more than \(TemplateLimit.sourceBytes) bytes", "a shorter file")
            }
        }
    }

    private func collect(below prefix: String, depth: Int, into found: inout [Stamp]) throws(Diagnostics) {
        guard depth <= TemplateLimit.folders else {
            throw problem(prefix, "more than \(TemplateLimit.folders) folders inside each other", "fewer")
        }
        for entry in try entries(of: prefix) where !entry.hasPrefix(".") {
            let name = prefix.isEmpty ? entry : prefix + "/" + entry
            var status = stat()
            // A file that vanished after the folder was listed was renamed by an editor: skip it.
            guard unsafe stat(path + "/" + name, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try collect(below: name, depth: depth + 1, into: &found)
            } else if status.st_mode & S_IFMT == S_IFREG, name.hasSuffix(suffix) {
                found.append(stamp(String(name.dropLast(suffix.count)), status))
            }
            guard found.count <= TemplateLimit.files else {
                throw problem(prefix, "more than \(TemplateLimit.files) files", "fewer")
            }
        }
    }

    private func stamp(_ name: String, _ status: stat) -> Stamp {
        Stamp(
            name: name, inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec), )
    }

    private func entries(of prefix: String) throws(Diagnostics) -> [String] {
        guard let directory = unsafe opendir(path + "/" + prefix) else { throw unreadable(prefix) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) { names.append(unsafe name(of: entry)) }
        return names.sorted()
    }

    /// Returns an entry's name from the record itself, which is zero-terminated and may be shorter than its type.
    private func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(entry) + offset
        return unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
    }

    private func unreadable(_ name: String) -> Diagnostics {
        let reason = unsafe String(cString: strerror(errno))
        return problem(name, "`\(path)/\(name)`, which cannot be read (\(reason))", "a readable file")
    }

    private func problem(_ file: String, _ found: String, _ expected: String) -> Diagnostics {
        Diagnostics(Diagnostic(at: Location(file: prefix + file, line: 1, column: 1), found: found, expected: expected))
    }
}

/// Content of one template or one text file.
struct Source: Sendable {
    /// Path below its folder, without `.html` or `.txt`.
    let name: String
    let bytes: [UInt8]
    /// Path of the file in diagnostics.
    let file: String
    /// Offset of the start of each line.
    private let lines: [Int]

    init(name: String, bytes: [UInt8], file: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.file = file ?? name + ".html"
        lines = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Returns the line and column of a byte offset; columns count Unicode scalars.
    func location(at offset: Int) -> Location {
        let line = lines.partitioningIndex { $0 > offset }
        let before = bytes[lines[line - 1]..<min(offset, bytes.count)]
        let column = before.count { $0 & 0xC0 != 0x80 } + 1
        return Location(file: file, line: line, column: column)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension [Int] {
    /// Number of leading elements for which `isBeyond` is false; the elements must be sorted.
    fileprivate func partitioningIndex(where isBeyond: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension UInt8 {
    /// Space, tab, line feed, form feed, carriage return: ASCII whitespace of the HTML Standard.
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D }

    /// The letter in lower case, anything else unchanged.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

/// The folders of templates and texts.
struct PageFolders: Sendable {
    let templates: SourceFolder
    /// Nil for pages without texts.
    let texts: SourceFolder?

    /// File stamps of both folders, equal as long as no file is edited, added or removed.
    struct Stamps: Equatable, Sendable {
        var templates: [SourceFolder.Stamp] = []
        var texts: [SourceFolder.Stamp] = []
    }

    init(templates: String, texts: String?) {
        self.templates = SourceFolder(templates: templates)
        self.texts = texts.map(SourceFolder.init(texts:))
    }

    func stamps() throws(Diagnostics) -> Stamps {
        var stamps = Stamps(templates: try templates.stamps())
        if let texts { stamps.texts = try texts.stamps() }
        return stamps
    }

    func read(_ stamps: Stamps) throws(Diagnostics) -> TemplateSet {
        var catalogue = Translations()
        if let texts { catalogue = try Translations(texts, stamps.texts) }
        return try TemplateSet(templates, stamps.templates, catalogue)
    }
}
