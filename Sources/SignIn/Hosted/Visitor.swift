import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

/// The browser before us: its cookie for sign-ins under way, and the session it has at a team.
struct Visitor: Sendable {
    /// What the browser's cookie holds; made when it has none.
    let browser: String
    let isNewBrowser: Bool
    /// Nil for nobody, and for somebody who has proved too little for this team by now.
    let session: Session?
    /// The session of somebody who has proved too little: good for ending it, and nothing else.
    let lesserSession: Session?
    let sessionToken: SessionToken?

    /// What stands for the browser in stored attempts.
    var browserHash: [UInt8] { SHA256.hash(browser) }

    /// Reads the cookies; the session is looked up only where its cookie is there.
    ///
    /// Every hosted page meets its visitor here, so none can forget what the team asks beside a password.
    static func read(
        _ request: Request,
        team: TeamSnapshot,
        cookies names: CookieNames,
        sessions: SessionStore,
        gate: FactorGate,
        context: EngineContext
    ) async throws -> Visitor {
        let cookies = request.cookies
        let known = cookies[names.browser].flatMap { Base64URL.decode($0)?.count == 16 ? $0 : nil }
        let token = cookies[names.session(of: team.id)].flatMap(SessionToken.init(text:))
        let found: Session? =
            if let token { try await sessions.find(token, in: team.id, at: context.clock()) } else { nil }
        let isEnough =
            if let found { try await gate.admits(found, to: team.id, team.secondFactor) } else { false }
        return Visitor(
            browser: known ?? Base64URL.encode(context.random.bytes(16)),
            isNewBrowser: known == nil,
            session: isEnough ? found : nil,
            lesserSession: isEnough ? nil : found,
            sessionToken: token
        )
    }
}
