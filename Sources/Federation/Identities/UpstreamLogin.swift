public import Core
import Directory
public import OAuth
public import Platform
import Postgres
import Registry

/// Successful login at a provider.
public struct UpstreamLogin: Sendable {
    let provider: ProviderID
    let identity: UpstreamIdentity
    let form: UpstreamForm?
    let primaryAppID: ClientID?
    let scope: AuthorizationRequest.Scope
    let origin: Origin
    let at: Timestamp
    let proof: UpstreamUnlinks.Proof

    /// - Parameters:
    ///   - form: data of a form field, sent the first time only.
    ///   - primaryAppID: group of apps that gets the consent; nil if the sign-in leads to one of Pippin's own
    ///     pages.
    ///   - scope: requested scope.
    ///   - proof: when what proves the login arrived; nothing is stored if the user was unlinked since.
    public init(
        _ identity: UpstreamIdentity, from provider: ProviderID, form: UpstreamForm?, primaryAppID: ClientID?,
        asking scope: AuthorizationRequest.Scope, origin: Origin, at moment: Timestamp,
        provedBy proof: UpstreamUnlinks.Proof
    ) {
        self.provider = provider
        self.identity = identity
        self.form = form
        self.primaryAppID = primaryAppID
        self.scope = scope
        self.origin = origin
        at = moment
        self.proof = proof
    }
}

// Statements that store a login.
extension UpstreamLogin {
    /// Statements that store the login, run in this order.
    ///
    /// The user is locked first, as wherever something of a user's ends, so that concurrent transactions wait in one
    /// order; and once more, since another login may have added the user meanwhile, who was then not there to lock.
    func statements(in team: TeamID) -> [SQL] {
        [lock(in: team), person(team), lock(in: team), identity(team)]
            + (identity.transferSubject.map { [markTransferred($0, team)] + noteTransfer(team) } ?? []) + [
                profile(team)
            ]
            + (primaryAppID.map {
                [consent($0, team), WaitingNames(login: self, primaryAppID: $0, team: team).settlement]
            } ?? []) + [known(team)]
    }

    var name: PersonName { form.map { PersonName(sentOnce: $0.givenName, $0.familyName) } ?? .none }

    private var email: EmailAddress? { identity.email?.address }

    /// Condition for identities of the same user: by identifier, or by the identifier of a transfer under way, whenever
    /// the user was last seen.
    func same(_ team: TeamID) -> SQL {
        """
        team_id = \(team) AND provider = \(provider)
            AND (identifier = \(identity.identifier) OR transfer_sub = \(identity.transferSubject))
        """
    }

    /// `sub` of the linked user, or of the user to be added.
    func linkedUser(_ team: TeamID) -> SQL {
        """
        coalesce(
            (SELECT sub FROM upstream_identities WHERE \(same(team)) ORDER BY created_at LIMIT 1),
            \(identity.identifier)
        )
        """
    }

    /// Adds a user if the identity is unknown.
    ///
    /// The log contains no names and addresses because it outlives the user.
    private func person(_ team: TeamID) -> SQL {
        let subject = identity.identifier
        let event = AuditEvent(
            "user.created", by: .person(subject), on: AuditEvent.Target("user", subject.rawValue), from: origin,
            after: ["provider": .string(provider.rawValue)])
        let isNew: SQL = """
            \(stands(team)) AND NOT EXISTS (SELECT FROM upstream_identities WHERE \(same(team)))
            """
        return """
            WITH added AS (
                \(UserStore.insertion(of: subject, called: name, in: team, at: at, when: isNew))
            )
            \(event.insertion(in: team, when: "FROM added"))
            """
    }

    /// Inserts or updates the identity; of two concurrent requests, the second updates the row of the first.
    private func identity(_ team: TeamID) -> SQL {
        """
        WITH form (counts) AS (SELECT \(takesForm(team)))
        INSERT INTO upstream_identities AS known (
            team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
            form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
            last_login_app_id, last_login_at
        )
        SELECT \(team), \(provider), \(identity.identifier),
            \(linkedUser(team)), \(identity.transferSubject), \(identity.realUserStatus ?? identity.observedStatus),
            \(UpstreamForm.kept(form?.givenName) ?? ""), \(UpstreamForm.kept(form?.familyName) ?? ""),
            \(UpstreamForm.kept(form?.email)), \(form == nil ? nil : at), \(email),
            \(identity.email?.isPrivate ?? false),
            (SELECT linked_at FROM upstream_identities WHERE \(same(team)) ORDER BY created_at LIMIT 1),
            \(at), \(at), \(at), \(primaryAppID), \(primaryAppID == nil ? nil : at)
        WHERE \(stands(team)) AND NOT \(isTaken(team))
        ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
            transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
            real_user_status = coalesce(
                \(identity.realUserStatus), known.real_user_status, \(identity.observedStatus)
            ),
            form_given_name = CASE WHEN (SELECT counts FROM form) AND \(hasName)
                THEN excluded.form_given_name ELSE known.form_given_name END,
            form_family_name = CASE WHEN (SELECT counts FROM form) AND \(hasName)
                THEN excluded.form_family_name ELSE known.form_family_name END,
            form_email = CASE WHEN (SELECT counts FROM form)
                THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
            form_received_at = CASE WHEN (SELECT counts FROM form)
                THEN excluded.form_received_at ELSE known.form_received_at END,
            email = coalesce(excluded.email, known.email),
            is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
                ELSE excluded.is_private_email END,
            state = 'authorized',
            state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
            last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
            \(coming)
        """
    }

    /// Assignments that store the group of apps of this sign-in, unless a later sign-in was to another one.
    var coming: SQL {
        """
        last_login_app_id = CASE WHEN \(primaryAppID) IS NULL OR known.last_login_at > \(at) THEN known.last_login_app_id ELSE \(primaryAppID) END,
        last_login_at = CASE WHEN \(primaryAppID) IS NULL OR known.last_login_at > \(at) THEN known.last_login_at ELSE \(at) END
        """
    }

    /// Condition that the provider's identifier is the `sub` of a user with credentials who never signed in by the
    /// provider.
    ///
    /// No other user may take over that user by the identifier. A user imported under that `sub` without credentials is
    /// the user of the identity.
    func isTaken(_ team: TeamID) -> SQL {
        """
        (
            NOT EXISTS (SELECT FROM upstream_identities WHERE \(same(team)))
            AND NOT EXISTS (
                SELECT FROM upstream_identities
                WHERE team_id = \(team) AND sub = \(identity.identifier) AND linked_at IS NULL
            )
            AND EXISTS (
                SELECT FROM login_names WHERE team_id = \(team) AND sub = \(identity.identifier)
                UNION ALL
                SELECT FROM passwords WHERE team_id = \(team) AND sub = \(identity.identifier)
                UNION ALL
                SELECT FROM passkeys WHERE team_id = \(team) AND sub = \(identity.identifier)
            )
        )
        """
    }

    var hasName: Bool { form.map { !$0.givenName.isEmpty || !$0.familyName.isEmpty } ?? false }

    /// Condition that the form's data replaces the stored data; an app's does not once a name was delivered to apps.
    private func takesForm(_ team: TeamID) -> SQL {
        switch form?.source {
        case nil: "false"
        case .provider?: "true"
        case .app?: "NOT \(hasToldName(team))"
        }
    }

    /// Marks the identity of the provider's other team as transferred.
    private func markTransferred(_ transferSubject: String, _ team: TeamID) -> SQL {
        """
        UPDATE upstream_identities SET state = 'transferred', state_at = \(at)
        WHERE team_id = \(team) AND provider = \(provider) AND transfer_sub = \(transferSubject)
            AND identifier <> \(identity.identifier) AND state <> 'transferred' AND \(stands(team))
        """
    }

    private func noteTransfer(_ team: TeamID) -> [SQL] {
        guard let primaryAppID else { return [] }
        let actor = Actor.system(provider.rawValue)
        return [AppleConnectionStore.noteTransfer(of: primaryAppID, at: at, by: actor, in: team)]
    }

    /// Updates the address as the provider signed it, and the name if the form contains one that replaces the stored
    /// one.
    ///
    /// A user who has a login name or has linked the account keeps their own.
    private func profile(_ team: TeamID) -> SQL {
        UserStore.profile(
            of: subject(team),
            email: email.map { ($0, identity.email?.isVerified ?? false, identity.email?.isPrivate ?? false) },
            name: name, takesName: takesForm(team), in: team,
            when: "NOT \(isLinked(team)) AND NOT \(hasLogin(team)) AND \(stands(team))")
    }

    /// Stores the consent that the user gave at the provider.
    ///
    /// `user` is delivered if it was received, and again until an app has it; if it was not received there is nothing
    /// to deliver.
    private func consent(_ primaryAppID: ClientID, _ team: TeamID) -> SQL {
        let consent = UpstreamConsent(
            of: subject(team), for: primaryAppID, name: name, sharesName: !name.isEmpty,
            sharesEmail: scope.email && email != nil, at: at, from: origin, isUndelivered: form != nil)
        let condition: SQL = "NOT \(isLinked(team)) AND \(subject(team)) IS NOT NULL AND \(stands(team))"
        return granting(consent, primaryAppID, sharesName: !name.isEmpty, team, when: condition)
    }

    /// Stores the consent of a user who linked the provider account to an existing one.
    ///
    /// A decision on Pippin's own sheet is kept. A new consent covers the name and the address that the provider gives,
    /// and never the user's own; without a name in the form, it is the one received when the account was linked.
    func linkedConsent(_ primaryAppID: ClientID, _ vault: PersonName?, _ team: TeamID) -> SQL {
        let told = name.isEmpty ? vault ?? .none : name
        let sharesName = scope.name && !told.isEmpty
        let isNew = form != nil || vault != nil
        let consent = UpstreamConsent(
            of: subject(team), for: primaryAppID, name: told, sharesName: sharesName,
            sharesEmail: scope.email && email != nil, at: at, from: origin, isUndelivered: isNew,
            address: UpstreamConsent.Address(of: provider, identity.email))
        let condition: SQL = "\(isLinked(team)) AND \(stands(team))"
        return granting(consent, primaryAppID, sharesName: sharesName, team, when: condition)
    }

    /// Statement that stores a consent, with an audit event if it is a new one.
    private func granting(
        _ consent: UpstreamConsent, _ primaryAppID: ClientID, sharesName: Bool, _ team: TeamID, when condition: SQL
    ) -> SQL {
        let event = grant(primaryAppID, sharesName: sharesName)
        let insertion = consent.insertion(
            in: team, takesName: takesOverDelivered, redelivers: form != nil, when: condition)
        return """
            WITH granted AS (\(insertion))
            \(event.insertion(in: team, naming: "granted.sub", when: "FROM granted WHERE granted_at = \(at)"))
            """
    }

    private func grant(_ primaryAppID: ClientID, sharesName: Bool) -> AuditEvent {
        AuditEvent(
            "consent.granted", by: .person(identity.identifier),
            on: AuditEvent.Target("user", identity.identifier.rawValue), from: origin,
            after: [
                "appID": .string(primaryAppID.rawValue), "sharesName": .boolean(sharesName),
                "provider": .string(provider.rawValue),
            ])
    }

    /// Condition that the account is linked to a user who had one here, by the identity as it is now.
    func isLinked(_ team: TeamID) -> SQL {
        """
        EXISTS (
            SELECT FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                AND linked_at IS NOT NULL
        )
        """
    }

    /// Condition that the form's name replaces that of the consent `known`; an app's does not once a name was
    /// delivered.
    private var takesOverDelivered: SQL {
        "(\(form?.source != .app) OR NOT known.shares_name OR known.delivered_at IS NULL)"
    }

    /// Yields whether the account is linked, the name vault, and the columns that `Known` reads.
    func known(_ team: TeamID) -> SQL {
        """
        SELECT i.linked_at IS NOT NULL, i.form_given_name, i.form_family_name, i.form_received_at IS NOT NULL,
            \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
        FROM upstream_identities i
        JOIN users u ON u.team_id = i.team_id AND u.sub = i.sub
        LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(primaryAppID)
        WHERE i.team_id = \(team) AND i.provider = \(provider) AND i.identifier = \(identity.identifier)
            AND \(stands(team))
        """
    }

    /// `sub` of the user of the identity as it is now.
    func subject(_ team: TeamID) -> SQL {
        """
        (SELECT sub FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier))
        """
    }

    func lock(in team: TeamID) -> SQL { UserStore.lock(linkedUser(team), in: team) }

    /// Yields a row unless the identity was revoked after the login.
    func status(in team: TeamID) -> SQL {
        """
        SELECT 1 WHERE NOT EXISTS (
            SELECT FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                AND state = 'revoked' AND state_at > \(at)
        )
        """
    }
}

// Repeated logins without new data.
extension UpstreamLogin {
    /// Statement that finds the user by the provider's identifier if the signed address and the consent are unchanged.
    ///
    /// - Returns: nil if the login contains data that is sent only once, or needs more than a lookup.
    func recognition(in team: TeamID) -> SQL? {
        guard let primaryAppID, form == nil, identity.transferSubject == nil, identity.realUserStatus == nil,
            identity.observedStatus == nil
        else { return nil }
        let waiting = WaitingNames(login: self, primaryAppID: primaryAppID, team: team).rows(of: "seen.sub")
        return """
            WITH seen AS (
                UPDATE upstream_identities AS known
                SET last_seen_at = greatest(known.last_seen_at, \(at)), \(coming)
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                    AND state = 'authorized' AND linked_at IS NULL AND \(stands(team, of: "known.sub"))
                RETURNING sub, email, is_private_email
            )
            SELECT \(UserStore.columns), true, \(ConsentStore.columns)
            FROM seen
            JOIN users u ON u.team_id = \(team) AND u.sub = seen.sub
            JOIN consents c ON c.team_id = \(team) AND c.sub = seen.sub AND c.app_id = \(primaryAppID)
            WHERE \(sameAddress) AND NOT EXISTS (SELECT FROM \(waiting))
            """
    }

    private var sameAddress: SQL {
        guard let email = identity.email else { return "true" }
        return """
            seen.email = \(email.address) AND seen.is_private_email = \(email.isPrivate)
                AND u.email = \(email.address) AND u.is_email_verified = \(email.isVerified)
                AND u.is_private_email = \(email.isPrivate)
                AND c.shares_email >= \(scope.email)
            """
    }

    /// Condition that a name of the user was delivered to apps.
    func hasToldName(_ team: TeamID) -> SQL {
        """
        EXISTS (
            SELECT FROM consents
            WHERE team_id = \(team) AND sub = \(subject(team)) AND shares_name AND delivered_at IS NOT NULL
        )
        """
    }

    /// Condition that the user of the current `users` row has a login name.
    func hasLogin(_ team: TeamID) -> SQL {
        "EXISTS (SELECT FROM login_names WHERE login_names.team_id = \(team) AND login_names.sub = users.sub)"
    }
}
