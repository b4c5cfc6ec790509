import Core
import Crypto
public import Platform
public import Postgres

/// Stores the logos of teams, at most one each.
public struct TeamLogoStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the team's logo, or nil when it has none or one with another digest.
    ///
    /// - Parameter digest: the SHA-256 in the logo's URL, in hexadecimal digits.
    public func find(_ digest: String, in team: TeamID) async throws(PostgresFailure) -> TeamLogo? {
        let rows = try await database.query(
            "SELECT media_type, octets FROM team_logos WHERE team_id = \(team) AND digest = \(digest)", in: team)
        return try rows.firstValue(TeamLogo.init)
    }

    /// Returns the digest of the team's logo, or nil when it has none.
    public func digest(of team: TeamID) async throws(PostgresFailure) -> String? {
        try await database.query(Self.digest(of: team), in: team).firstValue()
    }

    /// Selects the digest of the team's logo.
    public static func digest(of team: TeamID) -> SQL { "SELECT digest FROM team_logos WHERE team_id = \(team)" }

    /// Sets the team's logo, which replaces an earlier one.
    public func set(_ logo: LogoFile, of team: TeamID, by actor: Actor, from origin: Origin)
        async throws(PostgresFailure)
    {
        let event = AuditEvent(
            "team.logo_set", by: actor, on: .team(team), from: origin,
            after: ["mediaType": .string(logo.mediaType), "sha256": .string(logo.digest)])
        let statement: SQL = """
            WITH logo AS (
                INSERT INTO team_logos (team_id, digest, media_type, octets)
                VALUES (\(team), \(logo.digest), \(logo.mediaType), \(logo.octets))
                ON CONFLICT (team_id) DO UPDATE SET
                    digest = excluded.digest, media_type = excluded.media_type, octets = excluded.octets
                RETURNING team_id
            ), audit AS (\(event.insertion(in: team, when: "FROM logo")))
            SELECT FROM logo
            """
        try await database.query(statement.locking(.team(team)), in: team)
    }

    /// Removes the team's logo.
    ///
    /// - Returns: false when it has none.
    public func remove(of team: TeamID, by actor: Actor, from origin: Origin) async throws(PostgresFailure) -> Bool {
        let event = AuditEvent("team.logo_removed", by: actor, on: .team(team), from: origin)
        let statement: SQL = """
            WITH gone AS (DELETE FROM team_logos WHERE team_id = \(team) RETURNING team_id),
                audit AS (\(event.insertion(in: team, when: "FROM gone")))
            SELECT team_id FROM gone
            """
        return try await !database.query(statement.locking(.team(team)), in: team).isEmpty
    }
}

/// The image at the top of a team's hosted pages.
public struct TeamLogo: Sendable {
    /// `image/png`, `image/jpeg` or `image/webp`.
    public let mediaType: String
    public let octets: [UInt8]

    init(_ row: inout Row) throws(PostgresFailure) {
        mediaType = try row.next()
        octets = try row.next()
    }
}

/// An uploaded image that represents a team on its hosted pages.
public struct LogoFile: Hashable, Sendable {
    /// In octets.
    public static let maximumSize = 256 * 1024

    public enum Problem: Error, Equatable, Sendable {
        case tooLarge
        /// Not PNG, JPEG or WebP, whatever its name claims.
        case unknownKind
    }

    public let mediaType: String
    public let octets: [UInt8]
    /// The SHA-256 of its octets in hexadecimal digits, part of its URL.
    public let digest: String

    /// Determines the type of a file by its first octets: a PNG's signature (RFC 2083 section 3.1), a JPEG's SOI
    /// marker, or WebP in RIFF (RFC 9649 section 2.3).
    ///
    /// SVG is not accepted, because it may contain scripts.
    public init(_ octets: [UInt8]) throws(Problem) {
        guard octets.count <= Self.maximumSize else { throw .tooLarge }
        let isPNG = octets.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let isWebP = octets.starts(with: "RIFF".utf8) && octets.dropFirst(8).starts(with: "WEBPVP8".utf8)
        if isPNG {
            mediaType = "image/png"
        } else if octets.starts(with: [0xFF, 0xD8, 0xFF]) {
            mediaType = "image/jpeg"
        } else if isWebP {
            mediaType = "image/webp"
        } else {
            throw .unknownKind
        }
        self.octets = octets
        digest = Hex.encode(SHA256.hash(octets))
    }
}
