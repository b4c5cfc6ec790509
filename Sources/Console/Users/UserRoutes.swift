import Domain
import HTTP
import Web

/// What may be done to a user.
enum UserRoutes {
    static let signOut = Route("/console/:team/users/:sub/sessions/end", TeamID.self, Subject.self)
    static let consentEnd = Route(
        "/console/:team/users/:sub/consents/:app/end",
        TeamID.self,
        Subject.self,
        ClientID.self
    )
    static let deletion = Route("/console/:team/users/:sub/deletion", TeamID.self, Subject.self)
}
