import Audit
import Bytes
import Directory
import Domain
import Postgres

/// What happened to people at their provider, done here: sessions, tokens and the mail flag, and the apps are told.
struct ProviderNoticeCascade: Sendable {
    /// By how much an event may be older than the person's last sign-in and still be about it: clocks differ.
    private static let tolerance = Duration.seconds(5)

    let provider: ProviderID
    private let store: ProviderNoticeStore
    private let authorizations: ProviderAuthorizationStore
    private let fates: ProviderTokenFateStore
    private let deletion: AccountDeletion

    init(provider: ProviderID, context: EngineContext, database: TeamDatabase) {
        self.provider = provider
        store = ProviderNoticeStore(database, context: context)
        authorizations = ProviderAuthorizationStore(of: provider)
        fates = ProviderTokenFateStore(database, context: context)
        deletion = AccountDeletion(database, random: context.random)
    }

    /// One event, with whom it meets here.
    struct Change: Sendable {
        let event: ProviderNotice.Event
        let person: ProviderNoticeStore.Person
        let group: ClientID
        let team: TeamID
        /// When it came.
        let now: Timestamp
        /// When it is acted on, which is later where it could not be verified at once.
        let appliedAt: Timestamp

        /// What happened until then may have been ended by it.
        var latest: Timestamp { event.at + ProviderNoticeCascade.tolerance }

        /// What is dated later than that was written while a clock was ahead, and says nothing of what came first.
        var horizon: Timestamp { appliedAt + ProviderNoticeCascade.tolerance }
    }

    func apply(_ change: Change, _ transaction: borrowing Transaction) async throws {
        switch change.event.type {
        case .consentRevoked?: try await endConsent(change, transaction)
        case .accountDelete?: try await endAccount(change, transaction)
        case .emailDisabled?: try await forwardMail(false, change, transaction)
        case .emailEnabled?: try await forwardMail(true, change, transaction)
        case nil: break
        }
    }

    /// Notes that somebody has parted, be they known here or not; nil where nobody parts.
    func parting(
        _ event: ProviderNotice.Event,
        of identifier: Subject,
        for group: ClientID,
        in team: TeamID,
        at now: Timestamp
    ) -> SQL? {
        guard event.type == .consentRevoked || event.type == .accountDelete else { return nil }
        return ProviderPartings.noting(
            toldOf: identifier,
            at: provider,
            for: event.type == .accountDelete ? nil : group,
            until: min(event.at + Self.tolerance, now),
            in: team
        )
    }

    /// Ends native sign-ins under way in which the person was announced, be they known or not; nil where nobody parts.
    ///
    /// After the cascade: whoever confirms one holds the person first.
    func announcementEnd(
        _ event: ProviderNotice.Event,
        of subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) -> SQL? {
        let moment = event.at + Self.tolerance
        return switch event.type {
        case .consentRevoked?:
            ProviderAnnouncement.removal(of: subject, for: group, until: moment, in: team)
        case .accountDelete?: ProviderAnnouncement.removal(of: subject, until: moment, in: team)
        default: nil
        }
    }

    /// The tokens of that authorization are dead there; one that began later is left alone, as is everything where it was
    /// us who ended it: that has had its effect here.
    ///
    /// Where nothing but an arrival says that the person has come again, it may lead nowhere: then the tokens stay, so
    /// that the provider is asked about them.
    private func endConsent(
        _ change: Change,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let standing = try await authorizations.standing(
            of: change.person.subject,
            as: change.event.identifier,
            for: change.group,
            at: change.event.at,
            tolerating: Self.tolerance,
            believing: change.horizon,
            in: change.team,
            transaction
        )
        switch standing {
        case .ended:
            let end = ProviderAuthorizationEnd(
                of: change.person.subject,
                at: provider,
                for: change.group,
                because: .told,
                since: change.latest,
                believing: change.horizon,
                team: change.team,
                now: change.now
            )
            try await end.apply(transaction)
        case .renewed: break
        case .arriving: return try await void(change, transaction)
        case .endedByUs: return
        }
        try await void(change, transaction)
        try await fates.buryAll(
            of: change.person.subject,
            for: change.group,
            before: change.latest,
            orAfter: change.horizon,
            because: change.event.name,
            in: change.team,
            transaction
        )
    }

    /// A person who has no other way in goes with their account there; one who connected it is parted from it.
    private func endAccount(_ change: Change, _ transaction: borrowing Transaction) async throws {
        try await void(change, transaction)
        let seenAt = change.person.lastSeenAt
        guard seenAt <= change.latest || seenAt > change.horizon else { return }
        let (subject, team, reason) = (change.person.subject, change.team, change.event.name)
        let actor = Actor.system(provider.rawValue)
        try await fates.buryAll(
            of: subject,
            for: nil,
            before: change.now + Self.tolerance,
            orAfter: change.horizon,
            because: reason,
            in: team,
            transaction
        )
        guard change.person.stays else {
            _ = try await deletion.delete(
                subject,
                in: team,
                by: actor,
                from: .local,
                reason: reason,
                transaction
            )
            return
        }
        try await ProviderParting(of: subject, from: provider, by: actor, from: .local, in: team)
            .apply(transaction)
        let target = AuditEvent.Target("user", subject.rawValue)
        try await AuditEvent("provider_identity.removed", by: actor, on: target, from: .local)
            .record(in: team, transaction)
    }

    /// What the provider said of the person before, and nobody has looked at, brings them back no more.
    private func void(_ change: Change, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        guard let identifier = change.event.identifier,
            let end = parting(
                change.event,
                of: identifier,
                for: change.group,
                in: change.team,
                at: change.now
            )
        else { return }
        try await transaction.query(end)
    }

    private func forwardMail(
        _ forwards: Bool,
        _ change: Change,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let (subject, group, team) = (change.person.subject, change.group, change.team)
        let mail = ProviderNoticeStore.Forwarding(
            isOn: forwards,
            subject: subject,
            provider: provider,
            group: group,
            at: change.event.at,
            tolerance: Self.tolerance
        )
        guard try await store.note(mail, in: team, transaction) else { return }
        try await AuditEvent(
            forwards ? "relay.enabled" : "relay.disabled",
            by: .system(provider.rawValue),
            on: AuditEvent.Target("user", subject.rawValue),
            from: .local,
            after: ["appID": .string(group.rawValue)]
        )
        .record(in: team, transaction)
        let notice = NewNotice(forwards ? .emailEnabled : .emailDisabled, of: subject, to: group)
        try await Notices.enqueue(notice, in: team, transaction)
    }
}
