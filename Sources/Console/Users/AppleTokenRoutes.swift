import Domain
import Federation
import HTTP
import Web

/// Routes of Apple tokens that could not be revoked or validated.
enum AppleTokenRoutes {
    static let tokens = Route("/console/:team/apple-tokens", TeamID.self)
    /// A POST retries the revocation.
    static let retrials = Route("/console/:team/apple-tokens/:appletoken/retrials", TeamID.self, UpstreamTokenID.self)
}
