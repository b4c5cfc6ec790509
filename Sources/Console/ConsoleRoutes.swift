import HTTP
import OAuth
import Platform
import SignIn

/// Routes of the console; each declaration both matches requests and builds links.
enum ConsoleRoutes {
    static let setup = Route("/setup/:token", String.self)

    static let home = Route("/console")
    static let teams = Route("/console/teams")
    static let newTeam = Route("/console/teams/new")

    static let overview = Route("/console/:team", TeamID.self)
    static let users = Route("/console/:team/users", TeamID.self)
    static let user = Route("/console/:team/users/:sub", TeamID.self, Subject.self)
    static let traces = Route("/console/:team/flows", TeamID.self)
    static let trace = Route("/console/:team/flows/:flow", TeamID.self, TraceID.self)
    static let audit = Route("/console/:team/audit", TeamID.self)
    static let auditEvent = Route("/console/:team/audit/events/:event", TeamID.self, AuditReference.self)
    static let auditExport = Route("/console/:team/audit/export", TeamID.self)
    static let auditVerification = Route("/console/:team/audit/verification", TeamID.self)

    static let appIDs = Route("/console/:team/app-ids", TeamID.self)
    static let newAppID = Route("/console/:team/app-ids/new", TeamID.self)
    static let appID = Route("/console/:team/app-ids/:app", TeamID.self, ClientID.self)
    static let serviceIDs = Route("/console/:team/service-ids", TeamID.self)
    static let newServiceID = Route("/console/:team/service-ids/new", TeamID.self)
    static let serviceID = Route("/console/:team/service-ids/:service", TeamID.self, ClientID.self)
    static let keys = Route("/console/:team/keys", TeamID.self)
    static let newKey = Route("/console/:team/keys/new", TeamID.self)
    static let key = Route("/console/:team/keys/:key", TeamID.self, KeyID.self)
}
