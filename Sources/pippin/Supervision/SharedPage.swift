import CLinux
import Glibc

/// Memory that a worker writes and its supervisor reads once the worker has died: where it fell, what was loaded where,
/// and which requests were under way.
///
/// Writing costs no call of the system. It holds no registers, arguments or secrets. A worker that somebody has taken
/// over writes what it likes: the reader trusts nothing in it, copies what it looks at, and its size is fixed.
// @unchecked Sendable: each loop writes its own part; the supervisor reads when nobody should write any more.
@safe final class SharedPage: @unchecked Sendable {
    /// Octets for the note of a crash.
    private static let noteSize = 4096
    /// Octets for the list of what is loaded, as text.
    private static let mapsSize = 28 << 10

    /// To be inherited by the worker.
    let descriptor: Int32
    let loops: Int
    private let base: UnsafeMutableRawPointer

    /// A fresh one, all zeros, for a worker of so many loops.
    convenience init(forLoops loops: Int) throws(CommandFailure) {
        let descriptor = unsafe pippin_memory_create("pippin-worker", Self.size(loops))
        guard descriptor >= 0 else {
            throw CommandFailure("shared memory cannot be made: \(SystemError.last)", isTransient: true)
        }
        try self.init(taking: descriptor, loops: loops)
    }

    /// Takes over the descriptor of one that was made elsewhere.
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

    private static func size(_ loops: Int) -> Int {
        noteSize + mapsSize + loops * RequestBoard.size
    }

    /// Where a loop notes its requests.
    func board(ofLoop index: Int) -> RequestBoard {
        precondition(index < loops, "a board for each loop")
        let place = Self.noteSize + Self.mapsSize + index * RequestBoard.size
        return unsafe RequestBoard(at: base + place, keeping: self)
    }

    /// Where a fall is noted.
    var note: UnsafeMutablePointer<pippin_crash_note> {
        unsafe base.assumingMemoryBound(to: pippin_crash_note.self)
    }

    /// A copy of the note, which nobody else can write to.
    var copyOfNote: pippin_crash_note {
        let octets = unsafe Array(UnsafeRawBufferPointer(start: base, count: Self.noteSize))
        return unsafe octets.withUnsafeBytes { unsafe $0.loadUnaligned(as: pippin_crash_note.self) }
    }

    /// Which files hold the code of which addresses: the executable lines of proc(5)'s maps.
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

/// The words of the system for its last refusal.
enum SystemError {
    static var last: String { text(errno) }

    static func text(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
