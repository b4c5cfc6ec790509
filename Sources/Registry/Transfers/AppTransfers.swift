public import Core
import Crypto
public import Platform
public import Postgres

/// Offers App IDs to other teams, and accepts offers.
///
/// Each team acts in its own transactions and sees only the offer of the other. An offer is open for fourteen days,
/// with twenty open offers of one team at most, and is deleted fourteen days later unless it was accepted. A team
/// accepts a hundred App IDs a day at most, and cannot offer any on a day on which a hundred of its own were accepted.
/// Closed teams neither give nor take.
public struct AppTransfers: Sendable {
    let database: TeamDatabase
    let random: RandomSource
    let clock: @Sendable () -> Timestamp

    public init(_ database: TeamDatabase, server: ServerContext) {
        self.database = database
        random = server.random
        clock = server.clock
    }

    /// Offers an App ID with its Service IDs.
    ///
    /// An offer to a nonexistent team is stored like any other, so that the existence of teams is not disclosed.
    ///
    /// - Throws: `TransferRefusal`, `PostgresFailure`.
    public func offer(_ appID: ClientID, to target: TeamID, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> TransferID
    {
        guard target != team else { throw TransferRefusal.ownTeam }
        let registration = try await registration(of: appID, in: team)
        let (id, moment) = (TransferID(random: random), clock())
        do {
            try await database.change(in: team, by: actor, from: origin) { change in
                try await check(appID, to: target, at: moment, change)
                try await Self.requireRight(change)
                try await AppTransferStore.insert(id, appID, registration, to: target, at: moment, change)
            }
        } catch let error as PostgresFailure where error.constraint == "app_transfers_target_team_check" {
            throw TransferRefusal.unknownTeam
        }
        return id
    }

    /// - Throws: `TransferRefusal` when an offer is not allowed, checked after the team is locked.
    private func check(_ appID: ClientID, to target: TeamID, at moment: Timestamp, _ change: borrowing Change)
        async throws
    {
        // The target team is not checked, so that its existence is not disclosed: an offer to a nonexistent or closed
        // team is never accepted. Its row is not locked, so that one team's offers do not block another team.
        try await change.lockTeam()
        try await AppTransferStore.settleExpired(at: moment, change)
        guard try await !AppTransferStore.isUnderWay(appID, at: moment, change) else { throw TransferRefusal.underWay }
        let open: SQL = "app_transfers WHERE team_id = \(change.team) AND state = 'offered'"
        guard try await Quota.offers.hasRoom(beside: open, change) else { throw TransferRefusal.tooMany }
        let unaccepted = AppTransferStore.unaccepted(in: change.team, at: moment)
        let accepted = AppTransferStore.accepted("team_id", change.team, at: moment)
        let toTeam: SQL = "\(unaccepted) AND target_team = \(target)"
        guard try await Quota.offersToTeam.hasRoom(beside: toTeam, change),
            try await Quota.offersADay.hasRoom(beside: unaccepted, change),
            try await Quota.acceptedADay.hasRoom(beside: accepted, change)
        else { throw TransferRefusal.tooManyToday }
    }

    /// Withdraws an offer; false when it is not open.
    public func withdraw(_ id: TransferID, in team: TeamID, by actor: Actor, from origin: Origin) async throws -> Bool {
        try await settle(id, .withdrawn, "app_transfer.withdrawn", in: team, by: actor, from: origin)
    }

    /// Declines an offer; false when it is not open.
    public func decline(_ id: TransferID, in team: TeamID, by actor: Actor, from origin: Origin) async throws -> Bool {
        try await settle(id, .declined, "app_transfer.declined", in: team, by: actor, from: origin)
    }

    /// Registers the offered App ID, by the rules of the accepting team, and opens the window for migrating users.
    ///
    /// - Returns: the App ID, or nil when the offer is not open.
    /// - Throws: `FieldErrors` and `ValidationError`, `TransferRefusal.tooManyTaken` and `.notAllowed`, which
    ///   leave the offer unchanged, `PostgresFailure`.
    public func accept(
        _ id: TransferID, because reason: String, policy: HostPolicy, in team: TeamID, by actor: Actor,
        from origin: Origin
    ) async throws -> ClientID? {
        let moment = clock()
        return try await database.change(in: team, by: actor, from: origin) { change in
            let offer = try await AppTransferStore.find(id, in: team, at: moment, change.transaction)
            guard let offer, offer.target == team,
                try await AppTransferStore.hold(offer.source, team, change.transaction),
                let transfer = try await AppTransferStore.settle(id, .accepted, at: moment, change)
            else { return nil }
            try await Self.requireRight(change)
            // Includes the one just accepted.
            let accepted = AppTransferStore.accepted("target_team", team, at: moment)
            guard try await Quota.acceptedADay.hasRoom(for: 0, beside: accepted, change) else {
                throw TransferRefusal.tooManyTaken
            }
            let draft = try AppID.Draft(transfer.appID.rawValue, transfer.registration.app.settings, policy: policy)
            _ = try await AppIDStore(database).create(draft, change)
            for service in transfer.registration.services {
                let draft = try ServiceID.Draft(
                    service.identifier, of: transfer.appID, service.settings, policy: policy)
                _ = try await ServiceIDStore(database).create(draft, change)
            }
            try await Self.record("app_transfer.accepted", transfer, because: .reason(reason), change)
            return transfer.appID
        }
    }

    /// Rejects a member who is no longer an owner; the membership of an owner is locked until the transaction ends.
    private static func requireRight(_ change: borrowing Change) async throws {
        guard let member = change.actor.account else { return }
        guard try await AppTransferStore.holdRight(of: member, change) else { throw TransferRefusal.notAllowed }
    }

    private func settle(
        _ id: TransferID, _ state: AppTransfer.State, _ action: String, in team: TeamID, by actor: Actor,
        from origin: Origin
    ) async throws -> Bool {
        let moment = clock()
        return try await database.change(in: team, by: actor, from: origin) { change in
            let transfer = try await AppTransferStore.settle(id, state, at: moment, change)
            guard let transfer else { return false }
            try await Self.record(action, transfer, change)
            return true
        }
    }

    /// Records what a team did with an offer; an answer also in the log of the team that offered, which learns neither
    /// who answered nor why.
    private static func record(
        _ action: String, _ transfer: AppTransfer, because reason: AuditedMembers = [:], _ change: borrowing Change
    ) async throws {
        let teams: AuditedMembers = [
            "from": .string(transfer.source.rawValue), "to": .string(transfer.target.rawValue),
        ]
        try await change.record(action, .appID(transfer.appID), to: teams.merging(reason) { $1 })
        guard change.team != transfer.source else { return }
        let answered = AuditEvent(
            action, by: .system("transfer"), on: .appID(transfer.appID), from: .local, after: .object(teams))
        try await change.acting(in: transfer.source, by: answered.actor) { try await $0.record(answered) }
    }

    private func registration(of appID: ClientID, in team: TeamID) async throws -> TransferredRegistration {
        guard let app = try await AppIDStore(database).find(appID, in: team) else { throw TransferRefusal.unknownApp }
        guard let below = try await AppIDStore(database).consequences(of: appID, in: team) else {
            throw TransferRefusal.unknownApp
        }
        guard app.primary == nil, below.groupedAppIDs.isEmpty else { throw TransferRefusal.grouped }
        let services = try await ServiceIDStore(database).all(of: appID, in: team)
        return TransferredRegistration(app, services, people: below.people)
    }
}

extension TransferredRegistration {
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // Offers of before have the settings of the App ID beside its Service IDs.
        app = try members.decodeIfPresent(RegistryEntry.self, forKey: .app) ?? RegistryEntry(from: decoder)
        services = try members.decode([RegistryEntry].self, forKey: .services)
        people = try members.decode(Int.self, forKey: .people)
    }

    fileprivate init(_ app: AppID, _ services: [ServiceID], people: Int) {
        self.people = people
        self.app = RegistryEntry(app.identifier.rawValue, app.settings.typed)
        self.services = services.map { RegistryEntry($0.identifier.rawValue, $0.settings.typed) }
    }
}

/// The id of a transfer.
public typealias TransferID = RandomID<AppTransfer>

/// The transfer of an App ID from one team to another (Apple, "Transferring your apps and users to another team").
public struct AppTransfer: Sendable {
    /// Time after the acceptance during which users can be migrated (Apple).
    public static let window = Duration.seconds(60 * 86_400)

    /// Time during which an offer can be accepted.
    public static let lifetime = Duration.seconds(14 * 86_400)

    /// State of a transfer: offered, accepted, declined, withdrawn, expired.
    public enum State: String, SQLText, CaseIterable, Sendable {
        case offered
        case accepted
        case declined
        case withdrawn
        /// The offer's lifetime passed without an answer.
        case expired
    }

    public let id: TransferID
    public let source: TeamID
    public let target: TeamID
    public let appID: ClientID
    public let registration: TransferredRegistration
    public let state: State
    public let offeredAt: Timestamp
    public let settledAt: Timestamp?

    /// Time after which users can no longer be migrated; nil unless the transfer is accepted.
    public var closesAt: Timestamp? { state == .accepted ? settledAt.map { $0 + Self.window } : nil }
}

/// The transferred registration: the App ID and its Service IDs; keys are not transferred.
public struct TransferredRegistration: Codable, Sendable {
    public let app: RegistryEntry
    /// As of the time of the offer.
    public let services: [RegistryEntry]
    /// Number of the app's users at the time of the offer.
    public let people: Int
}

/// The reason why a transfer is rejected.
public enum TransferRefusal: String, CaseIterable, Error {
    case unknownApp = "unknown-app"
    /// The App ID is grouped with others; Apple requires an ungrouped one.
    case grouped
    /// The Team ID is malformed; whether a well-formed one exists is not disclosed.
    case unknownTeam = "unknown-team"
    case ownTeam = "own-team"
    /// The member is no longer an owner of the team.
    case notAllowed
    /// The team has the most open offers allowed.
    case tooMany = "too-many"
    /// The most offers allowed were made, or accepted by others, within 24 hours.
    case tooManyToday = "too-many-today"
    /// The team has accepted the most App IDs allowed within 24 hours.
    case tooManyTaken = "too-many-taken"
    /// The App ID is offered already, or was transferred within the window.
    case underWay = "under-way"
}
