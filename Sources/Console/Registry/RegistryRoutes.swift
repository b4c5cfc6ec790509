import HTTP
import Platform

/// Routes of a team's registry; each action on an object is a resource with its own path.
enum RegistryRoutes {
    static let appIDs = ResourceRoutes(
        list: ConsoleRoutes.appIDs, new: ConsoleRoutes.newAppID, one: ConsoleRoutes.appID,
        deletion: Route("/console/:team/app-ids/:app/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/app-ids", TeamID.self),
        checkOne: Route("/console/:team/checks/app-ids/:app", TeamID.self, ClientID.self))
    static let serviceIDs = ResourceRoutes(
        list: ConsoleRoutes.serviceIDs, new: ConsoleRoutes.newServiceID, one: ConsoleRoutes.serviceID,
        deletion: Route("/console/:team/service-ids/:service/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/service-ids", TeamID.self),
        checkOne: Route("/console/:team/checks/service-ids/:service", TeamID.self, ClientID.self))
    static let emailSources = ResourceRoutes(
        list: Route("/console/:team/email-sources", TeamID.self),
        new: Route("/console/:team/email-sources/new", TeamID.self),
        one: Route("/console/:team/email-sources/:source", TeamID.self, String.self),
        deletion: Route("/console/:team/email-sources/:source/deletion", TeamID.self, String.self),
        check: Route("/console/:team/checks/email-sources", TeamID.self),
        checkOne: Route("/console/:team/checks/email-sources/:source", TeamID.self, String.self))
    static let appleKeys = ResourceRoutes(
        list: Route("/console/:team/apple-keys", TeamID.self), new: Route("/console/:team/apple-keys/new", TeamID.self),
        one: Route("/console/:team/apple-keys/:key", TeamID.self, KeyID.self),
        deletion: Route("/console/:team/apple-keys/:key/deletion", TeamID.self, KeyID.self),
        check: Route("/console/:team/checks/apple-keys", TeamID.self),
        checkOne: Route("/console/:team/checks/apple-keys/:key", TeamID.self, KeyID.self))

    static let appleConnections = ResourceRoutes(
        list: Route("/console/:team/apple", TeamID.self), new: Route("/console/:team/apple/new", TeamID.self),
        one: Route("/console/:team/apple/:app", TeamID.self, ClientID.self),
        deletion: Route("/console/:team/apple/:app/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/apple", TeamID.self),
        checkOne: Route("/console/:team/checks/apple/:app", TeamID.self, ClientID.self))
    static let appleTests = Route("/console/:team/apple/:app/tests", TeamID.self, ClientID.self)
    static let appleSimulator = Route("/console/:team/apple/:app/simulator", TeamID.self, ClientID.self)

    static let emailSourceChecks = Route("/console/:team/email-sources/:source/checks", TeamID.self, String.self)
    static let domain = Route("/console/:team/domains/:domain", TeamID.self, String.self)
    static let domainChecks = Route("/console/:team/domains/:domain/checks", TeamID.self, String.self)
    static let associationFile = Route("/console/:team/domains/:domain/association-file", TeamID.self, String.self)
    static let keyDownload = Route("/console/:team/keys/:key/download", TeamID.self, KeyID.self)
    static let keyRevocation = Route("/console/:team/keys/:key/revocation", TeamID.self, KeyID.self)
}
