public import Core
public import Directory
public import Platform
public import Postgres

/// Consent that a user gave on the sheet of a provider; SQL expressions come from the module Federation.
public struct UpstreamConsent: Sendable {
    /// The provider's own address of a user who linked an existing account.
    public struct Address: Sendable {
        let provider: ProviderID
        let email: SharedIdentity.Email?

        public init(of provider: ProviderID, _ email: SharedIdentity.Email?) {
            self.provider = provider
            self.email = email
        }
    }

    let subject: SQL
    let primaryAppID: ClientID
    let name: PersonName
    let sharesName: Bool
    let sharesEmail: Bool
    let at: Timestamp
    let ip: String
    /// Whether `user` has to be delivered.
    let isUndelivered: Bool
    let address: Address?

    /// - Parameter subject: an SQL expression of the `sub`.
    public init(
        of subject: SQL, for primaryAppID: ClientID, name: PersonName, sharesName: Bool, sharesEmail: Bool,
        at moment: Timestamp, from origin: Origin, isUndelivered: Bool, address: Address? = nil
    ) {
        self.subject = subject
        self.primaryAppID = primaryAppID
        self.name = name
        self.sharesName = sharesName
        self.sharesEmail = sharesEmail
        at = moment
        ip = origin.ip
        self.isUndelivered = isUndelivered
        self.address = address
    }

    /// Statement that stores the consent and yields `sub` and `granted_at`; a decision on the server's own sheet is
    /// kept.
    ///
    /// - Parameters:
    ///   - takesName: an SQL condition that the name replaces that of the consent `known`.
    ///   - redelivers: whether `user` is delivered again where the name is replaced.
    ///   - condition: an SQL condition; nothing is stored when it is false.
    public func insertion(in team: TeamID, takesName: SQL, redelivers: Bool, when condition: SQL) -> SQL {
        """
        INSERT INTO consents AS known (
            team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip,
            delivered_at, provider, upstream_email, is_upstream_email_verified, is_upstream_email_private
        )
        SELECT \(team), \(subject), \(primaryAppID), \(sharesName), \(sharesEmail), false, \(name.given),
            \(name.family), \(at), \(ip), \(isUndelivered ? nil : at), \(address?.provider),
            \(address?.email?.address), \(address?.email?.isVerified ?? false), \(address?.email?.isPrivate ?? false)
        WHERE \(condition)
        ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
            shares_name = known.shares_name OR excluded.shares_name,
            shares_email = known.shares_email OR excluded.shares_email,
            given_name = CASE WHEN excluded.shares_name AND \(takesName)
                THEN excluded.given_name ELSE known.given_name END,
            family_name = CASE WHEN excluded.shares_name AND \(takesName)
                THEN excluded.family_name ELSE known.family_name END,
            delivered_at = CASE WHEN \(redelivers) AND \(takesName) THEN NULL ELSE known.delivered_at END
            \(address == nil ? "" : Self.newAddress)
        RETURNING sub, granted_at
        """
    }

    private static let newAddress: SQL = """
        , upstream_email = coalesce(excluded.upstream_email, known.upstream_email),
            is_upstream_email_verified = CASE WHEN excluded.upstream_email IS NULL
                THEN known.is_upstream_email_verified ELSE excluded.is_upstream_email_verified END,
            is_upstream_email_private = CASE WHEN excluded.upstream_email IS NULL
                THEN known.is_upstream_email_private ELSE excluded.is_upstream_email_private END
        WHERE known.provider IS NOT NULL
        """

    /// Statement that adds the name found by `source`, a table of a WITH clause with `given_name` and `family_name`, to
    /// a consent, and has it delivered.
    ///
    /// - Parameters:
    ///   - subject: an SQL expression of the `sub`.
    ///   - condition: an SQL condition on the consent `known`.
    public static func naming(
        _ subject: SQL, for primaryAppID: ClientID, from source: SQL, in team: TeamID, when condition: SQL
    ) -> SQL {
        """
        UPDATE consents AS known
        SET shares_name = true, given_name = \(source).given_name, family_name = \(source).family_name,
            delivered_at = NULL
        FROM \(source)
        WHERE known.team_id = \(team) AND known.sub = \(subject) AND known.app_id = \(primaryAppID) AND \(condition)
        """
    }

    /// Statement that records that `user` was delivered to an app of the group; an earlier time is kept.
    ///
    /// - Parameter condition: an SQL condition; nothing is recorded when it is false.
    public static func delivery(
        to primaryAppID: ClientID, of subject: Subject, in team: TeamID, at moment: Timestamp, when condition: SQL
    ) -> SQL {
        """
        UPDATE consents SET delivered_at = \(moment)
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND delivered_at IS NULL
            AND \(condition)
        """
    }

    /// Statement that stores whether a provider forwards mail, if the consent shares the provider's address; it yields
    /// the earlier state.
    ///
    /// - Parameter condition: an SQL condition on the consent `known`.
    public static func forwarding(
        _ forwards: Bool, of subject: Subject, for primaryAppID: ClientID, at moment: Timestamp, in team: TeamID,
        when condition: SQL
    ) -> SQL {
        """
        UPDATE consents AS known SET forwards_mail = \(forwards), forwards_mail_at = \(moment)
        FROM consents AS before
        WHERE known.team_id = \(team) AND known.sub = \(subject) AND known.app_id = \(primaryAppID)
            AND before.team_id = known.team_id AND before.sub = known.sub AND before.app_id = known.app_id
            AND known.shares_email AND NOT known.hides_email
            AND (known.forwards_mail_at IS NULL OR known.forwards_mail_at <= \(moment)) AND \(condition)
        RETURNING before.forwards_mail
        """
    }
}
