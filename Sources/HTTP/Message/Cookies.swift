/// The cookies a browser sent (RFC 6265 section 5.4).
///
/// Anything other than `name=value` is skipped, because other sites on the same host may have set it.
public struct Cookies: Sendable {
    private let lines: [String]

    /// Takes the values of the `Cookie` fields.
    public init(_ lines: [String]) { self.lines = lines }

    /// The first value sent under `name`.
    ///
    /// Browsers send the cookie with the longest path first, so the first is the most specific.
    public subscript(_ name: String) -> String? { pairs(named: name, limit: 1).first }

    /// Every value sent under `name`; more than one means that two paths or domains set it.
    public func values(named name: String) -> [String] { pairs(named: name, limit: .max) }

    /// The name of every cookie, in the order received.
    public var names: [String] {
        lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            pair.firstIndex(of: UInt8(ascii: "=")).map { String(decoding: ASCII.trim(pair[..<$0]), as: UTF8.self) }
        }
    }

    private func pairs(named name: String, limit: Int) -> [String] {
        var found: [String] = []
        for line in lines {
            for pair in line.utf8.split(separator: UInt8(ascii: ";")) {
                guard let value = Self.value(of: pair, named: name) else { continue }
                found.append(value)
                if found.count == limit { return found }
            }
        }
        return found
    }

    private static func value(of pair: Substring.UTF8View, named name: String) -> String? {
        let pair = ASCII.trim(pair)
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        guard ASCII.trim(pair[..<equals]).elementsEqual(name.utf8) else { return nil }
        var value = ASCII.trim(pair[pair.index(after: equals)...])
        if value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"") {
            value = value.dropFirst().dropLast()
        }
        return String(Substring(value))
    }
}
