import Domain
import HTTP
import OAuth
import Web

/// Routes of test sign-ins.
///
/// The engine recognizes a test sign-in by the form of its callback URL.
enum TestSignInRoutes {
    static let new = Route("/console/:team/service-ids/:service/trials/new", TeamID.self, ClientID.self)
    static let testSignIns = Route("/console/:team/service-ids/:service/trials", TeamID.self, ClientID.self)
    static let testSignIn = Route("/console/:team/trials/:trial", TeamID.self, TestSignInID.self)
    static let callback = Route("/console/:team/trials/:trial/callback", TeamID.self, TestSignInID.self)
}
