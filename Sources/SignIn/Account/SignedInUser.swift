import Core
import Directory
import HTTP
import OAuth
import Platform

/// Visit of a signed-in user to a page of the account.
struct SignedInUser: Sendable {
    let visit: Visit
    let session: Session

    var request: Request { visit.request }
    var team: TeamSnapshot { visit.team }
    var language: Language { request.language }

    var subject: Subject { session.user.subject }

    /// Team and user to which the form tokens of all account pages are bound.
    var sheet: String { "account \(team.id) \(subject)" }

    /// Actor recorded in the audit log.
    var actor: Actor { team.id == .system ? .member(subject) : .person(subject) }
}
