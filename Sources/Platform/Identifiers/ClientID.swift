public import Postgres

/// Identifier of an App ID (a bundle ID) or of a Service ID: the protocol's `client_id`.
///
/// Letters, digits, `-` and `.`, in reverse-DNS form, at most 255 characters. Identifiers of one team must differ in
/// more than case, although the protocol compares them exactly (Apple, TN3107).
public struct ClientID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 255

    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count <= Self.maximumLength else { return nil }
        let labels = rawValue.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    private static func isLabel(_ label: Substring.UTF8View.SubSequence) -> Bool {
        !label.isEmpty
            && label.allSatisfy { character in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) || character == UInt8(ascii: "-")
            }
    }
}
