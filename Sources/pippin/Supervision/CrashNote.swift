import CLinux
import Glibc

/// Record of a worker's crash.
struct CrashNote {
    /// The signal of the crash.
    let signal: Int32
    /// The name of the thread that crashed.
    let thread: String
    /// Call stack, innermost first: functions, or files and offsets if no name is known.
    let frames: [String]

    /// The first frame with a function name, which is where to start looking.
    var place: String? { frames.first { !$0.contains("+0x") && !$0.hasPrefix("?") } }

    /// Makes this process record traps, faults and aborts in a page.
    static func watch(_ page: SharedPage) {
        _ = unsafe pippin_signal_stack()
        page.maps = Machine.lines(of: "/proc/self/maps").filter { $0.contains(" r-xp ") }.map { $0 + "\n" }.joined()
        unsafe pippin_crash_watch(page.note)
    }

    /// Reads the record of a dead worker; nil if it was killed or ended by itself.
    ///
    /// The worker could write all of it and may have been compromised, so nothing in it is trusted.
    init?(_ page: SharedPage) {
        let note = page.copyOfNote
        guard let signal = Int32(exactly: note.signal), Self.signals.contains(signal) else { return nil }
        self.signal = signal
        thread = unsafe withUnsafeBytes(of: note.thread) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let count = min(Int(note.frame_count), Int(pippin_crash_frames))
        let addresses = unsafe withUnsafeBytes(of: note.frames) { bytes in
            unsafe Array(bytes.bindMemory(to: UInt64.self).prefix(count))
        }
        let files = page.maps.split(separator: "\n").compactMap(LoadedFile.init)
        frames = Self.names(of: addresses.prefix(Self.mostFrames), in: files)
    }

    /// Names functions; reads each file once, whatever its path, one at a time and within one limit of octets.
    private static func names(of addresses: ArraySlice<UInt64>, in files: [LoadedFile]) -> [String] {
        let places = addresses.map { address in
            files.first { $0.range.contains(address) }.map { (address: address, file: $0) }
        }
        var names = places.map { $0.map { $0.file.name(of: $0.address, in: nil) } ?? "?" }
        let identities = places.map { $0.flatMap { ExecutableFile.Identity(of: $0.file.path) } }
        var octets = ExecutableFile.mostOctets
        var known: Set<ExecutableFile.Identity> = []
        for (identity, place) in zip(identities, places) {
            guard let identity, let place, known.insert(identity).inserted,
                let program = ExecutableFile(place.file.path, within: octets)
            else { continue }
            octets -= program.total
            for frame in identities.indices where identities[frame] == identity {
                guard let place = places[frame] else { continue }
                names[frame] = place.file.name(of: place.address, in: program)
            }
        }
        return names
    }

    private static let mostFrames = 24
    private static let signals: ClosedRange<Int32> = 1...64
}

/// A line of proc(5)'s maps: a loaded part of a file.
private struct LoadedFile {
    let range: Range<UInt64>
    private let offset: UInt64
    let path: String

    init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count == 6 else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1], let offset = UInt64(words[2], radix: 16) else { return nil }
        range = ends[0]..<ends[1]
        self.offset = offset
        path = String(words[5].drop { $0 == " " })
    }

    /// The function at an address in the range, else the file's name and the offset in it.
    func name(of address: UInt64, in program: ExecutableFile?) -> String {
        let place = address - range.lowerBound &+ offset
        if let (name, distance) = program?.function(at: place) { return "\(Self.readable(name))+\(distance)" }
        return "\(path.split(separator: "/").last ?? "")+0x\(String(place, radix: 16))"
    }

    /// The demangled name of a Swift function.
    private static func readable(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let text = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe demangle(bytes.baseAddress, bytes.count, nil, nil, 0)
        }
        guard let text = unsafe text else { return name }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

/// The demangler of the Swift runtime, which has no header.
@_silgen_name("swift_demangle") private func demangle(
    _ name: UnsafePointer<UInt8>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
