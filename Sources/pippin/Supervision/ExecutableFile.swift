import CLinux
import Glibc

/// The functions of an ELF file (System V ABI, chapters 4 and 5), found by their offset in the file.
///
/// A file that is not valid, 64-bit and of this machine's byte order has none.
@safe final class ExecutableFile {
    /// Maximum total size, in octets, of the files that are read for one report.
    static let mostOctets = 1 << 28
    /// The magic octets, and the class of 64 bits.
    private static let mark: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2]

    private let bytes: UnsafeMutableRawBufferPointer

    /// Identity of a file, independent of its path.
    struct Identity: Hashable {
        private let device: dev_t
        private let number: ino_t

        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    /// Reads a program or a library of at most `limit` octets; nil if that fails.
    ///
    /// The path comes from a dead worker, which may have been compromised, and this process may be root. Therefore only
    /// files are read whose owners could have this process run code anyway. The file is not mapped, because truncating
    /// a mapped file would end this process.
    init?(_ path: String, within limit: Int) {
        // A device is not opened, because opening some has effects. Opening by descriptor makes sure that the file
        // which was checked is the one that is read, even if the path changes.
        let place = unsafe pippin_open_place(path)
        guard place >= 0 else { return nil }
        defer { close(place) }
        var status = stat()
        guard unsafe fstat(place, &status) == 0, Self.isTrusted(status) else { return nil }
        let descriptor = unsafe open("/proc/self/fd/\(place)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard unsafe fstat(descriptor, &status) == 0, Self.isTrusted(status), status.st_size <= limit else {
            return nil
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(status.st_size), alignment: 16)
        var count = 0
        while count < buffer.count {
            let more = unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            guard more > 0 else { break }
            count += more
        }
        guard count == buffer.count, unsafe buffer.starts(with: Self.mark) else {
            unsafe buffer.deallocate()
            return nil
        }
        unsafe bytes = buffer
    }

    deinit { unsafe bytes.deallocate() }

    /// Whether it is a regular file of valid size, owned by root, this user or the owner of this program.
    private static func isTrusted(_ status: stat) -> Bool {
        var program = stat()
        guard unsafe stat("/proc/self/exe", &program) == 0, [0, geteuid(), program.st_uid].contains(status.st_uid),
            status.st_mode & 0o002 == 0
        else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size > 64
    }

    /// The name of the function at an offset of the file, from its symbol tables, and the distance from its start.
    func function(at offset: UInt64) -> (name: String, distance: UInt64)? {
        guard let address = address(ofOffset: offset) else { return nil }
        for kind: UInt32 in [Self.symbolTable, Self.dynamicSymbols] {
            if let found = function(at: address, in: kind) { return found }
        }
        return nil
    }

    /// Size of the file in octets.
    var total: Int { unsafe bytes.count }

    private static let symbolTable: UInt32 = 2
    private static let dynamicSymbols: UInt32 = 11
    private static let functionType: UInt8 = 2

    /// The virtual address of an offset in the file, according to the loaded segments.
    private func address(ofOffset offset: UInt64) -> UInt64? {
        guard let table = field(32, UInt64.self), let count = field(56, UInt16.self), let size = field(54, UInt16.self)
        else { return nil }
        for index in 0..<Int(count) {
            let header = Int(truncatingIfNeeded: table) &+ index * Int(size)
            guard field(header, UInt32.self) == 1, let begin = field(header &+ 8, UInt64.self),
                let virtual = field(header &+ 16, UInt64.self), let length = field(header &+ 32, UInt64.self)
            else { continue }
            if offset >= begin, offset - begin < length { return virtual &+ (offset - begin) }
        }
        return nil
    }

    private func function(at address: UInt64, in kind: UInt32) -> (name: String, distance: UInt64)? {
        guard let table = section(of: kind), let names = section(table.link) else { return nil }
        var best: (name: Int, value: UInt64)?
        for place in stride(from: table.offset, to: table.offset + table.size - 23, by: 24) {
            guard let information = field(place + 4, UInt8.self), information & 0xF == Self.functionType,
                let value = field(place + 8, UInt64.self), value <= address, value > best?.value ?? 0,
                let name = field(place, UInt32.self)
            else { continue }
            best = (Int(name), value)
        }
        guard let best, best.name < names.size else { return nil }
        return (text(at: names.offset + best.name, end: names.offset + names.size), address - best.value)
    }

    private struct Section {
        let offset: Int
        let size: Int
        let link: Int
    }

    private func section(of kind: UInt32) -> Section? {
        guard let count = field(60, UInt16.self) else { return nil }
        for index in 0..<Int(count) where field(header(ofSection: index) &+ 4, UInt32.self) == kind {
            return section(index)
        }
        return nil
    }

    private func section(_ index: Int) -> Section? {
        let header = header(ofSection: index)
        guard let offset = field(header &+ 24, UInt64.self), let size = field(header &+ 32, UInt64.self),
            let link = field(header &+ 40, UInt32.self), let offset = Int(exactly: offset),
            let size = Int(exactly: size), size >= 24, offset <= total, size <= total - offset
        else { return nil }
        return Section(offset: offset, size: size, link: Int(link))
    }

    private func header(ofSection index: Int) -> Int {
        Int(truncatingIfNeeded: field(40, UInt64.self) ?? 0) &+ index &* Int(field(58, UInt16.self) ?? 0)
    }

    private func text(at start: Int, end: Int) -> String {
        unsafe String(decoding: bytes[start..<end].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// An integer of the file; nil outside its bounds.
    private func field<Number: FixedWidthInteger & BitwiseCopyable>(_ place: Int, _: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard place >= 0, place <= total - size else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: place, as: Number.self)
    }
}
