/// The one question of a query (RFC 1035 section 4.1.2).
struct NameQuestion {
    private let id: [UInt8]
    private let section: [UInt8]
    /// In lower case, without the last dot.
    let name: String
    /// Whether more stands behind the question, such as EDNS (RFC 6891 section 6.1.1).
    let hasExtensions: Bool

    init?(_ query: [UInt8]) {
        var index = 12
        var labels: [String] = []
        while index < query.count, query[index] != 0 {
            let end = index + 1 + Int(query[index])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[index + 1..<end], as: UTF8.self).lowercased())
            index = end
        }
        guard index + 5 <= query.count else { return nil }
        id = Array(query[..<2])
        hasExtensions = query[10..<12] != [0, 0]
        section = Array(query[12..<index + 5])
        name = labels.joined(separator: ".")
    }

    /// An answer with these TXT records.
    func answer(_ records: [[String]], code: UInt8 = 0, isTruncated: Bool = false) -> [UInt8] {
        let flags: [UInt8] = [0x81 | (isTruncated ? 0x02 : 0), 0x80 | code]
        let counts: [UInt8] = [0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        return id + flags + counts + section + records.flatMap(Self.record)
    }

    private static func record(_ strings: [String]) -> [UInt8] {
        let data = strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        // A pointer to the question's name, TXT, IN, for no time, and the length of what follows.
        let head: [UInt8] = [0xC0, 0x0C, 0, 16, 0, 1, 0, 0, 0, 0]
        return head + [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }
}
