import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform

/// Browser of a request: its browser cookie, and its session at a team.
struct BrowserContext: Sendable {
    /// Value of the browser cookie; a new one if the request has none.
    let browser: String
    let isNewBrowser: Bool
    /// Nil without a session, and if the session's proofs no longer satisfy the team's policy.
    let session: Session?
    /// Session whose proofs do not satisfy the team's policy; it can be ended and gives no other rights.
    let lesserSession: Session?
    let sessionToken: SessionToken?

    /// Hash that identifies the browser in stored interactions.
    var browserHash: [UInt8] { SHA256.hash(browser) }

    /// Reads the cookies, and the session if there is a cookie for one.
    ///
    /// All hosted pages call this method, so that none of them bypasses the second-factor policy.
    static func read(
        _ request: Request, team: TeamSnapshot, cookies names: CookieNames, sessions: SessionStore, gate: FactorGate,
        server: ServerContext
    ) async throws -> BrowserContext {
        let cookies = request.cookies
        let known = cookies[names.browser].flatMap { Base64URL.decode($0)?.count == 16 ? $0 : nil }
        let token = cookies[names.session(of: team.id)].flatMap(SessionToken.init(text:))
        let found: Session? =
            if let token { try await sessions.find(token, in: team.id, at: server.clock()) } else { nil }
        let isEnough = if let found { try await gate.admits(found, to: team.id, team.secondFactor) } else { false }
        return BrowserContext(
            browser: known ?? Base64URL.encode(server.random.bytes(16)), isNewBrowser: known == nil,
            session: isEnough ? found : nil, lesserSession: isEnough ? nil : found, sessionToken: token)
    }
}
