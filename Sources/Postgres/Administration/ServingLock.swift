/// The right to serve a data folder: given back by `release()`, at the latest when the process ends.
public final class ServingLock: Sendable {
    private let lock: FileLock

    init(_ lock: FileLock) {
        self.lock = lock
    }

    public func release() {
        lock.release()
    }
}
