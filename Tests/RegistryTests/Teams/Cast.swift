import Core
import Crypto
import Platform
import Postgres
import Registry
import Testing

extension Timestamp { static let noon = Timestamp(seconds: 1_800_000_000) }

extension Origin { static let test = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1") }

// Invitations, sent and used at noon unless said otherwise.
extension TestEnvironment {
    /// Invites Ben as a developer, unless said otherwise.
    func invite(_ email: String = "ben@acme.example", as role: Role = .developer, by account: Subject, to team: TeamID)
        async throws -> LinkToken
    {
        var token: LinkToken?
        _ = try await invitations.invite(
            try #require(EmailAddress(rawValue: email)), as: role, by: account, in: team, from: .test, at: .noon
        ) { issued, _ in token = issued.token }
        return try #require(token)
    }

    func find(_ token: LinkToken, at now: Timestamp = .noon) async throws -> OpenInvitation? {
        try await door.find(token, at: now)
    }

    func accept(_ token: LinkToken, as account: Subject, at now: Timestamp = .noon) async throws
        -> InvitationAcceptance.Outcome
    { try await door.accept(token, as: account, from: .test, at: now) }

    /// Accepts it as somebody who gets an account by that.
    func accept(_ token: LinkToken, making account: Subject) async throws -> (account: Subject, team: TeamID)? {
        try await door.accept(token, from: .test, at: .noon) { _, change in
            try await change.query("INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(account))")
            return account
        }
    }

    func withdraw(_ id: InvitationID, by account: Subject, in team: TeamID) async throws -> Bool {
        try await invitations.withdraw(id, by: account, in: team, from: .test)
    }

    func join(_ account: Subject, as role: Role, _ team: TeamID, by owner: Subject) async throws {
        try await add(account, as: role, to: team, by: .member(owner))
    }
}
