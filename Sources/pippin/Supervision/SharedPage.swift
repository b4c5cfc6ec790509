import CLinux
import Glibc

/// Memory with a worker's crash record, loaded files and requests, for its supervisor to read after its death.
///
/// Writing costs no system call. It contains no registers, arguments or secrets. A compromised worker may write
/// anything, so the reader trusts nothing in it, copies what it reads, and relies on the fixed size.
// @unchecked Sendable: each loop writes its own part; the supervisor reads after the worker's end.
@safe final class SharedPage: @unchecked Sendable {
    /// Octets for the crash record.
    private static let noteSize = 4096
    /// Octets for the list of loaded files, as text.
    private static let mapsSize = 28 << 10

    /// Descriptor that the worker inherits.
    let descriptor: Int32
    let loops: Int
    private let base: UnsafeMutableRawPointer

    /// Creates memory, all zeros, for a worker with `loops` loops.
    convenience init(forLoops loops: Int) throws(CommandFailure) {
        let descriptor = unsafe pippin_memory_create("pippin-worker", Self.size(loops))
        guard descriptor >= 0 else {
            throw CommandFailure("shared memory cannot be made: \(SystemError.last)", isTransient: true)
        }
        try self.init(taking: descriptor, loops: loops)
    }

    /// Takes ownership of the descriptor of memory that another process created.
    init(taking descriptor: Int32, loops: Int) throws(CommandFailure) {
        let place = unsafe mmap(nil, Self.size(loops), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let place = unsafe place, unsafe place != MAP_FAILED else {
            throw CommandFailure("shared memory cannot be mapped: \(SystemError.last)", isTransient: true)
        }
        self.descriptor = descriptor
        self.loops = loops
        unsafe base = place
    }

    deinit {
        unsafe munmap(base, Self.size(loops))
        close(descriptor)
    }

    private static func size(_ loops: Int) -> Int { noteSize + mapsSize + loops * RequestRegister.size }

    /// The register in which a loop records its requests.
    func board(ofLoop index: Int) -> RequestRegister {
        precondition(index < loops, "a board for each loop")
        let place = Self.noteSize + Self.mapsSize + index * RequestRegister.size
        return unsafe RequestRegister(at: base + place, keeping: self)
    }

    /// The crash record.
    var note: UnsafeMutablePointer<pippin_crash_note> { unsafe base.assumingMemoryBound(to: pippin_crash_note.self) }

    /// A copy of the crash record, which no other process can change.
    var copyOfNote: pippin_crash_note {
        let octets = unsafe Array(UnsafeRawBufferPointer(start: base, count: Self.noteSize))
        return unsafe octets.withUnsafeBytes { unsafe $0.loadUnaligned(as: pippin_crash_note.self) }
    }

    /// The files whose code is loaded, with their addresses: the executable lines of proc(5)'s maps.
    var maps: String {
        get {
            let text = unsafe Array(UnsafeRawBufferPointer(start: base + Self.noteSize, count: Self.mapsSize))
            return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        set {
            let text = Array(newValue.utf8.prefix(Self.mapsSize - 1)) + [0]
            unsafe (base + Self.noteSize).copyMemory(from: text, byteCount: text.count)
        }
    }
}

/// Message of the last system call that failed.
enum SystemError {
    static var last: String { text(errno) }

    static func text(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
