import Core
import Platform
import Postgres
import Registry

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

    init() {}

    /// Reads the rows of `TeamSnapshotStore.transfers`.
    init(_ rows: Rows, of team: TeamID) throws(PostgresFailure) {
        for var row in rows {
            let app: ClientID = try row.next()
            let (source, target): (TeamID, TeamID) = (try row.next(), try row.next())
            let closesAt = try row.next(Timestamp.self) + AppTransfer.window
            if source == team {
                outgoing[app] = Window(team: target, closesAt: closesAt)
            } else {
                incoming[app] = Window(team: source, closesAt: closesAt)
            }
        }
    }

    func outgoing(_ primaryAppID: ClientID, at moment: Timestamp) -> Window? {
        outgoing[primaryAppID].flatMap { moment < $0.closesAt ? $0 : nil }
    }

    func incoming(_ primaryAppID: ClientID, at moment: Timestamp) -> Window? {
        incoming[primaryAppID].flatMap { moment < $0.closesAt ? $0 : nil }
    }
}
