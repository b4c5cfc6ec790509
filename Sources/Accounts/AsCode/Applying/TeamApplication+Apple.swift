import Platform
import Postgres
import Registry

// Connections to Apple and Apple keys.
extension TeamApplication {
    func makeApple(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let (keys, connections) = (provisioner.appleKeys, provisioner.appleConnections)
        switch change {
        case .disconnectApple(let connection):
            _ = try await connections.delete(
                of: connection.appID, reason: Self.reason, in: team, by: actor, from: origin, transaction)
        case .deleteAppleKey(let key):
            _ = try await keys.delete(key.id, reason: Self.reason, in: team, by: actor, from: origin, transaction)
        case .importAppleKey(let key): _ = try await keys.create(key, in: team, by: actor, from: origin, transaction)
        case .moveAppleKey(let key, let draft):
            _ = try await keys.update(to: draft, version: key.version, in: team, by: actor, from: origin, transaction)
        case .connectApple(let draft), .updateAppleConnection(_, let draft):
            _ = try await connections.save(draft, over: .any, in: team, by: actor, from: origin, transaction)
        default: return
        }
    }
}
