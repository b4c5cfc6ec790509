public import Bytes
public import Domain
import Postgres

/// A domain of a team's Service IDs, with what is known of who runs it.
public struct RegisteredDomain: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// Never checked.
        case pending
        /// The last check found the file.
        case verified
        /// It counts as verified, but since then the checks found something else; after the grace it lapses.
        case failing(since: Timestamp)
        case unverified
    }

    /// How long a verified domain may serve something else, so that a mishap there stops nobody here.
    public static let grace = Duration.seconds(3 * 86_400)

    public let name: DomainName
    public let file: AssociationFile
    public let state: State
    public let checkedAt: Timestamp?
    public let finding: DomainFinding?
    /// The Service IDs that name it.
    public let serviceIDs: [ClientID]
    /// Whether its team is in sandbox mode, and may name addresses of this machine.
    let isOfSandbox: Bool
    /// Where it is asked for the file.
    public let associationURL: String

    /// Whether return URLs on it work in a team that asks for proof.
    public var isVerified: Bool {
        switch state {
        case .verified, .failing: true
        case .pending, .unverified: false
        }
    }

    /// Whether it is a developer's own machine, which a sandbox team may name and nobody else reaches.
    public var isOwnMachine: Bool { isOfSandbox && name.isLoopback }

    /// What to do after the last check, or nil before the first.
    ///
    /// - Parameter isNeeded: whether return URLs of the team work on verified domains alone.
    public func advice(isNeeded: Bool) -> Phrase? {
        guard let finding else { return nil }
        guard isOwnMachine, finding.kind != .served else { return finding.advice(at: associationURL) }
        return isNeeded
            ? Phrase("console.domains.own-machine.needed", ["address": associationURL])
            : Phrase("console.domains.own-machine")
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
