import Core
import Platform
import Postgres

/// The clients that have redeemed a code, to record an audit event for the first time.
// @unchecked Sendable: accessed only on its loop's thread.
final class RedeemingClients: @unchecked Sendable {
    private static let capacity = 10_000

    private let database: TeamDatabase
    private let log: Log
    private var known: Set<Redeemer> = []

    private struct Redeemer: Hashable {
        let team: TeamID
        let client: ClientID
    }

    init(database: TeamDatabase, log: Log) {
        self.database = database
        self.log = log
    }

    /// Writes the event together with the row that marks it as written, so that a lost event is written the next time.
    func note(_ client: ClientID, in team: TeamID, from origin: Origin) async {
        let redeemer = Redeemer(team: team, client: client)
        guard !known.contains(redeemer) else { return }
        if known.count >= Self.capacity { known = [] }
        let event = AuditEvent("client.first_redemption", by: .client(client), on: .client(client), from: origin)
        let isWritten = await log.attempt("first_redemption.not_kept", request: origin.requestID) {
            try await database.query(
                """
                WITH first AS (
                    INSERT INTO redeeming_clients (team_id, client_id) VALUES (\(team), \(client))
                    ON CONFLICT DO NOTHING
                    RETURNING client_id
                )
                \(event.insertion(in: team, when: "FROM first"))
                """, in: team)
        }
        if isWritten { known.insert(redeemer) }
    }
}
