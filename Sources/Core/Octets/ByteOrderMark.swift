/// The byte order mark of UTF-8, which Windows programs write first in a file and read as the sign of UTF-8
/// (Unicode Standard, section 23.8).
public enum ByteOrderMark {
    public static let octets: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The octets of a file without the mark.
    public static func removed(from octets: [UInt8]) -> [UInt8] {
        octets.starts(with: Self.octets) ? Array(octets.dropFirst(Self.octets.count)) : octets
    }
}
