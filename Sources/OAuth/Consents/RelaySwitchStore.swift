import Core
import Crypto
public import Directory
public import Platform
import Postgres

/// The user's choice for each group of apps whether mail to the relay address is forwarded; the group is notified.
public struct RelaySwitchStore: Sendable {
    /// The result of a change.
    public enum Outcome: Equatable, Sendable {
        /// The choice is stored, or was stored before.
        case done
        /// The group has no relay address.
        case unknown
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Turns the forwarding of mail on or off for a group of apps that has the relay address.
    ///
    /// The group gets the notification `email-enabled` or `email-disabled` (Apple, "Processing changes for Sign in with
    /// Apple accounts"), in place of a pending one. Without a change, no notification is sent.
    ///
    /// - Parameter right: the session that authorizes the change.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func set(
        _ forwards: Bool, by right: SessionRight, for appID: ClientID, in team: TeamID, as actor: Actor,
        from origin: Origin
    ) async throws -> Outcome {
        let subject = right.session.user.subject
        let rows = try await database.query(
            """
            SELECT forwards_mail FROM consents
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
            """, in: team)
        guard var row = rows.first else { return .unknown }
        guard try row.next(Bool.self) != forwards else { return .done }
        let event = AuditEvent(
            forwards ? "relay.enabled" : "relay.disabled", by: actor, on: AuditEvent.Target("user", subject.rawValue),
            from: origin, after: ["appID": .string(appID.rawValue)])
        let notification = NewNotification(forwards ? .emailEnabled : .emailDisabled, of: subject, to: appID)
        let change: SQL = """
            WITH changed AS (
                UPDATE consents SET forwards_mail = \(forwards)
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
                    AND forwards_mail <> \(forwards)
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM changed"))
            ), \(notification.superseding(in: team, when: "FROM changed")),
            \(notification.parts(in: team, when: "FROM changed"))
            SELECT
            """
        return try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            try await transaction.query(change)
            return .done
        }
    }
}

/// Domain of the relay addresses of users who hide their email address.
public struct RelayDomain: Sendable {
    private static let alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789")
    private static let length = 16

    public let name: String

    /// Creates the domain; nil if `name` is not a host name that mail can be sent to.
    public init?(_ name: String) {
        let longest = String(repeating: "a", count: Self.length) + "@" + name
        guard EmailAddress(rawValue: longest) != nil else { return nil }
        self.name = name
    }

    /// Draws a new random address, which reveals nothing about its user.
    ///
    /// With 36^16 possible addresses a duplicate is unlikely, and a database constraint rejects it.
    func address(_ random: RandomSource) -> String { random.text(Self.length, from: Self.alphabet) + "@" + name }
}

/// Data that an app receives about a user, besides `sub`.
///
/// Computed only from the user, the consent, and the scopes of this request.
public struct SharedIdentity: Hashable, Sendable {
    /// Email address to claim in the id_token.
    public struct Email: Hashable, Sendable {
        public let address: EmailAddress
        /// `email_verified`.
        public let isVerified: Bool
        /// `is_private_email`: a relay address.
        public let isPrivate: Bool

        public init(address: EmailAddress, isVerified: Bool, isPrivate: Bool) {
            self.address = address
            self.isVerified = isVerified
            self.isPrivate = isPrivate
        }
    }

    /// `email` of every id_token, whatever this request asks for: Apple repeats it once it was granted.
    public let email: Email?
    /// `email` of the `user` object, which contains only what this request asks for.
    public let userEmail: Email?
    /// `name` of the `user` object; an id_token never contains a name.
    public let userName: PersonName?

    public init(of user: User, under consent: Consent, asking scopes: Scopes) {
        email = Self.email(of: user, consent)
        userEmail = scopes.contains(.email) ? email : nil
        userName = scopes.contains(.name) ? consent.name : nil
    }

    /// Address the app receives; a relay address is as verified as the address behind it, which gets its mail.
    ///
    /// A decision on a provider's consent sheet is about the address that the provider gave.
    private static func email(of user: User, _ consent: Consent) -> Email? {
        if consent.provider != nil { return consent.email == .withheld ? nil : consent.providerEmail }
        guard let own = user.email else { return nil }
        switch consent.email {
        case .withheld: return nil
        case .shared: return Email(address: own, isVerified: user.isEmailVerified, isPrivate: user.isEmailPrivate)
        case .hidden:
            return user.relayAddress.map { Email(address: $0, isVerified: user.isEmailVerified, isPrivate: true) }
        }
    }
}

/// User data that an app may request besides the identity: Apple's `scope`.
public struct Scopes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let name = Scopes(rawValue: 1)
    public static let email = Scopes(rawValue: 2)
}
