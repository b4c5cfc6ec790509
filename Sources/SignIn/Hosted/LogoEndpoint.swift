import AuthEngine
import Domain
import HTTP
import Tenancy
import Web

/// The team's logo.
///
/// Its address changes with it, so browsers may keep it for ever.
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

    /// The picture: ready to be sent where it is kept, else an answer that counts while it is sent.
    func answer(_ digest: String, of team: TeamID) async throws -> Response {
        // A closed team, of which there is no snapshot, shows nothing, whatever its rows still hold.
        guard digest.utf8.count == LogoName.digestSize, let snapshot = try await teams.snapshot(of: team)
        else { throw Problem.notFound }
        let name = LogoName(team: team, digest: digest)
        let isCurrent = snapshot.logoDigest == digest
        if isCurrent, let kept = cache.find(name) { return Response(kept) }
        // Another loop may have told of one that this one has not heard of.
        let found = try await cache.load(name) { [logos] in try await logos.find(digest, in: team) }
        guard let found else { throw Problem.notFound }
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
                // Looked at by itself, a picture runs nothing.
                HeaderField(.contentSecurityPolicy, "default-src 'none'; sandbox"),
            ],
            body: logo.octets
        )
    }
}
