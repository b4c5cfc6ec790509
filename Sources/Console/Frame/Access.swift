import Domain
import HTTP

/// Access rule of a route.
enum Access: Hashable, Sendable {
    /// Unauthenticated requests too, because the URL itself is the credential, such as the one-time setup link.
    case everybody
    /// Any console account.
    case account
    /// Operators of the installation only.
    case operators
    /// Members of the team in the path whose role has that right.
    case members(Right)
}

/// A route of the console with its access rule, for the test that requests every route.
struct MountedRoute: Sendable {
    let method: HTTP.Method
    /// The pattern as declared, such as `/console/:team/keys`.
    let pattern: String
    let access: Access
    /// Whether the route requires the form token (against cross-site request forgery) of a console page.
    let takesToken: Bool
    /// Whether a form counts toward the limit of its team in addition to that of its account.
    let countsForTeam: Bool
}
