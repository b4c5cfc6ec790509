/// Lock to serve a data folder, released by `release()` or when the process ends.
public final class ServingLock: Sendable {
    private let lock: FileLock

    init(_ lock: FileLock) { self.lock = lock }

    public func release() { lock.release() }
}
