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
