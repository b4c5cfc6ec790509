import Core
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
        case 0: "slot = 0"
        case 1: "slot = 1"
        case 2: "slot = 2"
        default: "slot = 3"
        }
    }

    /// The partition after next: none of its rows is younger than a quarter of an hour.
    var afterNext: TimePartition { TimePartition(number: (number + 2) % 4) }
}
