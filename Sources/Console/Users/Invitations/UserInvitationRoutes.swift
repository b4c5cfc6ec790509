import Domain
import HTTP
import Web

/// Routes of invitations to create an account with a team.
enum UserInvitationRoutes {
    static let list = Route("/console/:team/user-invitations", TeamID.self)
    static let resending = Route(
        "/console/:team/user-invitations/:invitation/resending", TeamID.self, InvitationID.self)
    static let withdrawal = Route(
        "/console/:team/user-invitations/:invitation/withdrawal", TeamID.self, InvitationID.self)
}
