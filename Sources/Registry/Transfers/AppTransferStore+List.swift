public import Core
public import Platform
import Postgres

extension AppTransferStore {
    /// Most transfers listed between two teams.
    private static let shown = 20

    /// Lists the transfers in both directions: open offers first, then the newest; the number for each other team is
    /// limited, so that none hides the offers of others.
    public func list(in team: TeamID, at moment: Timestamp) async throws -> [AppTransfer] {
        let rows = try await database.query(Self.listing(team, at: moment), in: team)
        var transfers: [AppTransfer] = []
        for var row in rows { transfers.append(try AppTransfer(&row)) }
        return transfers
    }

    /// Selects the newest of each state and direction, by indexes in that order.
    ///
    /// A team may have any number of settled transfers. Times are written as in the indexes.
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

    /// Accepted transfers are read separately from declined and withdrawn ones, so that these do not displace them.
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

    /// The registration without domains and return URLs, which may be hundreds of kilobytes each time.
    private static let names: SQL = """
        registration || jsonb_build_object('services', coalesce((
            SELECT jsonb_agg(service || '{"domains": [], "returnURLs": []}'::jsonb ORDER BY number)
            FROM jsonb_array_elements(registration -> 'services') WITH ORDINALITY AS one (service, number)
        ), '[]'::jsonb))
        """
}
