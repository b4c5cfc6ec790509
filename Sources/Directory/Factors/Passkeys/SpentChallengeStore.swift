import Bytes
import Crypto
import Domain
import Postgres

/// A challenge that was answered: kept until it would be over anyway, among what may not happen too often.
struct SpentChallenge: Sendable {
    let challenge: [UInt8]
    let end: Timestamp

    /// Yields a row the first time only.
    func insertion(in team: TeamID) -> SQL {
        """
        INSERT INTO limits (team_id, subject, window_ends_at, count)
        VALUES (\(team), \("passkey.challenge." + Base64URL.encode(SHA256.hash(challenge))), \(end), 1)
        ON CONFLICT (team_id, subject) DO NOTHING
        RETURNING 1
        """
    }
}
