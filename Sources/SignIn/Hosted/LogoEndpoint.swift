import Domain
import HTTP
import Tenancy
import Web

/// The team's logo.
///
/// Its address changes with it, so browsers may keep it for ever.
struct LogoEndpoint: Sendable {
    let logos: TeamLogoStore

    func mount(on router: inout Router) {
        router.get(TeamRoutes.logo) { _, team, digest in
            guard let logo = try await logos.find(digest, in: team) else { throw Problem.notFound }
            return Response(
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
}
