public import OAuth
public import Platform
public import Postgres

/// The part of providers in the end of an authorization.
public struct UpstreamEndStatements: UpstreamEnds {
    public init() {}

    public func forgetting(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        UpstreamAnnouncement.removal(of: subject, for: primaryAppID, in: team)
    }

    public func announced(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        "SELECT 1 FROM upstream_announcements WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)"
    }

    public func unlinking(_ subject: Subject, for primaryAppID: ClientID, in team: TeamID) -> SQL {
        UpstreamUnlinks.noting(of: subject, for: primaryAppID, in: team)
    }

    public func tokenEnd(of subject: Subject, where condition: SQL, in team: TeamID) -> SQL {
        UpstreamTokenEnd.parts(ofThose: "sub = \(subject) AND state = 'live' AND \(condition)", in: team)
    }
}

extension AuthorizationEndStore {
    /// The store of an installation with providers.
    public init(_ database: TeamDatabase) { self.init(database, upstream: UpstreamEndStatements()) }
}

extension AuthorizationEnd {
    /// Ends the authorizations in the caller's transaction.
    public func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(statements(UpstreamEndStatements()))
    }
}
