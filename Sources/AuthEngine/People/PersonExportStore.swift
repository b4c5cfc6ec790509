import Audit
import Bytes
public import Domain
public import Postgres

/// Hands out everything that is kept of one person (Regulation (EU) 2016/679, articles 15 and 20).
///
/// For the team that was asked for it, and for the person's own page. Without secrets: passwords, tokens and keys
/// are kept as digests, and a digest tells the person nothing.
public struct PersonExportStore: Sendable {
    /// Of events and of sign-ins; the newest are handed out.
    public static let listLimit = 10_000

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// One JSON document for people and machines, or nil when the team has nobody of that `sub`.
    ///
    /// The export is recorded in the same transaction.
    public func export(
        _ subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> [UInt8]? {
        let event = AuditEvent(
            "user.exported",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin
        )
        let rows = try await database.query(
            """
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
                'refreshTokens', \(Self.tokens(subject, team)), 'signIns', \(Self.signIns(subject, team)),
                'history', \(Self.history(subject, team))
            ))
            FROM person
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return Array(try row.next(String.self).utf8)
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

    /// Who the person is at providers, what came from there, and what stands there.
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
                    FROM provider_tokens AS token
                    WHERE token.team_id = \(team) AND token.sub = \(subject)
                        AND token.provider = provider_identities.provider
                )
            ) ORDER BY created_at), '[]')
            FROM provider_identities WHERE team_id = \(team) AND sub = \(subject)
        )
        """
    }

    /// Names that apps have handed over for the person, of which no provider has said yet that they are theirs.
    private static func unconfirmedNames(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'provider', provider, 'appID', app_id, 'givenName', form_given_name,
                'familyName', form_family_name, 'email', form_email, 'receivedAt', announced_at
            ) ORDER BY announced_at), '[]')
            FROM provider_announcements
            WHERE team_id = \(team) AND sub = \(subject) AND form_given_name IS NOT NULL
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
                'providerEmail', provider_email
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
            FROM sessions WHERE team_id = \(team) AND sub = \(subject)
        )
        """
    }

    /// Kinds, names and moments; what proves them stays here.
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
            FROM refresh_tokens WHERE team_id = \(team) AND sub = \(subject)
        )
        """
    }

    /// The first step of each is text in the table, and JSON.
    private static func signIns(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'id', flow_id, 'clientID', client_id, 'outcome', outcome, 'cause', cause,
                'steps', jsonb_build_array(opening::jsonb) || (
                    SELECT coalesce(jsonb_agg(step::jsonb ORDER BY at), '[]') FROM flow_steps
                    WHERE flow_steps.team_id = \(team) AND flow_steps.flow_id = recent.flow_id
                )
            ) ORDER BY flow_id), '[]')
            FROM (
                SELECT flow_id, client_id, outcome, cause, opening FROM flows
                WHERE team_id = \(team) AND sub = \(subject)
                ORDER BY flow_id DESC LIMIT \(listLimit)
            ) AS recent
        )
        """
    }

    private static func history(_ subject: Subject, _ team: TeamID) -> SQL {
        """
        (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome, 'ip', ip,
                'userAgent', user_agent, 'before', before, 'after', after
            ) ORDER BY at), '[]')
            FROM (
                SELECT * FROM audit_events
                WHERE team_id = \(team) AND target_kind = 'user' AND target = \(subject)
                ORDER BY at DESC LIMIT \(listLimit)
            ) AS recent
        )
        """
    }
}
