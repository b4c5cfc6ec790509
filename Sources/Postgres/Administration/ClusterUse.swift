import Glibc
import Synchronization

/// This process's use of a cluster, from the moment when its server may be started.
public final class ClusterUse: Sendable {
    /// The lock, held shared as long as the cluster is used, and the location of the cluster.
    private let state = Mutex<(lock: FileLock, location: ClusterLocation)?>(nil)

    /// Creates a use that has not begun.
    public init() {}

    /// Requests a shutdown of the server, unless another process uses it, without waiting.
    ///
    /// For a process that ends at once, from any thread, as the one that starts or uses the cluster may stay blocked.
    public func abandon() {
        state.withLock { state in
            guard let state, state.lock.take(.exclusive) else { return }
            Postmaster.running(on: state.location.data)?.tellToEnd()
        }
    }

    func begin(of location: ClusterLocation, by lock: FileLock) { state.withLock { $0 = (lock, location) } }

    /// Whether no other process uses the cluster, in which case others are kept out; otherwise this use has ended.
    func isLast() -> Bool { state.withLock { $0?.lock.take(.exclusive) ?? false } }

    func end() { state.withLock { $0?.lock.release() } }
}
