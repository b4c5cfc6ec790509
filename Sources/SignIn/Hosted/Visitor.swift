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
    let session: Session?
    let sessionToken: SessionToken?

    /// What stands for the browser in stored attempts.
    var browserHash: [UInt8] { SHA256.hash(browser) }

    /// Reads the cookies; the session is looked up only where its cookie is there.
    static func read(
        _ request: Request,
        team: TeamID,
        cookies names: CookieNames,
        sessions: SessionStore,
        context: EngineContext
    ) async throws -> Visitor {
        let cookies = request.cookies
        let known = cookies[names.browser].flatMap { Base64URL.decode($0)?.count == 16 ? $0 : nil }
        let token = cookies[names.session(of: team)].flatMap(SessionToken.init(text:))
        let session: Session? =
            if let token { try await sessions.find(token, in: team, at: context.clock()) } else { nil }
        return Visitor(
            browser: known ?? Base64URL.encode(context.random.bytes(16)),
            isNewBrowser: known == nil,
            session: session,
            sessionToken: token
        )
    }
}
