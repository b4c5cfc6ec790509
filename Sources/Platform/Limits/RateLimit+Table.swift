// All rate limits. A new one needs a decision record.
extension RateLimit {
    /// Requests without a session that store or hash something: sign-ins that begin or return from a provider,
    /// passwords that are tried, registrations, recoveries, and notifications that cannot be verified.
    ///
    /// A sign-in takes two of them with a password and four by way of Apple: 750 people a minute may come from one network.
    public static let unauthenticatedWrites = RateLimit(
        "unauthenticated-writes", "requests without a session that store something", 3000, per: .minutes(1),
        by: .network, isAdjustable: true)

    /// Wrong passwords and codes of an account; a browser known to the account has its own count.
    public static let failedProofs = RateLimit(
        "failed-proofs", "wrong passwords and codes of an account", 10, per: .minutes(15), by: .account,
        isAdjustable: true)

    /// Passwords of a login name, right or wrong, and sign-ins completed without one.
    ///
    /// Each costs a hash or a call to a provider, and leaves an event for as long as the audit log is kept.
    public static let signIns = RateLimit(
        "sign-ins", "passwords tried, and sign-ins completed without one", 100, per: .minutes(15), by: .account,
        isAdjustable: true)

    public static let failedProofsOfNetwork = RateLimit(
        "failed-proofs-of-network", "wrong passwords of all accounts from a network", 50, per: .minutes(15),
        by: .network, isAdjustable: true)

    /// Wrong codes in one sign-in, or one session that proves a second factor again.
    public static let failedCodes = RateLimit(
        "failed-codes", "wrong codes in one sign-in", 5, per: .minutes(15), by: .signIn)

    public static let mailToRecipient = RateLimit(
        "mail-to-recipient", "mail to one address", 5, per: .hours(1), by: .recipient)

    /// Mail that a member, a user or an unauthenticated network causes; a school class registers behind one address.
    public static let mailBySender = RateLimit(
        "mail-by-sender", "mail that one account or network causes", 120, per: .hours(1), by: .account, .network,
        isAdjustable: true)

    public static let mailOfTeam = RateLimit("mail-of-team", "mail of a team", 5000, per: .hours(1), by: .team)

    /// Checks of domains and mail records, tests at Apple, check-ups and test notifications.
    public static let probes = RateLimit(
        "probes", "checks and tests that call other servers", 30, per: .minutes(1), by: .team)

    public static let unverifiedHost = RateLimit(
        "unverified-host", "notifications to a host that its team has not verified", 40, per: .minutes(1), by: .host)

    /// Changes in the console or on a person's own page.
    ///
    /// What only ends sessions counts for the session that sends it.
    public static let changes = RateLimit(
        "changes", "changes by one account", 600, per: .minutes(10), by: .account, .session)

    public static let changesOfTeam = RateLimit(
        "changes-of-team", "changes by all accounts of a team", 3600, per: .minutes(10), by: .team)

    /// Exports, verifications of the audit log, signing keys and logos.
    public static let heavyWork = RateLimit(
        "heavy-work", "exports, verifications, signing keys and logos", 10, per: .minutes(5), by: .team, .account)

    /// Native sign-ins that failed or are under way; each may cost a call to Apple.
    public static let failedHandovers = RateLimit(
        "failed-handovers", "native sign-ins that fail", 60, per: .minutes(1), by: .client, .network, .account,
        isAdjustable: true)

    /// Events kept for the inspector; further ones are only counted.
    ///
    /// Each process counts for itself.
    public static let traceEvents = RateLimit(
        "trace-events", "events of sign-ins kept for a team", 6000, per: .minutes(1), by: .team)

    public static let traceEventsOfCause = RateLimit(
        "trace-events-of-cause", "events kept for a team and cause of failure", 60, per: .minutes(1), by: .cause)

    /// Events that a network causes without signing in, so that none fills the disk.
    public static let traceEventsOfNetwork = RateLimit(
        "trace-events-of-network", "events kept of a network that does not sign in", 300, per: .hours(1), by: .network)

    /// Changes that make an event loop read a team's registry anew at once; beyond them it reads it every 0.4 s.
    ///
    /// Each loop counts for itself.
    public static let registryReloads = RateLimit(
        "registry-reloads", "changes of a team's registry that are read at once", 8, per: .seconds(3), by: .team)

    /// All of them, in the order of `docs/limits.md`.
    public static let all = [
        unauthenticatedWrites, failedProofs, signIns, failedProofsOfNetwork, failedCodes, mailToRecipient, mailBySender,
        mailOfTeam, probes, unverifiedHost, changes, changesOfTeam, heavyWork, failedHandovers, traceEvents,
        traceEventsOfCause, traceEventsOfNetwork, registryReloads,
    ]
}
