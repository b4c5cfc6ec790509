import EventLoop
import HTTP
import OAuth
import Platform
import Registry

/// Endpoint of teams' logos.
///
/// The address changes with the logo, so browsers may cache it forever.
struct LogoEndpoint: Sendable {
    let logos: TeamLogoStore
    let teams: TeamCache
    let cache: LogoCache

    init(logos: TeamLogoStore, teams: TeamCache) {
        self.logos = logos
        self.teams = teams
        cache = LogoCache(loop: teams.loop)
    }

    func mount(on router: inout Router) {
        router.get(TeamRoutes.logo) { _, team, digest in try await answer(digest, of: team) }
    }

    /// Returns a prepared response for a cached logo, otherwise a response whose memory counts while it is sent.
    func answer(_ digest: String, of team: TeamID) async throws -> Response {
        // A closed team has no snapshot, so its logo is not served, whatever its rows still contain.
        guard digest.utf8.count == LogoName.digestSize, let snapshot = try await teams.snapshot(of: team) else {
            throw UserFacingError.notFound
        }
        let name = LogoName(team: team, digest: digest)
        let isCurrent = snapshot.logoDigest == digest
        if isCurrent, let kept = cache.find(name) { return Response(kept) }
        // Another loop may have linked to a logo that is newer than this loop's snapshot.
        let found = try await cache.load(name) { [logos] in try await logos.find(digest, in: team) }
        guard let found else { throw UserFacingError.notFound }
        let response = Self.response(found)
        guard isCurrent, let kept = try cache.keep(response, as: name) else { return response }
        return Response(kept)
    }

    private static func response(_ logo: TeamLogo) -> Response {
        Response(
            fields: [
                HeaderField(.contentType, logo.mediaType),
                HeaderField(.cacheControl, "public, max-age=31536000, immutable"),
                HeaderField(.xContentTypeOptions, "nosniff"),
                // An image opened as a document of its own runs no scripts.
                HeaderField(.contentSecurityPolicy, "default-src 'none'; sandbox"),
            ], body: logo.octets)
    }
}

/// Name of a logo: its team and SHA-256.
struct LogoName: Hashable, Sendable {
    /// Length of a SHA-256 in hexadecimal digits.
    static let digestSize = 64

    let team: TeamID
    let digest: String
}

/// Cache of logos as prepared responses, each in memory once, however many clients read it slowly.
///
/// Unauthenticated clients can request logos. The server does not count the memory of prepared responses that are being
/// sent, and clients may read slowly. So a logo stays, and counts, until no client can still be reading it; if there is
/// no room for another, it is sent as an ordinary response.
// @unchecked Sendable: accessed on its loop's thread only.
final class LogoCache: @unchecked Sendable {
    /// Octets of logos in the cache: some dozens of large ones.
    static let capacity = 8 << 20
    /// Nanoseconds for which a logo may still be sent after it was returned: twice the server's `sendTimeout`, which
    /// takes effect within two sweeps.
    static let reading: Int64 = 60_000_000_000
    /// Octets that an entry takes in addition to its image.
    static let overhead = 1024

    private struct Entry {
        let octets: Int
        let response: PreparedResponse
        /// Time at which the logo was last returned.
        var usedAt: Int64
    }

    private let loop: EventLoop
    private var entries: [LogoName: Entry] = [:]
    private var loading: [LogoName: Task<TeamLogo?, any Error>] = [:]
    private(set) var octets = 0

    init(loop: EventLoop) { self.loop = loop }

    /// Returns the cached logo, which counts as used now.
    func find(_ name: LogoName, at now: Int64 = MonotonicTime.now()) -> PreparedResponse? {
        entries[name]?.usedAt = now
        return entries[name]?.response
    }

    /// Reads a logo; concurrent requests for the same one share the read.
    func load(_ name: LogoName, _ read: @escaping @Sendable () async throws -> TeamLogo?) async throws -> TeamLogo? {
        if let task = loading[name] { return try await task.value }
        let task = Task(executorPreference: loop) { () async throws -> TeamLogo? in try await read() }
        loading[name] = task
        let result = await task.result
        loading[name] = nil
        return try result.get()
    }

    /// Adds a logo to the cache, which counts as used now.
    ///
    /// - Returns: the cached logo, possibly added by another request; nil if there is no room.
    func keep(_ response: Response, as name: LogoName, at now: Int64 = MonotonicTime.now()) throws(PreparedResponse
        .Failure) -> PreparedResponse?
    {
        if let kept = find(name, at: now) { return kept }
        let size = response.body.count + Self.overhead
        guard makeRoom(for: size, at: now) else { return nil }
        let prepared = try PreparedResponse(response)
        entries[name] = Entry(octets: size, response: prepared, usedAt: now)
        octets += size
        return prepared
    }

    /// Removes logos that no client can be reading, the least recently used first, and no more than necessary.
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
