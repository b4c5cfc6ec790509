import Bytes
import Postgres

/// A quarter of an hour, counted round from 0 to 3: where short-lived rows lie until they are dropped together.
public struct Slot: Equatable, Sendable {
    static let length = 900
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(at moment: Timestamp) {
        number = (moment.seconds / Self.length) % 4
    }

    init?(character: UInt8?) {
        guard let character, (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(character) else { return nil }
        number = Int(character - UInt8(ascii: "0"))
    }

    var character: String { String(number) }

    /// That a row lies in this slot: a literal, so that the statement's plan is about this partition alone.
    var condition: SQL {
        switch number {
        case 0: "slot = 0"
        case 1: "slot = 1"
        case 2: "slot = 2"
        default: "slot = 3"
        }
    }

    /// The slot after next: nothing in it is younger than a quarter of an hour.
    var afterNext: Slot { Slot(number: (number + 2) % 4) }
}
