import AuthEngine
import Domain
import HTTP
import Web

/// The addresses of what Apple does not take back.
enum AppleTokenRoutes {
    static let tokens = Route("/console/:team/apple-tokens", TeamID.self)
    /// Trying again is making a retrial.
    static let retrials = Route(
        "/console/:team/apple-tokens/:appletoken/retrials",
        TeamID.self,
        ProviderTokenID.self
    )
}
