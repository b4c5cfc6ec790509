/// A file of the migrations folder.
public struct Migration: Equatable, Sendable {
    /// Position in the order, from 1.
    public let number: Int
    /// The file's name, `NNNN_subject.sql`.
    public let name: String

    let statements: String

    /// The number in a name like `0001_teams.sql`; nil if the name does not have that format.
    static func number(inName name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.count > 9, bytes[4] == UInt8(ascii: "_"), name.hasSuffix(".sql") else { return nil }
        let isPlain = bytes[5..<bytes.count - 4].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: byte == UInt8(ascii: "_")
            }
        }
        let isNumbered = bytes[..<4].allSatisfy { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
        guard isPlain, isNumbered, let number = Int(name.prefix(4)), number > 0 else { return nil }
        return number
    }

    /// The line of the file, from 1, at which the server reported an error.
    func line(of failure: AdminFailure) -> Int? {
        guard case .refused(_, _, let position?) = failure else { return nil }
        return 1 + statements.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}
