import AuthEngine
import Domain
import HTTP
import Web

/// The addresses of trials.
///
/// The engine knows a trial by the shape of its callback.
enum TrialRoutes {
    static let new = Route("/console/:team/service-ids/:service/trials/new", TeamID.self, ClientID.self)
    static let trials = Route("/console/:team/service-ids/:service/trials", TeamID.self, ClientID.self)
    static let trial = Route("/console/:team/trials/:trial", TeamID.self, TrialID.self)
    static let callback = Route("/console/:team/trials/:trial/callback", TeamID.self, TrialID.self)
}
