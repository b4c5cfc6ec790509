import Core
import Directory
import HTTP
import OAuth
import Platform

/// Signed-in user on a page of the account.
struct SignedInUser: Sendable {
    let request: Request
    let team: TeamSnapshot
    let browserContext: BrowserContext
    let session: Session
    let language: Language

    var subject: Subject { session.user.subject }

    /// Team and user to which the form tokens of all account pages are bound.
    var sheet: String { "account \(team.id) \(subject)" }

    /// Actor recorded in the audit log.
    var actor: Actor { team.id == .system ? .member(subject) : .person(subject) }
}
