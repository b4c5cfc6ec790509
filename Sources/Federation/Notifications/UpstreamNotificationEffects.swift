import Core
import Directory
import OAuth
import Platform
import Postgres

/// Local effects of a provider's notification: on sessions, tokens and mail forwarding, with notifications to apps.
struct UpstreamNotificationEffects: Sendable {
    let provider: ProviderID
    private let store: UpstreamNotificationStore
    private let authorizations: UpstreamAuthorizationStore
    private let revocations: UpstreamTokenRevocationStore
    private let accounts: any UpstreamAccounts

    init(provider: ProviderID, server: ServerContext, database: TeamDatabase, accounts: any UpstreamAccounts) {
        self.provider = provider
        store = UpstreamNotificationStore(database, server: server)
        authorizations = UpstreamAuthorizationStore(of: provider)
        revocations = UpstreamTokenRevocationStore(database, server: server, accounts: accounts)
        self.accounts = accounts
    }

    /// Event with the user it concerns.
    struct Effect: Sendable {
        let event: UpstreamNotification.Event
        let person: UpstreamNotificationStore.Person
        let primaryAppID: ClientID
        /// Time of arrival.
        let now: Timestamp
        /// Time of processing, later than `now` if the notification could not be verified at once.
        let appliedAt: Timestamp

        /// What happened until then may have been ended by the event.
        var latest: Timestamp { EventOrder.lastUnclear(toEventAt: event.at) }

        /// Rows dated later were written while a clock was ahead, and do not show the order of events.
        var horizon: Timestamp { appliedAt + EventOrder.skew }
    }

    func apply(_ effect: Effect, _ change: borrowing Change) async throws {
        switch effect.event.type {
        case .consentRevoked?: try await endConsent(effect, change)
        case .accountDelete?: try await endAccount(effect, change)
        case .emailDisabled?: try await forwardMail(false, effect, change)
        case .emailEnabled?: try await forwardMail(true, effect, change)
        case nil: break
        }
    }

    /// Statement that records an unlink of a user, known here or not; nil if the event is no unlink.
    func unlink(
        _ event: UpstreamNotification.Event, of identifier: Subject, for primaryAppID: ClientID, in team: TeamID,
        at now: Timestamp
    ) -> SQL? {
        let end: Timestamp
        switch event.type {
        case .consentRevoked?: end = EventOrder.lastOlder(thanEventAt: event.at)
        // Nobody comes back to an account that is gone.
        case .accountDelete?: end = EventOrder.lastUnclear(toEventAt: event.at)
        default: return nil
        }
        return UpstreamUnlinks.noting(
            toldOf: identifier, at: provider, for: event.type == .accountDelete ? nil : primaryAppID,
            until: min(end, now), in: team)
    }

    /// Statement that ends native sign-ins in progress that announced the user, known or not; nil if the event is no
    /// unlink.
    ///
    /// Runs after the other effects, because a request that confirms an announcement locks the user first.
    func announcementEnd(
        _ event: UpstreamNotification.Event, of subject: Subject, for primaryAppID: ClientID, in team: TeamID
    ) -> SQL? {
        let moment = EventOrder.lastUnclear(toEventAt: event.at)
        return switch event.type {
        case .consentRevoked?: UpstreamAnnouncement.removal(of: subject, for: primaryAppID, until: moment, in: team)
        case .accountDelete?: UpstreamAnnouncement.removal(of: subject, until: moment, in: team)
        default: nil
        }
    }

    /// Ends a consent: the tokens of its authorization are dead at the provider, so they are marked as revoked.
    ///
    /// An authorization that began later is left unchanged, as is everything if this server ended the authorization:
    /// its effects have already been applied. If only an unconfirmed sign-in suggests that the user has returned, it
    /// may lead nowhere: the tokens stay, so that the provider is asked about them. It is asked at once if a sign-in is
    /// too close to the event to tell which came first, or once a sign-in under way has a token.
    private func endConsent(_ effect: Effect, _ change: borrowing Change) async throws(PostgresFailure) {
        let (subject, primaryAppID, moment) = (effect.person.subject, effect.primaryAppID, effect.event.at)
        let status = try await authorizations.status(
            of: subject, as: effect.event.identifier, for: primaryAppID, at: moment, believing: effect.horizon,
            in: change.team, change.transaction)
        if status == .endedByUs { return }
        try await void(effect, change)
        switch status {
        case .ended:
            let end = UpstreamAuthorizationEnd(
                subject: subject, provider: provider, primaryAppID: primaryAppID, cause: .told, end: effect.latest,
                horizon: effect.horizon, team: change.team, now: effect.now)
            try await end.apply(change.transaction)
        case .unclear(let hasToken):
            let question = UpstreamQuestion(to: provider, of: subject, for: primaryAppID, eventAt: moment)
            let job = NewJob(question, after: hasToken ? .zero : UpstreamQuestion.delay)
            try await change.query(job.insertion(in: change.team))
        case .renewed, .endedByUs: break
        case .arriving: return
        }
        try await revocations.markAllRevoked(
            of: subject, for: primaryAppID,
            before: status == .ended ? effect.latest : EventOrder.lastOlder(thanEventAt: moment),
            orAfter: effect.horizon, because: effect.event.name, in: change.team, change.transaction)
    }

    /// Ends a provider account: a user without another way to sign in is deleted, any other is unlinked from it.
    private func endAccount(_ effect: Effect, _ change: borrowing Change) async throws {
        try await void(effect, change)
        let seenAt = effect.person.lastSeenAt
        guard seenAt <= effect.latest || seenAt > effect.horizon else { return }
        let (subject, reason) = (effect.person.subject, effect.event.name)
        try await revocations.markAllRevoked(
            of: subject, for: nil, before: effect.now + EventOrder.skew, orAfter: effect.horizon, because: reason,
            in: change.team, change.transaction)
        guard effect.person.stays else { return try await accounts.end(subject, reason: reason, change) }
        try await UpstreamUnlink(of: subject, from: provider).apply(change)
        try await change.record("upstream_identity.removed", .user(subject))
    }

    /// Voids earlier answers of the provider about the user that have not been processed yet.
    private func void(_ effect: Effect, _ change: borrowing Change) async throws(PostgresFailure) {
        guard let identifier = effect.event.identifier,
            let end = unlink(effect.event, of: identifier, for: effect.primaryAppID, in: change.team, at: effect.now)
        else { return }
        try await change.query(end)
    }

    private func forwardMail(_ forwards: Bool, _ effect: Effect, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        let (subject, primaryAppID) = (effect.person.subject, effect.primaryAppID)
        let mail = UpstreamNotificationStore.Forwarding(
            isOn: forwards, subject: subject, provider: provider, primaryAppID: primaryAppID, at: effect.event.at,
            latest: effect.latest)
        guard try await store.note(mail, change) else { return }
        try await change.record(
            forwards ? "relay.enabled" : "relay.disabled", .user(subject), to: ["appID": .string(primaryAppID.rawValue)]
        )
        let notification = NewNotification(forwards ? .emailEnabled : .emailDisabled, of: subject, to: primaryAppID)
        try await Notifications.enqueue(notification, in: change.team, change.transaction)
    }
}
