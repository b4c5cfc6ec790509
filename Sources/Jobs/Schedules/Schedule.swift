public import Domain

/// Something that is done now and then for the whole installation, by one process at a time.
public struct Schedule: Sendable {
    /// Its name for ever, such as `audit.seal`.
    public let name: String
    /// From one start to the next, in whole seconds; late when a run takes longer.
    public let interval: Duration
    let perform: @Sendable () async throws -> Void

    /// - Parameter perform: does it once.
    ///
    ///   It may be called again before its time when a process died in the middle. What it throws is kept for operators
    ///   to see, so the description of an error of its own holds no personal data.
    public init(
        _ name: String,
        every interval: Duration,
        _ perform: @escaping @Sendable () async throws -> Void
    ) {
        precondition(interval >= .seconds(1), "a schedule is kept to the second")
        self.name = name
        self.interval = interval
        self.perform = perform
    }

    /// Removes what has ended.
    public init(
        _ name: String,
        every interval: Duration,
        purging purges: BatchedPurge...,
        in database: SystemDatabase
    ) {
        self.init(name, every: interval) {
            for purge in purges { try await purge.run(on: database) }
        }
    }
}
