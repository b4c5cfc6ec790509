public import Core
public import Platform
public import Postgres

/// One of four partitions of short-lived rows, each for a quarter of an hour in rotation, emptied as a whole.
public struct TimePartition: Equatable, Sendable {
    static let length = 900
    let number: Int

    init(number: Int) { self.number = number }

    init(at moment: Timestamp) { number = (moment.seconds / Self.length) % 4 }

    init?(character: UInt8?) {
        guard let character, (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(character) else { return nil }
        number = Int(character - UInt8(ascii: "0"))
    }

    var character: String { String(number) }

    /// The condition that a row lies in this partition: a literal, so that the query plan covers this partition alone.
    public var condition: SQL {
        switch number {
        case 0: "time_partition = 0"
        case 1: "time_partition = 1"
        case 2: "time_partition = 2"
        default: "time_partition = 3"
        }
    }

    /// The partition after next: none of its rows is younger than a quarter of an hour.
    var afterNext: TimePartition { TimePartition(number: (number + 2) % 4) }
}

/// Empties the time partition after next, for all teams at once.
public struct TimePartitionSweep: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) { self.database = database }

    /// Empties the partition; to be called every few minutes, at almost no cost when it is empty already.
    public func run(at moment: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            "SELECT pippin_empty_time_partition(\(TimePartition(at: moment).afterNext.number)::integer)")
    }
}

/// Creates the time partitions of coming months and weeks, and drops those of expired sign-in traces.
public struct Partitions: Sendable {
    let database: SystemDatabase

    public init(database: SystemDatabase) { self.database = database }

    public func make() async throws(PostgresFailure) {
        // Whoever reads the one kind for long does not keep the other from being made.
        var failure: PostgresFailure?
        for statement: SQL in ["SELECT pippin_make_partitions()", "SELECT pippin_keep_traces()"] {
            do throws(PostgresFailure) { try await database.query(statement) } catch {
                if failure?.isWaitForLock != false { failure = error }
            }
        }
        if let failure { throw failure }
    }
}
