public import Bytes
public import Domain

/// By what a person changes something of their own: the session they are signed in with, as it was read for their request.
///
/// It is looked at once more within the transaction of the change, once the person is locked. Whoever ends sessions, with
/// another password or as a team that suspends the person, locks them too: so nothing is changed by a session that has
/// ended while the change waited, nor on the strength of a password or a factor that is another by then.
public struct SessionRight: Sendable {
    /// The session has ended meanwhile, or what was proved in it is out of date.
    public struct Over: Error, Sendable {
        public init() {}
    }

    public let session: Session
    let team: TeamID
    let proofLife: Duration?
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - proofLife: how old the last proof of who the person is may be; nil where it may be of any age.
    ///   - clock: read when the session is looked at, and not before.
    public init(
        _ session: Session,
        in team: TeamID,
        provedWithin proofLife: Duration? = nil,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.session = session
        self.team = team
        self.proofLife = proofLife
        self.clock = clock
    }
}
