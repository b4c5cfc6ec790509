import Directory
import Domain
import HTTP
import OAuth
import Web

/// Routes of changes to a user, and of the user's second factors and data export.
enum UserRoutes {
    static let signOut = Route("/console/:team/users/:sub/sessions/end", TeamID.self, Subject.self)
    static let consentEnd = Route(
        "/console/:team/users/:sub/consents/:app/end", TeamID.self, Subject.self, ClientID.self)
    static let tokenRevocation = Route(
        "/console/:team/users/:sub/tokens/:refresh/revocation", TeamID.self, Subject.self, RefreshTokenID.self)
    static let tokenRevocations = Route("/console/:team/users/:sub/tokens/revocation", TeamID.self, Subject.self)
    static let suspension = Route("/console/:team/users/:sub/suspension", TeamID.self, Subject.self)
    static let suspensionEnd = Route("/console/:team/users/:sub/suspension/end", TeamID.self, Subject.self)
    static let factors = Route("/console/:team/users/:sub/factors", TeamID.self, Subject.self)
    static let factorReset = Route("/console/:team/users/:sub/factors/reset", TeamID.self, Subject.self)
    static let export = Route("/console/:team/users/:sub/export", TeamID.self, Subject.self)
    static let deletion = Route("/console/:team/users/:sub/deletion", TeamID.self, Subject.self)
}
