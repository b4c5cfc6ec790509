import Core
import Crypto
import Platform
import Postgres

/// Challenge that was answered, stored until its expiry among the counters of limits.
struct SpentChallenge: Sendable {
    let challenge: [UInt8]
    let end: Timestamp

    /// Statement that stores the challenge; yields a row the first time only.
    func insertion(in team: TeamID) -> SQL {
        """
        INSERT INTO limits (team_id, subject, window_ends_at, count)
        VALUES (\(team), \("passkey.challenge." + Base64URL.encode(SHA256.hash(challenge))), \(end), 1)
        ON CONFLICT (team_id, subject) DO NOTHING
        RETURNING 1
        """
    }
}
