import Core
import Testing

/// The octets a hexadecimal literal stands for; blanks are for the reader.
func hex(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    try #require(Hex.decode(text.filter { !$0.isWhitespace }), "not hexadecimal", sourceLocation: location)
}
