import Core
public import Platform
import Postgres

/// The endpoint with which a client queries the state of a user's authorization.
public struct CredentialStates: ClientEndpoint {
    let store: CredentialStateStore

    public init(database: TeamDatabase) { store = CredentialStateStore(database: database) }

    /// What a client learns about the authorization of a user.
    struct Details: Sendable {
        let state: CredentialState
        /// Apple's `real_user_status`; nil if Apple, or a native app, never told it.
        var realUserStatus: Int?
        /// The user's name in the transfer from another team, while its window is open.
        var transferSubject: Subject?
    }

    /// The state of the user `sub` for the client's group of apps, as JSON, with what is known of the user's device and
    /// of a transfer.
    ///
    /// - Throws: `OAuthError` when `sub` is missing, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let sub = try request.parameters.required("sub")
        var details = Details(state: .notFound)
        if let subject = Subject(rawValue: sub) {
            details = try await store.state(
                of: subject, for: request.client.primaryAppID, in: request.team.id, at: request.moment)
        }
        var json = JSONWriter(capacity: 128)
        json.member("credential_state", details.state.rawValue)
        if let status = details.realUserStatus { json.member("real_user_status", status) }
        if let name = details.transferSubject { json.member("transfer_sub", name.rawValue) }
        return json.finish()
    }
}

/// Reads the state of a user's authorization for a group of apps, in one statement.
struct CredentialStateStore: Sendable {
    let database: TeamDatabase

    /// The state of one user's authorization.
    ///
    /// A consent yields `authorized`. Without one, tokens left behind yield `revoked`. A suspended user is `revoked`,
    /// because the user cannot sign in and an app handles both alike. A revocation reported by a provider takes
    /// precedence over a consent, for groups without a live token of the provider; for a linked account only for groups
    /// that the user signed in to with the provider. A group accepted by another team stays `transferred`, unless it
    /// was transferred back.
    func state(of subject: Subject, for primaryAppID: ClientID, in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure) -> CredentialStates.Details
    {
        let selection = Self.selection(of: subject, for: primaryAppID, in: team, at: moment)
        guard var row = try await database.query(selection, in: team).first else {
            return CredentialStates.Details(state: .notFound)
        }
        let (isSuspended, providerState): (Bool, String?) = (try row.next(), try row.next())
        let (hasLiveToken, hasConsent): (Bool, Bool) = (try row.next(), try row.next())
        let (hadTokens, hasMoved): (Bool, Bool) = (try row.next(), try row.next())
        guard hasConsent else { return CredentialStates.Details(state: hadTokens ? .revoked : .notFound) }
        let isRevoked = isSuspended || providerState == "revoked" && !hasLiveToken
        return CredentialStates.Details(
            state: isRevoked ? .revoked : hasMoved ? .transferred : .authorized, realUserStatus: try row.next(),
            transferSubject: try row.next())
    }

    static func selection(of subject: Subject, for primaryAppID: ClientID, in team: TeamID, at moment: Timestamp) -> SQL
    {
        // The person came by way of the provider first, or uses this group's apps by way of it.
        let isUsed: SQL = """
            (
                linked_at IS NULL OR EXISTS (
                    SELECT FROM consents
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
                        AND consents.provider = identity.provider
                )
            )
            """
        return """
            SELECT suspended_at IS NOT NULL,
                (
                    SELECT state FROM upstream_identities AS identity
                    WHERE team_id = \(team) AND sub = \(subject)
                        AND \(isUsed)
                    ORDER BY last_seen_at DESC LIMIT 1
                ),
                EXISTS (
                    SELECT FROM upstream_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND state = 'live'
                ),
                EXISTS (
                    SELECT FROM consents
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
                ),
                EXISTS (
                    SELECT FROM refresh_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND test_sign_in_id IS NULL
                    UNION ALL
                    SELECT FROM upstream_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
                ),
                coalesce((
                    SELECT went FROM (
                        (
                            SELECT true AS went, settled_at FROM app_transfers
                            WHERE team_id = \(team) AND app_id = \(primaryAppID) AND state = 'accepted'
                            ORDER BY settled_at DESC LIMIT 1
                        )
                        UNION ALL
                        (
                            SELECT false, settled_at FROM app_transfers
                            WHERE target_team = \(team) AND app_id = \(primaryAppID) AND state = 'accepted'
                            ORDER BY settled_at DESC LIMIT 1
                        )
                    ) AS moves
                    ORDER BY settled_at DESC LIMIT 1
                ), false),
                (
                    SELECT real_user_status FROM upstream_identities AS identity
                    WHERE team_id = \(team) AND sub = \(subject) AND real_user_status IS NOT NULL AND \(isUsed)
                    ORDER BY last_seen_at DESC LIMIT 1
                ),
                (
                    SELECT transfer_sub FROM transferred_people
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND expires_at > \(moment)
                    ORDER BY expires_at DESC LIMIT 1
                )
            FROM users
            WHERE team_id = \(team) AND sub = \(subject)
            """
    }
}

/// State of a user's authorization, in the four values of Apple's devices
/// (`ASAuthorizationAppleIDProvider.CredentialState`).
public enum CredentialState: String, Sendable {
    case authorized
    case revoked
    case notFound
    case transferred
}
