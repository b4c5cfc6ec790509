public import Core
public import Platform

/// Right of a user to change their own data: the session of the request, as it was read for it.
///
/// It is checked again within the transaction of the change, once the user is locked. A password change or a
/// suspension, which end sessions, lock the user too: so nothing is changed by a session that has ended while the
/// change waited, nor by the proof of a password or factor that has changed since.
public struct SessionRight: Sendable {
    /// The session has ended meanwhile, or its proof is out of date.
    public struct Ended: Error, Sendable { public init() {} }

    public let session: Session
    let team: TeamID
    let proofLife: Duration?
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - proofLife: greatest age of the user's latest proof; nil for any age.
    ///   - clock: read when the session is checked, and not before.
    public init(
        _ session: Session, in team: TeamID, provedWithin proofLife: Duration? = nil,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.session = session
        self.team = team
        self.proofLife = proofLife
        self.clock = clock
    }
}
