import Glibc

/// An advisory lock on a file or folder (flock(2)), which the kernel releases when the process dies.
public final class FileLock: Sendable {
    enum Mode {
        case shared
        case exclusive

        fileprivate var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
    }

    private let descriptor: Int32

    /// Takes ownership of an open descriptor that is close-on-exec; nothing is locked yet.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Takes the lock unless another process holds it; a lock held in the other mode is released for it.
    func take(_ mode: Mode) -> Bool { flock(descriptor, mode.operation | LOCK_NB) == 0 }

    public func release() { flock(descriptor, LOCK_UN) }

    /// The process id that the holder wrote into the file.
    func readHolder() -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return String(validating: buffer.prefix(count), as: UTF8.self).flatMap { Int32($0) }
    }

    /// Writes the id of this process into the file as that of the holder.
    func writeHolder() {
        let text = Array(String(getpid()).utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }
}
