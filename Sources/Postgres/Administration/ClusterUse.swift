import Glibc
import Synchronization

/// Our use of a cluster, from the moment on at which its server may be started.
public final class ClusterUse: Sendable {
    /// The lock is held shared as long as the cluster is used.
    private let state = Mutex<(lock: FileLock, location: ClusterLocation)?>(nil)

    /// A use that has not begun.
    public init() {}

    /// Tells the server to end, unless another process uses it, and waits for nothing.
    ///
    /// For a process that ends at once, from any thread: the one that starts or uses the cluster may be blocked for good.
    public func abandon() {
        state.withLock { state in
            guard let state, state.lock.take(.exclusive) else { return }
            Postmaster.running(on: state.location.data)?.tellToEnd()
        }
    }

    func begin(of location: ClusterLocation, by lock: FileLock) {
        state.withLock { $0 = (lock, location) }
    }

    /// Whether nobody else uses the cluster, who is kept away from it then; otherwise our use is over.
    func isLast() -> Bool {
        state.withLock { $0?.lock.take(.exclusive) ?? false }
    }

    func end() {
        state.withLock { $0?.lock.release() }
    }
}
