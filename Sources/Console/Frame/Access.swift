import Domain
import HTTP

/// Who may ask for a page.
enum Access: Hashable, Sendable {
    /// Everybody: the page has a proof of its own, as the one-time link of the first set-up.
    case everybody
    /// Any console account.
    case account
    /// Operators of the installation.
    case operators
    /// Members of the team in the path whose role has that right.
    case members(Right)
}

/// A route of the console with what it asks of people, for the table that tests walk.
struct MountedRoute: Sendable {
    let method: HTTP.Method
    /// As it was declared, such as `/console/:team/keys`.
    let pattern: String
    let access: Access
    /// Whether it is a form that needs the token of a page of the console.
    let takesToken: Bool
    /// Whether a form counts for its team, beside its account.
    let countsForTeam: Bool
}
