/// Periodic work for the whole installation, run by one process at a time.
public struct Schedule: Sendable {
    /// The permanent name, such as `audit.seal`.
    public let name: String
    /// Time from one start to the next, in whole seconds; longer when a run takes longer.
    public let interval: Duration
    let perform: @Sendable () async throws -> Void

    /// - Parameter perform: runs the work once.
    ///
    ///   It may be called again before its time when a process died during a run. The error that it throws is stored
    ///   for operators, so the description of an error of its own contains no personal data.
    public init(_ name: String, every interval: Duration, _ perform: @escaping @Sendable () async throws -> Void) {
        precondition(interval >= .seconds(1), "a schedule is kept to the second")
        self.name = name
        self.interval = interval
        self.perform = perform
    }
}
