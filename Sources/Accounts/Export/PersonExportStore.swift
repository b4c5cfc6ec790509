public import Platform
import Postgres

/// Exports all data stored about one user (Regulation (EU) 2016/679, articles 15 and 20).
///
/// For the team that received the request, and for the user's own account page. Secrets are left out: passwords,
/// tokens and keys are stored as digests, which mean nothing to the user.
public struct PersonExportStore: Sendable {
    /// Most events and most sign-ins in an export, newest first.
    public static let listLimit = 10_000
    /// Most sessions and most tokens in an export, newest first.
    public static let shortLimit = 1000

    /// The reader of the export.
    public enum Reader: Sendable {
        /// A member of the team, who gets all data visible to the team.
        case team
        /// The user: without the addresses, browsers and reason texts of team members, and without data that apps
        /// registered or their servers sent.
        case person
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Starts the export of one JSON document, readable for people and programs; nil when the team has no user `sub`.
    ///
    /// The export is recorded in the same transaction. Lists of unlimited length are read page by page while the
    /// document is sent, each page on a connection of its own.
    public func begin(_ subject: Subject, in team: TeamID, for reader: Reader, by actor: Actor, from origin: Origin)
        async throws -> PersonExport?
    {
        let event = AuditEvent(
            "user.exported", by: actor, on: AuditEvent.Target("user", subject.rawValue), from: origin)
        let statement: SQL = """
            WITH person AS (
                SELECT * FROM users WHERE team_id = \(team) AND sub = \(subject)
            ), audit AS (
                \(event.insertion(in: team, when: "FROM person"))
            )
            SELECT jsonb_pretty(jsonb_build_object(
                'exportedAt', now(), 'teamID', \(team), 'user', \(Self.user(subject, team)),
                'providers', \(Self.providers(subject, team)),
                'unconfirmedNames', \(Self.unconfirmedNames(subject, team)),
                'consents', \(Self.consents(subject, team)), 'sessions', \(Self.sessions(subject, team)),
                'secondFactors', \(Self.factors(subject, team)),
                'refreshTokens', \(Self.tokens(subject, team))
            ))
            FROM person
            """
        let heads: [String] = try await database.transaction(in: team) { transaction in
            try await transaction.query(statement).column()
        }
        return heads.first.map { PersonExport(of: subject, in: team, for: reader, head: $0, self) }
    }

    /// A page of events or of sign-ins, newest first.
    func page(
        of list: PersonExportList, after last: PersonExportList.Entry?, limit: Int, of subject: Subject,
        in team: TeamID, for reader: Reader
    ) async throws -> [PersonExportList.Entry] {
        try await database.transaction(in: team) { transaction in
            let rows = try await transaction.query(
                list.selection(of: subject, in: team, for: reader, after: last, limit: limit))
            return try rows.all(PersonExportList.Entry.init)
        }
    }

    private static func user(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        jsonb_build_object(
            'sub', sub, 'givenName', given_name, 'familyName', family_name, 'email', email,
            'isEmailVerified', is_email_verified, 'relayAddress', relay_address, 'createdAt', created_at,
            'lastSignInAt', last_sign_in_at, 'suspendedAt', suspended_at,
            'loginNames', (
                SELECT coalesce(jsonb_agg(login ORDER BY login), '[]') FROM login_names
                WHERE team_id = \(team) AND sub = \(subject)
            ),
            'passwordChangedAt', (
                SELECT changed_at FROM passwords WHERE team_id = \(team) AND sub = \(subject)
            )
        )
        """
    }

    /// The user's identities at providers, the data received from there, and the state of the tokens.
    private static func providers(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'provider', provider, 'identifier', identifier, 'transferSub', transfer_sub,
                'realUserStatus', real_user_status, 'givenName', form_given_name, 'familyName', form_family_name,
                'email', form_email, 'receivedAt', form_received_at, 'state', state, 'stateAt', state_at,
                'createdAt', created_at, 'lastSeenAt', last_seen_at, 'linkedAt', linked_at, 'signedEmail', email,
                'tokens', (
                    SELECT coalesce(jsonb_agg(jsonb_build_object(
                        'clientID', client_id, 'appID', app_id, 'state', token.state, 'problem', problem,
                        'createdAt', token.created_at, 'validatedAt', validated_at, 'settledAt', settled_at
                    ) ORDER BY token.created_at), '[]')
                    FROM (
                        SELECT * FROM upstream_tokens
                        WHERE team_id = \(team) AND sub = \(subject) AND provider = upstream_identities.provider
                        ORDER BY created_at DESC LIMIT \(shortLimit)
                    ) AS token
                )
            ) ORDER BY created_at), '[]')
            FROM upstream_identities WHERE team_id = \(team) AND sub = \(subject)
        )
        """
    }

    /// Names that apps have sent for the user, not yet confirmed as theirs by a provider.
    private static func unconfirmedNames(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'provider', provider, 'appID', app_id, 'givenName', form_given_name,
                'familyName', form_family_name, 'email', form_email, 'receivedAt', announced_at
            ) ORDER BY announced_at), '[]')
            FROM (
                SELECT * FROM upstream_announcements
                WHERE team_id = \(team) AND sub = \(subject) AND form_given_name IS NOT NULL
                ORDER BY announced_at DESC LIMIT \(shortLimit)
            ) AS recent
        )
        """
    }

    private static func consents(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'appID', app_id, 'sharesName', shares_name, 'sharesEmail', shares_email,
                'hidesEmail', hides_email, 'givenName', given_name, 'familyName', family_name,
                'grantedAt', granted_at, 'ip', ip, 'deliveredAt', delivered_at, 'provider', provider,
                'providerEmail', upstream_email
            ) ORDER BY granted_at), '[]')
            FROM consents WHERE team_id = \(team) AND sub = \(subject)
        )
        """
    }

    private static func sessions(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'createdAt', created_at, 'lastSeenAt', last_seen_at, 'expiresAt', expires_at, 'ip', ip,
                'userAgent', user_agent
            ) ORDER BY created_at), '[]')
            FROM (
                SELECT * FROM sessions WHERE team_id = \(team) AND sub = \(subject)
                ORDER BY created_at DESC LIMIT \(shortLimit)
            ) AS recent
        )
        """
    }

    /// Kind, name and times of each factor, without its secret.
    private static func factors(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'kind', kind, 'name', name, 'addedAt', added_at, 'lastUsedAt', last_used_at
            ) ORDER BY added_at, kind), '[]')
            FROM (
                SELECT 'totp' AS kind, NULL AS name, confirmed_at AS added_at, last_used_at FROM totp_secrets
                WHERE team_id = \(team) AND sub = \(subject)
                UNION ALL
                SELECT 'passkey', name, created_at, last_used_at FROM passkeys
                WHERE team_id = \(team) AND sub = \(subject)
                UNION ALL
                SELECT 'recovery_code', NULL, created_at, used_at FROM recovery_codes
                WHERE team_id = \(team) AND sub = \(subject)
            ) AS factors
        )
        """
    }

    private static func tokens(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'clientID', client_id, 'appID', app_id, 'createdAt', created_at,
                'lastUsedAt', last_used_at, 'revokedAt', revoked_at
            ) ORDER BY created_at), '[]')
            FROM (
                SELECT * FROM refresh_tokens WHERE team_id = \(team) AND sub = \(subject)
                ORDER BY created_at DESC LIMIT \(shortLimit)
            ) AS recent
        )
        """
    }
}
