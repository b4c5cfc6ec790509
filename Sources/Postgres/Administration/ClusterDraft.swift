import Glibc

/// A private cluster that is made in a folder of its own within a data folder, and moved to its place when it is whole.
///
/// Nobody else uses or makes a cluster of the data folder meanwhile. What is left by a process that was killed is deleted by
/// the next draft.
public final class ClusterDraft {
    private let target: DataDirectory
    private let lock: FileLock
    /// The folder in which the cluster is made.
    public private(set) var directory: DataDirectory

    /// - Parameter target: a data folder without a cluster.
    public init(in target: DataDirectory) throws(ClusterFailure) {
        let path = target.path + "/restore.partial"
        (self.target, lock) = (target, try target.lock(named: "cluster.lock"))
        guard lock.take(.exclusive) else { throw .busy(path: target.path) }
        if File.exists(path) { try Self.discard(try DataDirectory(path)) }
        directory = try DataDirectory(path)
    }

    /// Moves the data of the cluster, which nobody uses any more, to their place.
    public func finish() throws(ClusterFailure) {
        let (from, to) = (try Self.location(in: directory), try Self.location(in: target))
        guard Postmaster.status(on: from.data) == .absent else { throw .busy(path: from.home) }
        guard unsafe rename(from.data, to.data) == 0 else { throw ClusterFailure(.last(to.data)) }
        let folder = try ClusterFailure.mapping { () throws(FileFailure) in try Folder.open(to.home) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw ClusterFailure(.last(to.home)) }
    }

    /// Deletes the folder, with the cluster if it has not been moved.
    public func discard() throws(ClusterFailure) { try Self.discard(directory) }

    private static func discard(_ directory: DataDirectory) throws(ClusterFailure) {
        let location = try location(in: directory)
        try Postmaster.stop(on: location.data, limit: .zero, last: .seconds(10))
        Folder.remove([location.home, location.shortSocketFolder, directory.path])
    }

    private static func location(in directory: DataDirectory) throws(ClusterFailure) -> ClusterLocation {
        try ClusterLocation.choose(for: directory, try DatabaseUser.choose()) { _ in }
    }
}
