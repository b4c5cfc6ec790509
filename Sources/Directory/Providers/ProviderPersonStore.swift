import Audit
public import Bytes
public import Domain
public import Postgres

/// Keeps the people who come through a provider, with what it let apps know of them.
public struct ProviderPersonStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Somebody who has just proved who they are.
    public struct Arrival: Sendable {
        let provider: ProviderID
        let identity: ProviderIdentity
        let form: ProviderForm?
        let group: ClientID?
        let scopes: Scopes
        let origin: Origin
        let at: Timestamp

        /// - Parameters:
        ///   - form: what came in a form field, the first time only.
        ///   - group: the group of apps that is let know; nil where the sign-in leads to a page of ours.
        ///   - scopes: what was asked for.
        public init(
            _ identity: ProviderIdentity,
            from provider: ProviderID,
            form: ProviderForm?,
            group: ClientID?,
            asking scopes: Scopes,
            origin: Origin,
            at moment: Timestamp
        ) {
            self.provider = provider
            self.identity = identity
            self.form = form
            self.group = group
            self.scopes = scopes
            self.origin = origin
            at = moment
        }
    }

    /// The person as they are now, with their consent.
    public struct Known: Sendable {
        public let user: User
        public let consent: Consent?

        fileprivate init(_ row: inout Row) throws(PostgresFailure) {
            user = try User(&row)
            let hasConsent: Bool = try row.next()
            consent = hasConsent ? try Consent(&row) : nil
        }
    }

    /// Stores who came and what they said, before anything that can fail: one round trip, durable when it returns.
    ///
    /// A person nobody knows is added under the provider's own name for them; one known by `transfer_sub` from another
    /// of the provider's teams stays who they are.
    public func record(_ arrival: Arrival, in team: TeamID) async throws(PostgresFailure) -> Known {
        let rows = try await database.query(arrival.statements(in: team), in: team)
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a person") }
        return try Known(&row)
    }
}

// A sign-in that is done.
extension ProviderPersonStore {
    /// The person as they are now, with what a group of apps may know.
    public func find(
        _ subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> Known? {
        let rows = try await database.query(
            """
            SELECT \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
            FROM users u
            LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(group)
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try Known(&row)
    }

    /// Says in the log that the person signed in to an app, and notes when: one statement.
    public func completion(
        of subject: Subject,
        by provider: ProviderID,
        to app: ClientID,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp
    ) -> SQL {
        let event = AuditEvent(
            "sign_in.completed",
            by: .person(subject),
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["app": .string(app.rawValue), "factors": [.string(provider.rawValue)]]
        )
        return """
            WITH person AS (
                UPDATE users SET last_sign_in_at = \(now) WHERE team_id = \(team) AND sub = \(subject)
            )
            \(event.insertion(in: team))
            """
    }
}

extension ProviderPersonStore.Arrival {
    fileprivate func statements(in team: TeamID) -> [SQL] {
        [person(team), identity(team)] + (identity.transferSubject.map { [departure($0, team)] } ?? [])
            + [profile(team)] + (group.map { [consent($0, team)] } ?? [])
            + [known(team)]
    }

    private var name: PersonName {
        form.flatMap { PersonName(given: $0.givenName, family: $0.familyName) } ?? .none
    }

    private var email: EmailAddress? { identity.email?.address }

    /// How long a name of a transfer is good (Apple, "Transferring your apps and users to another team").
    private static let transferWindow = Duration.seconds(60 * 86_400)

    /// The rows that are about the same person: by name, or by that of the transfer under way.
    ///
    /// Whoever was seen last before the window was named in a transfer that is over.
    private func same(_ team: TeamID) -> SQL {
        """
        team_id = \(team) AND provider = \(provider)
            AND (identifier = \(identity.identifier)
                OR transfer_sub = \(identity.transferSubject) AND last_seen_at > \(at - Self.transferWindow))
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
                WHERE NOT EXISTS (SELECT FROM provider_identities WHERE \(same(team)))
                ON CONFLICT DO NOTHING
                RETURNING sub
            )
            \(event.insertion(in: team, when: "FROM added"))
            """
    }

    /// Of two requests at once the second finds the first one's row.
    private func identity(_ team: TeamID) -> SQL {
        """
        INSERT INTO provider_identities AS known (
            team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
            form_email, form_received_at, state_at, created_at, last_seen_at
        ) VALUES (
            \(team), \(provider), \(identity.identifier),
            coalesce(
                (SELECT sub FROM provider_identities WHERE \(same(team)) ORDER BY created_at LIMIT 1),
                \(identity.identifier)
            ),
            \(identity.transferSubject), \(identity.realUserStatus), \(formText(form?.givenName) ?? ""),
            \(formText(form?.familyName) ?? ""), \(formText(form?.email)), \(form == nil ? nil : at), \(at), \(at), \(at)
        )
        ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
            transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
            real_user_status = coalesce(excluded.real_user_status, known.real_user_status),
            form_given_name = CASE WHEN \(form != nil) THEN excluded.form_given_name ELSE known.form_given_name END,
            form_family_name = CASE WHEN \(form != nil) THEN excluded.form_family_name ELSE known.form_family_name END,
            form_email = coalesce(excluded.form_email, known.form_email),
            form_received_at = coalesce(excluded.form_received_at, known.form_received_at),
            state = 'authorized',
            state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
            last_seen_at = excluded.last_seen_at
        """
    }

    /// What the person was called at the provider's other team is theirs no more.
    private func departure(_ transferSubject: String, _ team: TeamID) -> SQL {
        """
        UPDATE provider_identities SET state = 'transferred', state_at = \(at)
        WHERE team_id = \(team) AND provider = \(provider) AND transfer_sub = \(transferSubject)
            AND identifier <> \(identity.identifier) AND state <> 'transferred'
        """
    }

    /// As much of the vault as fits its columns; what the form said stays what it said.
    private func formText(_ text: String?) -> String? {
        text.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { $0.value != 0 }.prefix(200))) }
    }

    /// The address as it is signed today; a name only where it came, and there was none.
    private func profile(_ team: TeamID) -> SQL {
        """
        UPDATE users SET
            email = coalesce(\(email), email),
            is_email_verified = CASE WHEN \(email != nil) THEN \(identity.email?.isVerified ?? false)
                ELSE is_email_verified END,
            is_private_email = CASE WHEN \(email != nil) THEN \(identity.email?.isPrivate ?? false)
                ELSE is_private_email END,
            given_name = CASE WHEN \(!name.isEmpty) THEN \(name.given) ELSE given_name END,
            family_name = CASE WHEN \(!name.isEmpty) THEN \(name.family) ELSE family_name END
        WHERE team_id = \(team) AND sub = \(subject(team))
        """
    }

    /// What the person decided at the provider.
    ///
    /// `user` is delivered when it came, and again until an app has it; where it did not come there is nothing to
    /// deliver.
    private func consent(_ group: ClientID, _ team: TeamID) -> SQL {
        let event = AuditEvent(
            "consent.granted",
            by: .person(identity.identifier),
            on: AuditEvent.Target("user", identity.identifier.rawValue),
            from: origin,
            after: [
                "appID": .string(group.rawValue), "sharesName": .boolean(!name.isEmpty),
                "provider": .string(provider.rawValue),
            ]
        )
        return """
            WITH granted AS (
                INSERT INTO consents AS known (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at,
                    ip, delivered_at
                )
                SELECT \(team), \(subject(team)), \(group), \(!name.isEmpty), \(scopes.contains(.email) && email != nil), false,
                    \(name.given), \(name.family), \(at), \(origin.ip), \(form == nil ? at : nil)
                ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
                    shares_name = known.shares_name OR excluded.shares_name,
                    shares_email = known.shares_email OR excluded.shares_email,
                    given_name = CASE WHEN excluded.shares_name THEN excluded.given_name ELSE known.given_name END,
                    family_name = CASE WHEN excluded.shares_name THEN excluded.family_name ELSE known.family_name END,
                    delivered_at = CASE WHEN \(form != nil) THEN NULL ELSE known.delivered_at END
                RETURNING sub, granted_at
            )
            \(event.insertion(in: team, naming: "granted.sub", when: "FROM granted WHERE granted_at = \(at)"))
            """
    }

    private func known(_ team: TeamID) -> SQL {
        """
        SELECT \(UserStore.columns), c.app_id IS NOT NULL, \(ConsentStore.columns)
        FROM users u
        LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = \(group)
        WHERE u.team_id = \(team) AND u.sub = \(subject(team))
        """
    }

    /// Who the person is here, by now.
    private func subject(_ team: TeamID) -> SQL {
        """
        (SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier))
        """
    }
}
