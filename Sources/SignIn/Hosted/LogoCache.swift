import Domain
import EventLoop
import HTTP
import Tenancy

/// A picture by its team and its SHA-256.
struct LogoName: Hashable, Sendable {
    /// Of a SHA-256 in hexadecimal digits.
    static let digestSize = 64

    let team: TeamID
    let digest: String
}

/// Logos that are kept ready to be sent: strangers ask for them, and however many read one at a time, it is in memory
/// once.
///
/// The server does not count what is kept here while it is sent, and its clients may take their time. So a picture stays,
/// and counts, until nobody can be reading it any more; what finds no room meanwhile is sent as an answer like any other.
// @unchecked Sendable: touched on its loop's thread alone.
final class LogoCache: @unchecked Sendable {
    /// Octets of pictures that are kept at a time: some dozens of large ones.
    static let capacity = 8 << 20
    /// Nanoseconds for which a picture that was handed out may still be on its way: twice the server's `sendTimeout`, which
    /// ends within two sweeps.
    static let reading: Int64 = 60_000_000_000
    /// What a picture takes beside its octets.
    static let overhead = 1024

    private struct Entry {
        let octets: Int
        let response: PreparedResponse
        /// When it was last handed out.
        var usedAt: Int64
    }

    private let loop: EventLoop
    private var entries: [LogoName: Entry] = [:]
    private var loading: [LogoName: Task<TeamLogo?, any Error>] = [:]
    private(set) var octets = 0

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// The kept picture, to be handed out now.
    func find(_ name: LogoName, at now: Int64 = MonotonicTime.now()) -> PreparedResponse? {
        entries[name]?.usedAt = now
        return entries[name]?.response
    }

    /// Reads a picture; requests that miss together share one reading.
    func load(
        _ name: LogoName,
        _ read: @escaping @Sendable () async throws -> TeamLogo?
    ) async throws -> TeamLogo? {
        if let task = loading[name] { return try await task.value }
        let task = Task(executorPreference: loop) { () async throws -> TeamLogo? in try await read() }
        loading[name] = task
        let result = await task.result
        loading[name] = nil
        return try result.get()
    }

    /// Keeps a picture, to be handed out now.
    ///
    /// - Returns: the one that is kept, perhaps since another request; nil where there is no room.
    func keep(
        _ response: Response,
        as name: LogoName,
        at now: Int64 = MonotonicTime.now()
    ) throws(PreparedResponse.Failure) -> PreparedResponse? {
        if let kept = find(name, at: now) { return kept }
        let size = response.body.count + Self.overhead
        guard makeRoom(for: size, at: now) else { return nil }
        let prepared = try PreparedResponse(response)
        entries[name] = Entry(octets: size, response: prepared, usedAt: now)
        octets += size
        return prepared
    }

    /// Lets pictures go that nobody reads any more, the longest unused first, and no more than are in the way.
    private func makeRoom(for size: Int, at now: Int64) -> Bool {
        guard octets + size > Self.capacity else { return true }
        let idle = entries.filter { now - $0.value.usedAt >= Self.reading }
        let held = idle.reduce(octets) { $0 - $1.value.octets }
        guard held + size <= Self.capacity else { return false }
        for (name, entry) in idle.sorted(by: { $0.value.usedAt < $1.value.usedAt }) {
            guard octets + size > Self.capacity else { break }
            entries[name] = nil
            octets -= entry.octets
        }
        return true
    }
}
