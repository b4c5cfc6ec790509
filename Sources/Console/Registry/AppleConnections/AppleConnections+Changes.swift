import Bytes
import Domain
import Postgres
import Registry
import Web

// What is registered.
extension AppleConnections {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppleConnection? {
        try await registry.appleConnections.find(of: id, in: team)
    }

    func create(
        _ form: AppleConnectionForm,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> AppleConnection {
        let draft = try AppleConnection.Draft(parsing: form.input)
        let update = try await registry.appleConnections.save(
            draft,
            over: .none,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
        switch update {
        case .saved(let connection): return connection
        case .conflict, .notFound: throw Refusal.connectedAlready(draft.appID)
        }
    }

    func update(
        _ connection: AppleConnection,
        to form: AppleConnectionForm,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleConnection> {
        try await registry.appleConnections.save(
            try AppleConnection.Draft(parsing: form.input(over: connection)),
            over: .exactly(version),
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func delete(
        _ connection: AppleConnection,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.appleConnections.delete(
            of: connection.appID,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        ) != nil
    }

    func praise(_ connection: AppleConnection) -> Flash? {
        let app = connection.appID.rawValue
        return standIn == nil
            ? .good(Phrase("console.apple.flash.connected", ["app": app]))
            : .good(Phrase("console.apple.flash.connected.stand-in", ["app": app]))
    }

    func farewell(_ connection: AppleConnection) -> Flash {
        .good(Phrase("console.apple.flash.deleted", ["app": connection.appID.rawValue]))
    }
}

extension AppleConnection: RegisteredThing {
    var key: ClientID { appID }
    var identity: String { appID.rawValue }
}
