public import Core
public import Platform
import Postgres

/// A domain of a team's Service IDs, with the state of its verification.
public struct RegisteredDomain: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// Never checked.
        case pending
        /// The last check found the file.
        case verified
        /// Still verified, though checks since then found something else; lapses after the grace period.
        case failing(since: Timestamp)
        case unverified
    }

    /// How long a verified domain may serve something else, so that a short failure does not stop sign-ins.
    public static let grace = Duration.seconds(3 * 86_400)

    public let name: DomainName
    public let file: AssociationFile
    public let state: State
    public let checkedAt: Timestamp?
    public let finding: DomainFinding?
    /// The Service IDs that name it.
    public let serviceIDs: [ClientID]
    /// Whether its team is in sandbox mode, and may use loopback addresses of this machine.
    let isOfSandbox: Bool
    /// The URL from which the file is requested.
    public let associationURL: String

    /// Whether return URLs on it work in a team that requires verified domains.
    public var isVerified: Bool {
        switch state {
        case .verified, .failing: true
        case .pending, .unverified: false
        }
    }

    /// Whether it is a loopback address of a sandbox team, which no other machine reaches.
    public var isOwnMachine: Bool { isOfSandbox && name.isLoopback }

    /// What to do after the last check, or nil before the first.
    ///
    /// - Parameter isNeeded: whether the team's return URLs work only on verified domains.
    public func advice(isNeeded: Bool) -> Message? {
        guard let finding else { return nil }
        guard isOwnMachine, finding.kind != .served else { return finding.advice(at: associationURL) }
        return isNeeded
            ? Message("console.domains.own-machine.needed", ["address": associationURL])
            : Message("console.domains.own-machine")
    }

    /// Reads `DomainStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        name = DomainName(stored: try row.next())
        file = AssociationFile(token: try row.next())
        let isVerified: Bool = try row.next()
        let failedSince: Timestamp? = try row.next()
        checkedAt = try row.next()
        let kind: DomainFinding.Kind? = try row.next()
        let status: Int? = try row.next()
        let detail: String? = try row.next()
        finding = kind.map { DomainFinding(kind: $0, status: status, stored: detail) }
        serviceIDs = try row.next([String].self).compactMap(ClientID.init(rawValue:))
        isOfSandbox = try row.next()
        let returnURL: String? = try row.next()
        associationURL = name.associationURL(returnURL.map { [ReturnURL(stored: $0)] } ?? [])
        state =
            switch (isVerified, failedSince) {
            case (true, nil): .verified
            case (true, let since?): .failing(since: since)
            case (false, _): checkedAt == nil ? .pending : .unverified
            }
    }
}
