import Core
public import HTTP
public import Platform
public import Postgres

/// The domains of each team, with the findings of their checks.
///
/// A domain is created and deleted with the Service IDs that name it.
public struct DomainStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ name: String, in team: TeamID) async throws(PostgresFailure) -> RegisteredDomain? {
        try await database.query(
            "SELECT \(Self.columns) FROM domains AS d WHERE d.team_id = \(team) AND d.domain = \(name)", in: team
        ).firstValue(RegisteredDomain.init)
    }

    /// All domains of the team, in alphabetical order.
    public func all(in team: TeamID) async throws(PostgresFailure) -> [RegisteredDomain] {
        try await database.query(Self.everyDomain(of: team), in: team).all(RegisteredDomain.init)
    }

    static func everyDomain(of team: TeamID) -> SQL {
        "SELECT \(columns) FROM domains AS d WHERE d.team_id = \(team) ORDER BY d.domain"
    }

    /// The domains of one Service ID, in alphabetical order.
    public func list(of serviceID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [RegisteredDomain] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM domains AS d
            WHERE d.team_id = \(team) AND d.domain IN (
                SELECT s.domain FROM service_domains AS s
                WHERE s.team_id = \(team) AND s.service_id = \(serviceID)
            )
            ORDER BY d.domain
            """, in: team)
        return try rows.all(RegisteredDomain.init)
    }

    /// Whether the team has verified a host or a domain above it.
    ///
    /// - Parameter host: the host in lower case.
    public func isVerified(host: String, in team: TeamID) async throws(PostgresFailure) -> Bool {
        var names: [String] = []
        var rest = host.utf8[...]
        while !rest.isEmpty {
            names.append(String(decoding: rest, as: UTF8.self))
            guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { break }
            rest = rest[rest.index(after: dot)...]
        }
        let rows = try await database.query(
            """
            SELECT true FROM domains AS d WHERE d.team_id = \(team) AND d.domain = ANY (\(names)) AND d.is_verified LIMIT 1
            """, in: team)
        return rows.first != nil
    }

    /// Takes domains whose next check is due, longest overdue first.
    ///
    /// Their next check moves to 10 minutes later, so that no other process takes them until `note` sets it.
    public func takeDue(limit: Int, in team: TeamID) async throws(PostgresFailure) -> [RegisteredDomain] {
        let rows = try await database.query(
            """
            UPDATE domains AS d SET check_due_at = now() + interval '10 minutes'
            WHERE d.team_id = \(team) AND d.domain IN (
                SELECT q.domain FROM domains AS q
                WHERE q.team_id = \(team) AND q.check_due_at <= now()
                ORDER BY q.check_due_at LIMIT \(limit)
                FOR UPDATE SKIP LOCKED
            )
            RETURNING \(Self.columns)
            """, in: team)
        return try rows.all(RegisteredDomain.init)
    }

    /// Stores the finding of a check.
    ///
    /// One `served` finding verifies the domain; a verified domain lapses only when every check of the grace period
    /// finds something else. An audit event is recorded when that changes, not for each check.
    ///
    /// - Returns: the updated domain, or nil when the team no longer has it.
    public func note(
        _ finding: DomainFinding, of domain: DomainName, in team: TeamID, by actor: Actor, from origin: Origin
    ) async throws -> RegisteredDomain? {
        try await database.change(in: team, by: actor, from: origin) { change in
            let known = try await change.query(
                """
                SELECT is_verified FROM domains
                WHERE team_id = \(team) AND domain = \(domain.text)
                FOR UPDATE
                """)
            guard var row = known.first else { return nil }
            let wasVerified: Bool = try row.next()
            let rows = try await change.query(Self.update(finding, of: domain, in: team))
            let current = try rows.only(RegisteredDomain.init)
            if current.isVerified != wasVerified {
                try await change.record(
                    current.isVerified ? "domain.verified" : "domain.lapsed", AuditEvent.Target("domain", domain.text),
                    from: ["isVerified": .boolean(wasVerified)], to: ["isVerified": .boolean(current.isVerified)])
            }
            return current
        }
    }

    /// Stores the finding; the next check is due in a day after `served` or after the grace period, else in an hour.
    private static func update(_ finding: DomainFinding, of domain: DomainName, in team: TeamID) -> SQL {
        let isServed = finding.kind == .served
        let grace: SQL = "\(Int(RegisteredDomain.grace / .seconds(1))) * interval '1 second'"
        return """
            UPDATE domains AS d
            SET is_verified = \(isServed) OR (
                    d.is_verified AND coalesce(d.failed_since > now() - \(grace), true)
                ),
                failed_since = CASE WHEN NOT \(isServed) THEN coalesce(d.failed_since, now()) END,
                checked_at = now(), finding = \(finding.kind), status = \(finding.status),
                detail = \(finding.detail),
                check_due_at = now() + CASE
                    WHEN \(isServed) OR d.failed_since < now() - \(grace) THEN interval '1 day'
                    ELSE interval '1 hour'
                END
            WHERE d.team_id = \(team) AND d.domain = \(domain.text)
            RETURNING \(columns)
            """
    }

    /// Selects the verified domains of a team that requires some; of any other none.
    public static func proofs(in team: TeamID) -> SQL {
        """
        SELECT domain FROM domains
        WHERE team_id = \(team) AND is_verified
            AND EXISTS (SELECT FROM teams WHERE team_id = \(team) AND requires_verified_domains)
        """
    }

    /// Includes one return URL, of loopback domains only, because they are requested at its port: a team may have
    /// thousands of URLs of two kilobytes each.
    private static let columns: SQL = """
        d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
        ARRAY(
            SELECT s.service_id FROM service_domains AS s
            WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
        ),
        (SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
        CASE WHEN d.domain ~ '^(.*\\.)?localhost$|^127\\.[0-9.]+$|^\\[::1\\]$' THEN (
            SELECT u.url FROM return_urls AS u
            JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
            WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
                starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
            )
            ORDER BY u.service_id, u.rank LIMIT 1
        ) END
        """
}

/// Unauthenticated request for a domain's association file.
public struct DomainCheck: Sendable {
    /// Maximum body in octets: a page served in place of the file may be long, and its beginning is worth showing.
    static let longestBody = 1 << 20

    private let client: HTTPClient
    private let team: TeamID
    private let allowsLoopback: Bool
    private let deadline: Duration

    /// - Parameters:
    ///   - team: the owner of the domains; the client shares its connections among teams.
    ///   - allowsLoopback: whether loopback addresses of this machine may be requested: only for sandbox teams, where
    ///     the operator allows it.
    public init(_ client: HTTPClient, for team: TeamID, allowsLoopback: Bool, deadline: Duration = .seconds(10)) {
        self.client = client
        self.team = team
        self.allowsLoopback = allowsLoopback
        self.deadline = deadline
    }

    /// Requests the file; must be called on the client's loop.
    ///
    /// - Parameter url: the URL from `DomainName.associationURL`.
    public func run(_ url: String, expecting file: AssociationFile) async -> DomainFinding {
        var request = ClientRequest("GET", url, deadline: deadline, bodyLimit: Self.longestBody)
        request.owner = team.rawValue
        request.addresses = allowsLoopback ? .publicAndLoopback : .publicOnly
        do throws(ClientFailure) { return DomainFinding(of: try await client.send(request), expecting: file) } catch {
            return DomainFinding(of: error)
        }
    }
}
