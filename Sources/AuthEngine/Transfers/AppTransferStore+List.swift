public import Bytes
public import Domain
import Postgres

extension AppTransferStore {
    /// Transfers between two teams that are shown.
    private static let shown = 20

    /// The transfers of both directions: those that wait for an answer first, then the newest; of each other team some,
    /// so that none hides what others offer.
    public func list(in team: TeamID, at moment: Timestamp) async throws -> [AppTransfer] {
        let rows = try await database.query(Self.listing(team, at: moment), in: team)
        var transfers: [AppTransfer] = []
        for var row in rows { transfers.append(try AppTransfer(&row)) }
        return transfers
    }

    /// The newest of each kind and direction, by an index that has them in their order.
    ///
    /// Of those that are settled a team may have any number. Times are spelled as the indexes have them.
    static func listing(_ team: TeamID, at moment: Timestamp) -> SQL {
        let other: SQL = "CASE WHEN team_id = \(team) THEN target_team ELSE team_id END"
        let waits: SQL = "(\(state(at: moment)) = 'offered')"
        return """
            SELECT \(columns(at: moment, registration: names)) FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY \(other) ORDER BY \(waits) DESC, offered_at DESC, transfer_id
                ) AS place
                FROM (
                    \(newest(where: "team_id", is: team))
                    UNION ALL
                    \(newest(where: "target_team", is: team))
                ) AS newest
            ) AS transfers
            WHERE place <= \(shown)
            ORDER BY \(waits) DESC, offered_at DESC, transfer_id
            LIMIT 500
            """
    }

    /// What was accepted is read beside what came to nothing, so that none of the latter hides it.
    private static func newest(where side: SQL, is team: TeamID) -> SQL {
        """
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state = 'offered'
            ORDER BY offered_at DESC LIMIT 500
        )
        UNION ALL
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state = 'accepted'
            ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT 100
        )
        UNION ALL
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state IN ('declined', 'withdrawn')
            ORDER BY offered_at DESC LIMIT 100
        )
        """
    }

    /// What a list says of a registration: not the domains and return URLs, which are hundreds of kilobytes each time.
    private static let names: SQL = """
        registration || jsonb_build_object('services', coalesce((
            SELECT jsonb_agg(service || '{"domains": [], "returnURLs": []}'::jsonb ORDER BY number)
            FROM jsonb_array_elements(registration -> 'services') WITH ORDINALITY AS one (service, number)
        ), '[]'::jsonb))
        """
}
