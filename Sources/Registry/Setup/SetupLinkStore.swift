public import Core
public import Crypto
public import Platform
public import Postgres

/// Stores the one-time links for setting up an installation with its first operator.
///
/// They are valid only while there is no operator.
public struct SetupLinkStore: Sendable {
    /// How long a link is valid.
    public static let life = Duration.seconds(24 * 3600)
    /// How long an unfinished use blocks a link, because its process may have died.
    static let useLimit = Duration.seconds(60)

    private let database: SystemDatabase
    private let random: RandomSource

    public init(_ database: SystemDatabase, random: RandomSource = .system) {
        self.database = database
        self.random = random
    }

    /// Whether the installation has no operator yet.
    public func isOpen() async throws(PostgresFailure) -> Bool {
        let rows = try await database.query("SELECT WHERE \(Self.hasNoOperator)")
        return !rows.isEmpty
    }

    /// Creates a link, which replaces all earlier ones; returns nil when the installation has an operator.
    public func issue(at now: Timestamp = .now()) async throws(PostgresFailure) -> LinkToken? {
        let token = LinkToken(random: random)
        let issued = try await database.query(
            """
            WITH voided AS (DELETE FROM setup_links)
            INSERT INTO setup_links (token_hash, created_at, expires_at)
            SELECT \(token.hash), \(now), \(now + Self.life) WHERE \(Self.hasNoOperator)
            """)
        return issued.changed == 1 ? token : nil
    }

    /// Whether the link could be claimed, for the page with the setup form.
    public func isUsable(_ token: LinkToken, at now: Timestamp = .now()) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            "SELECT FROM setup_links WHERE token_hash = \(token.hash) AND \(Self.isFree(at: now))")
        return !rows.isEmpty
    }

    /// Claims the link for one use; only one of several concurrent calls gets it.
    func claim(_ token: LinkToken, at now: Timestamp) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            UPDATE setup_links SET used_at = \(now)
            WHERE token_hash = \(token.hash) AND \(Self.isFree(at: now))
            RETURNING token_hash
            """)
        return !rows.isEmpty
    }

    /// Releases a claimed link after a use that failed.
    func release(_ token: LinkToken, claimedAt: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE setup_links SET used_at = NULL
            WHERE token_hash = \(token.hash) AND used_at = \(claimedAt)
            """)
    }

    private static func isFree(at now: Timestamp) -> SQL {
        """
        expires_at > \(now) AND (used_at IS NULL OR used_at <= \(now - useLimit)) AND \(hasNoOperator)
        """
    }

    static var hasNoOperator: SQL {
        "NOT EXISTS (SELECT FROM memberships WHERE team_id = \(TeamID.system) AND role = \(Role.operator))"
    }
}
