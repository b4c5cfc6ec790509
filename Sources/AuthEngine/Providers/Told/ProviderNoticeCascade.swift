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
    private let fates: ProviderTokenFateStore
    private let deletion: AccountDeletion

    init(provider: ProviderID, context: EngineContext, database: TeamDatabase) {
        self.provider = provider
        store = ProviderNoticeStore(database, context: context)
        fates = ProviderTokenFateStore(database, context: context)
        deletion = AccountDeletion(database, random: context.random)
    }

    /// One event, with whom it meets here.
    struct Change: Sendable {
        let event: ProviderNotice.Event
        let person: ProviderNoticeStore.Person
        let group: ClientID
        let team: TeamID
        let now: Timestamp

        /// Whether the person has come again since.
        var isStale: Bool { person.lastSeenAt > event.at + ProviderNoticeCascade.tolerance }
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

    /// The tokens of that authorization are dead there; one that began later is left alone.
    private func endConsent(
        _ change: Change,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        if !change.isStale {
            let end = ProviderAuthorizationEnd(
                of: change.person.subject,
                at: provider,
                for: change.group,
                because: .told,
                team: change.team,
                now: change.now
            )
            try await end.apply(transaction)
        }
        try await fates.buryAll(
            of: change.person.subject,
            for: change.group,
            before: change.event.at + Self.tolerance,
            because: change.event.name,
            in: change.team,
            transaction
        )
    }

    /// A person who has no other way in goes with their account there; one who connected it is parted from it.
    private func endAccount(_ change: Change, _ transaction: borrowing Transaction) async throws {
        guard !change.isStale else { return }
        let (subject, team, reason) = (change.person.subject, change.team, change.event.name)
        let actor = Actor.system(provider.rawValue)
        try await fates.buryAll(
            of: subject,
            for: nil,
            before: change.now + Self.tolerance,
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

    private func forwardMail(
        _ forwards: Bool,
        _ change: Change,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let (subject, group, team) = (change.person.subject, change.group, change.team)
        guard
            try await store.forwardMail(forwards, of: subject, at: provider, to: group, in: team, transaction)
        else {
            return
        }
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
