import Domain
import HTTP
import Web

/// Routes of a team's members and invitations.
enum MemberRoutes {
    static let list = Route("/console/:team/members", TeamID.self)
    static let member = Route("/console/:team/members/:sub", TeamID.self, Subject.self)
    static let role = Route("/console/:team/members/:sub/role", TeamID.self, Subject.self)
    static let removal = Route("/console/:team/members/:sub/removal", TeamID.self, Subject.self)
    static let transfer = Route("/console/:team/members/:sub/transfer", TeamID.self, Subject.self)
    static let departure = Route("/console/:team/departure", TeamID.self)

    static let invitations = Route("/console/:team/invitations", TeamID.self)
    static let resending = Route("/console/:team/invitations/:invitation/resending", TeamID.self, InvitationID.self)
    static let withdrawal = Route("/console/:team/invitations/:invitation/withdrawal", TeamID.self, InvitationID.self)

    /// Page for the holder of an invitation link, who may not have an account yet.
    static let invitation = Route("/invitations/:token", String.self)
}
