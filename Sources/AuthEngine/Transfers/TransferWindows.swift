import Bytes
import Domain

/// The transfers of a team whose window is open, by the primary App ID that went or came.
struct TransferWindows: Sendable {
    /// The other team, and when people can no longer be moved.
    struct Window: Sendable {
        let team: TeamID
        let closesAt: Timestamp
    }

    /// App IDs that other teams have taken.
    var outgoing: [ClientID: Window] = [:]
    /// App IDs that came from other teams.
    var incoming: [ClientID: Window] = [:]

    func outgoing(_ group: ClientID, at moment: Timestamp) -> Window? {
        outgoing[group].flatMap { moment < $0.closesAt ? $0 : nil }
    }

    func incoming(_ group: ClientID, at moment: Timestamp) -> Window? {
        incoming[group].flatMap { moment < $0.closesAt ? $0 : nil }
    }
}
