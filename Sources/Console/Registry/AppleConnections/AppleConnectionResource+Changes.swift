import Bytes
import Domain
import Localization
import Postgres
import Registry
import Web

// Access to the registry.
extension AppleConnectionResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppleConnection? {
        try await registry.appleConnections.find(of: id, in: team)
    }

    func create(_ form: AppleConnectionForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws
        -> AppleConnection
    {
        let draft = try AppleConnection.Draft(parsing: form.input)
        let update = try await registry.appleConnections.save(
            draft, over: .none, in: context.teamID, by: context.actor, from: context.origin, transaction)
        switch update {
        case .saved(let connection): return connection
        case .conflict, .notFound: throw ValidationError.connectedAlready(draft.appID)
        }
    }

    func update(
        _ connection: AppleConnection, to form: AppleConnectionForm, version: Int, _ context: TeamContext,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleConnection> {
        try await registry.appleConnections.save(
            try AppleConnection.Draft(parsing: form.input(over: connection)), over: .exactly(version),
            in: context.teamID, by: context.actor, from: context.origin, transaction)
    }

    func delete(
        _ connection: AppleConnection, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.appleConnections.delete(
            of: connection.appID, reason: reason, in: context.teamID, by: context.actor, from: context.origin,
            transaction) != nil
    }

    func createdMessage(_ connection: AppleConnection) -> Flash? {
        let app = connection.appID.rawValue
        return standIn == nil
            ? .good(Message("console.apple.flash.connected", ["app": app]))
            : .good(Message("console.apple.flash.connected.stand-in", ["app": app]))
    }

    func deletedMessage(_ connection: AppleConnection) -> Flash {
        .good(Message("console.apple.flash.deleted", ["app": connection.appID.rawValue]))
    }
}

extension AppleConnection: RegisteredThing {
    var key: ClientID { appID }
    var identity: String { appID.rawValue }
}
