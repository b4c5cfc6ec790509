import Core

/// An answer as it came, with the little of HTML that tests read.
struct Answer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: String
    /// Everything, from the status line on.
    let text: String

    init?(_ text: String) {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let first = lines.first?.split(separator: " "), first.count >= 2, let status = Int(first[1]) else {
            return nil
        }
        self.status = status
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].dropFirst()) : "")
        }
        let sent = text[end.upperBound...]
        let isChunked = fields.contains { $0.name == "transfer-encoding" && $0.value == "chunked" }
        body = isChunked ? Self.unchunked(sent) : String(sent)
        self.text = text
    }

    /// What was sent in chunks (RFC 9112 section 7.1).
    private static func unchunked(_ text: Substring) -> String {
        var (rest, bytes) = (Array(text.utf8)[...], [UInt8]())
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), count > 0
        {
            bytes += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    subscript(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }

    func values(of name: String) -> [String] { fields.filter { $0.name == name.lowercased() }.map(\.value) }

    var json: JSONValue { (try? JSON.decode(JSONValue.self, from: Array(body.utf8))) ?? .null }

    /// Where the page's form goes.
    var action: String? { body.firstMatch(between: "<form method=\"post\" action=\"", and: "\"") }

    /// The value of a field of the page's form.
    func value(of name: String) -> String? { body.firstMatch(between: "name=\"\(name)\" value=\"", and: "\"") }

    /// Whom an exit page delivers.
    var user: JSONValue? { value(of: "user").flatMap { try? JSON.decode(JSONValue.self, from: Array($0.utf8)) } }

    /// The address in the line of input of that name, which carries its attributes in another order.
    func typed(_ name: String) -> String? {
        let attributes = "type=\"text\" inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\""
        return body.firstMatch(between: "name=\"\(name)\" \(attributes) value=\"", and: "\"")
    }

    /// Where an exit page by query or fragment leads.
    var target: String? { body.firstMatch(between: "http-equiv=\"refresh\" content=\"0;url=", and: "\"") }

    /// The reference an error page shows.
    var reference: String? { body.firstMatch(between: "<code>", and: "</code>") }

    /// The words of a page's heading, without the mark-up that keeps some of them in one line.
    var headline: String? {
        body.firstMatch(between: "<h1>", and: "</h1>")?.replacing("<span class=\"whole\">", with: "").replacing(
            "</span>", with: "")
    }
}
