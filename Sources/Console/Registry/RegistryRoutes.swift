import Domain
import HTTP
import Web

/// What is done to things of the registry; a verb is a resource of its own.
enum RegistryRoutes {
    static let appIDDeletion = Route("/console/:team/app-ids/:app/deletion", TeamID.self, ClientID.self)
    static let serviceIDDeletion = Route(
        "/console/:team/service-ids/:service/deletion",
        TeamID.self,
        ClientID.self
    )
    static let keyDownload = Route("/console/:team/keys/:key/download", TeamID.self, KeyID.self)
    static let keyRevocation = Route("/console/:team/keys/:key/revocation", TeamID.self, KeyID.self)
}
