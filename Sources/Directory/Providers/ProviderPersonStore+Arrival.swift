import Audit
import Bytes
import Domain
import Postgres

// What is written of somebody who came.
extension ProviderPersonStore.Arrival {
    /// The person first, as wherever something of theirs ends: two that meet wait for one another in one order.
    func statements(in team: TeamID) -> [SQL] {
        [lock(in: team), person(team), identity(team)]
            + (identity.transferSubject.map { [departure($0, team)] } ?? [])
            + [profile(team)] + (group.map { [consent($0, team), lateName($0, team)] } ?? [])
            + [known(team)]
    }

    var name: PersonName {
        form.flatMap { PersonName(given: $0.givenName, family: $0.familyName) } ?? .none
    }

    private var email: EmailAddress? { identity.email?.address }

    /// How long a name of a transfer is good (Apple, "Transferring your apps and users to another team").
    static let transferWindow = Duration.seconds(60 * 86_400)

    /// The rows that are about the same person: by name, or by that of the transfer under way.
    ///
    /// Whoever was seen last before the window was named in a transfer that is over.
    func same(_ team: TeamID) -> SQL {
        """
        team_id = \(team) AND provider = \(provider)
            AND (identifier = \(identity.identifier)
                OR transfer_sub = \(identity.transferSubject) AND last_seen_at > \(at - Self.transferWindow))
        """
    }

    /// Who the person is here, or would be.
    func resident(_ team: TeamID) -> SQL {
        """
        coalesce(
            (SELECT sub FROM provider_identities WHERE \(same(team)) ORDER BY created_at LIMIT 1),
            \(identity.identifier)
        )
        """
    }

    /// Adds a person nobody knows.
    ///
    /// Names and addresses stay out of the log, which outlives the person.
    private func person(_ team: TeamID) -> SQL {
        let subject = identity.identifier
        let event = AuditEvent(
            "user.created",
            by: .person(subject),
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["provider": .string(provider.rawValue)]
        )
        return """
            WITH added AS (
                INSERT INTO users (team_id, sub, given_name, family_name, created_at)
                SELECT \(team), \(subject), \(name.given), \(name.family), \(at)
                WHERE \(stands(team)) AND NOT EXISTS (SELECT FROM provider_identities WHERE \(same(team)))
                ON CONFLICT DO NOTHING
                RETURNING sub
            )
            \(event.insertion(in: team, when: "FROM added"))
            """
    }

    /// Of two requests at once the second finds the first one's row.
    private func identity(_ team: TeamID) -> SQL {
        """
        WITH form (counts) AS (SELECT \(takesForm(team)))
        INSERT INTO provider_identities AS known (
            team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
            form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
            came_to, came_at
        )
        SELECT \(team), \(provider), \(identity.identifier),
            \(resident(team)), \(identity.transferSubject), \(identity.realUserStatus ?? identity.observedStatus),
            \(ProviderForm.kept(form?.givenName) ?? ""), \(ProviderForm.kept(form?.familyName) ?? ""),
            \(ProviderForm.kept(form?.email)), \(form == nil ? nil : at), \(email),
            \(identity.email?.isPrivate ?? false),
            (SELECT linked_at FROM provider_identities WHERE \(same(team)) ORDER BY created_at LIMIT 1),
            \(at), \(at), \(at), \(group), \(group == nil ? nil : at)
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

    /// Notes which group of apps the person has come to, unless they came to another one later.
    var coming: SQL {
        """
        came_to = CASE WHEN \(group) IS NULL OR known.came_at > \(at) THEN known.came_to ELSE \(group) END,
        came_at = CASE WHEN \(group) IS NULL OR known.came_at > \(at) THEN known.came_at ELSE \(at) END
        """
    }

    /// Whether the provider's name for the person is that of somebody who has never come that way, and has a way of their
    /// own: nobody else may become them by it.
    ///
    /// Somebody who was imported under that name, with nothing to sign in by, is the person.
    func isTaken(_ team: TeamID) -> SQL {
        """
        (
            NOT EXISTS (SELECT FROM provider_identities WHERE \(same(team)))
            AND NOT EXISTS (
                SELECT FROM provider_identities
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

    /// Whether what the form says counts: what an app says does not, once apps have had a name.
    private func takesForm(_ team: TeamID) -> SQL {
        switch form?.source {
        case nil: "false"
        case .provider?: "true"
        case .app?: "NOT \(hasToldName(team))"
        }
    }

    /// What the person was called at the provider's other team is theirs no more.
    private func departure(_ transferSubject: String, _ team: TeamID) -> SQL {
        """
        UPDATE provider_identities SET state = 'transferred', state_at = \(at)
        WHERE team_id = \(team) AND provider = \(provider) AND transfer_sub = \(transferSubject)
            AND identifier <> \(identity.identifier) AND state <> 'transferred' AND \(stands(team))
        """
    }

    /// The address as it is signed today; a name only where it came, and there was none.
    ///
    /// Somebody who has a login name or has connected the account keeps their own.
    private func profile(_ team: TeamID) -> SQL {
        """
        UPDATE users SET
            email = coalesce(\(email), email),
            is_email_verified = CASE WHEN \(email != nil) THEN \(identity.email?.isVerified ?? false)
                ELSE is_email_verified END,
            is_private_email = CASE WHEN \(email != nil) THEN \(identity.email?.isPrivate ?? false)
                ELSE is_private_email END,
            given_name = CASE WHEN \(!name.isEmpty) AND \(takesForm(team)) THEN \(name.given) ELSE given_name END,
            family_name = CASE WHEN \(!name.isEmpty) AND \(takesForm(team)) THEN \(name.family) ELSE family_name END
        WHERE team_id = \(team) AND sub = \(subject(team)) AND NOT \(isLinked(team)) AND NOT \(hasLogin(team))
            AND \(stands(team))
        """
    }

    /// What the person decided at the provider.
    ///
    /// `user` is delivered when it came, and again until an app has it; where it did not come there is nothing to
    /// deliver.
    private func consent(_ group: ClientID, _ team: TeamID) -> SQL {
        let event = grant(group, sharesName: !name.isEmpty)
        return """
            WITH granted AS (
                INSERT INTO consents AS known (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at,
                    ip, delivered_at
                )
                SELECT \(team), \(subject(team)), \(group), \(!name.isEmpty), \(scopes.contains(.email) && email != nil), false,
                    \(name.given), \(name.family), \(at), \(origin.ip), \(form == nil ? at : nil)
                WHERE NOT \(isLinked(team)) AND \(subject(team)) IS NOT NULL AND \(stands(team))
                ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
                    shares_name = known.shares_name OR excluded.shares_name,
                    shares_email = known.shares_email OR excluded.shares_email,
                    given_name = CASE WHEN excluded.shares_name AND \(takesOverDelivered)
                        THEN excluded.given_name ELSE known.given_name END,
                    family_name = CASE WHEN excluded.shares_name AND \(takesOverDelivered)
                        THEN excluded.family_name ELSE known.family_name END,
                    delivered_at = CASE WHEN \(form != nil) AND \(takesOverDelivered) THEN NULL
                        ELSE known.delivered_at END
                RETURNING sub, granted_at
            )
            \(event.insertion(in: team, naming: "granted.sub", when: "FROM granted WHERE granted_at = \(at)"))
            """
    }

    /// The same of a person who has connected the account to theirs.
    ///
    /// What they decided on the sheet here stays as it is. A first decision is about the name and the address that the
    /// provider gives, and never about their own; the name is the one that came when the account was connected.
    func linkedConsent(_ group: ClientID, _ vault: PersonName?, _ team: TeamID) -> SQL {
        let told = name.isEmpty ? vault ?? .none : name
        let sharesName = scopes.contains(.name) && !told.isEmpty
        let isNew = form != nil || vault != nil
        let event = grant(group, sharesName: sharesName)
        return """
            WITH granted AS (
                INSERT INTO consents AS known (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at,
                    ip, delivered_at, provider, provider_email, is_provider_email_verified, is_provider_email_private
                )
                SELECT \(team), \(subject(team)), \(group), \(sharesName),
                    \(scopes.contains(.email) && email != nil), false, \(told.given), \(told.family), \(at),
                    \(origin.ip), \(isNew ? nil : at), \(provider), \(email),
                    \(identity.email?.isVerified ?? false), \(identity.email?.isPrivate ?? false)
                WHERE \(isLinked(team)) AND \(stands(team))
                ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
                    shares_name = known.shares_name OR excluded.shares_name,
                    shares_email = known.shares_email OR excluded.shares_email,
                    given_name = CASE WHEN excluded.shares_name AND \(takesOverDelivered)
                        THEN excluded.given_name ELSE known.given_name END,
                    family_name = CASE WHEN excluded.shares_name AND \(takesOverDelivered)
                        THEN excluded.family_name ELSE known.family_name END,
                    delivered_at = CASE WHEN \(form != nil) AND \(takesOverDelivered) THEN NULL
                        ELSE known.delivered_at END,
                    provider_email = coalesce(excluded.provider_email, known.provider_email),
                    is_provider_email_verified = CASE WHEN excluded.provider_email IS NULL
                        THEN known.is_provider_email_verified ELSE excluded.is_provider_email_verified END,
                    is_provider_email_private = CASE WHEN excluded.provider_email IS NULL
                        THEN known.is_provider_email_private ELSE excluded.is_provider_email_private END
                WHERE known.provider IS NOT NULL
                RETURNING sub, granted_at
            )
            \(event.insertion(in: team, naming: "granted.sub", when: "FROM granted WHERE granted_at = \(at)"))
            """
    }

    private func grant(_ group: ClientID, sharesName: Bool) -> AuditEvent {
        AuditEvent(
            "consent.granted",
            by: .person(identity.identifier),
            on: AuditEvent.Target("user", identity.identifier.rawValue),
            from: origin,
            after: [
                "appID": .string(group.rawValue), "sharesName": .boolean(sharesName),
                "provider": .string(provider.rawValue),
            ]
        )
    }

    /// Whether the account was connected by somebody who had one here, as it stands now.
    func isLinked(_ team: TeamID) -> SQL {
        """
        EXISTS (
            SELECT FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                AND linked_at IS NOT NULL
        )
        """
    }

    /// The same for the consent at hand.
    private var takesOverDelivered: SQL {
        "(\(form?.source != .app) OR NOT known.shares_name OR known.delivered_at IS NULL)"
    }

    /// Whether the person has connected the account, what came once, and what `Known` reads.
    func known(_ team: TeamID) -> SQL {
        """
        SELECT i.linked_at IS NOT NULL, i.form_given_name, i.form_family_name, i.form_received_at IS NOT NULL,
            \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
        FROM provider_identities i
        JOIN users u ON u.team_id = i.team_id AND u.sub = i.sub
        LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(group)
        WHERE i.team_id = \(team) AND i.provider = \(provider) AND i.identifier = \(identity.identifier)
            AND \(stands(team))
        """
    }

    /// Who the person is here, by now.
    func subject(_ team: TeamID) -> SQL {
        """
        (SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier))
        """
    }
}
