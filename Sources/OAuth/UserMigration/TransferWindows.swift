import Core
import Platform

/// The open transfer windows of a team, by the primary App ID transferred.
public struct TransferWindows: Sendable {
    /// The other team, and the time after which users can no longer be migrated.
    struct Window: Sendable {
        let team: TeamID
        let closesAt: Timestamp
    }

    /// App IDs transferred to other teams.
    var outgoing: [ClientID: Window] = [:]
    /// App IDs transferred from other teams.
    var incoming: [ClientID: Window] = [:]

    func outgoing(_ primaryAppID: ClientID, at moment: Timestamp) -> Window? {
        outgoing[primaryAppID].flatMap { moment < $0.closesAt ? $0 : nil }
    }

    func incoming(_ primaryAppID: ClientID, at moment: Timestamp) -> Window? {
        incoming[primaryAppID].flatMap { moment < $0.closesAt ? $0 : nil }
    }
}
