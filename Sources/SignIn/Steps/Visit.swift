import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform

/// A browser's request to a team's hosted pages, with its session at the team.
struct Visit: Sendable {
    let request: Request
    let team: TeamSnapshot
    /// Value of the browser cookie; a new one if the request has none.
    let browser: String
    let isNewBrowser: Bool
    /// Nil without a session, and if the session's proofs no longer satisfy the team's policy.
    let session: Session?
    /// Session whose proofs do not satisfy the team's policy; it can be ended and gives no other rights.
    let lesserSession: Session?
    let sessionToken: SessionToken?
    /// Time at which the session was read.
    let now: Timestamp

    /// Hash that identifies the browser in stored interactions.
    var browserHash: [UInt8] { SHA256.hash(browser) }

    var origin: Origin { request.auditOrigin }

    /// The visitor, for changes of accounts.
    func caller(in language: Language) -> AccountCaller {
        AccountCaller(team: team.id, language: language, origin: origin, now: now)
    }
}

/// Reads the visits to all hosted pages, so that none of these bypasses the second-factor policy.
struct Visits: Sendable {
    let teams: TeamCache
    let cookies: CookieNames
    let sessions: SessionStore
    let gate: FactorGate
    let server: ServerContext

    /// - Throws: `UserFacingError.notFound` if there is no such team.
    func read(_ request: Request, at id: TeamID) async throws -> Visit {
        guard let team = try await teams.snapshot(of: id) else { throw UserFacingError.notFound }
        return try await read(request, at: team)
    }

    /// Reads the cookies, and the session if there is a cookie for one.
    func read(_ request: Request, at team: TeamSnapshot) async throws -> Visit {
        let (sent, now) = (request.cookies, server.clock())
        let known = cookies.browser(in: sent)
        let token = sent[cookies.session(of: team.id)].flatMap(SessionToken.init(text:))
        let found: Session? = if let token { try await sessions.find(token, in: team.id, at: now) } else { nil }
        let isEnough = if let found { try await gate.admits(found, to: team.id, team.secondFactor) } else { false }
        return Visit(
            request: request, team: team, browser: known ?? Base64URL.encode(server.random.bytes(16)),
            isNewBrowser: known == nil, session: isEnough ? found : nil, lesserSession: isEnough ? nil : found,
            sessionToken: token, now: now)
    }
}
