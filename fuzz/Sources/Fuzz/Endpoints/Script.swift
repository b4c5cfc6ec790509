import Core

/// A request of a script, as in a seed: method and address, header fields, an empty line, the body.
///
/// Missing parts are added: the version, Host, the length, the cookies, and a browser's header fields for forms.
///
/// `As:` names the user; `Also-Cookie:` is an additional cookie; `-Name` omits a header field that would be added; a
/// line of four hyphens separates requests; text between « and » is evaluated when the request is sent (see
/// `Expansion`).
struct Script {
    var line: [UInt8]
    var fields: [[UInt8]]
    var body: [UInt8]

    static func parse(_ input: [UInt8]) -> [Script] {
        var requests: [[[UInt8]]] = [[]]
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.elementsEqual("----".utf8) {
                requests.append([])
            } else {
                requests[requests.count - 1].append(Array(line))
            }
        }
        return requests.map { lines in
            let head = lines.prefix { !$0.isEmpty }
            let body = lines.dropFirst(head.count + 1).joined(separator: [UInt8(ascii: "\n")])
            return Script(line: head.first ?? [], fields: Array(head.dropFirst()), body: Array(body))
        }
    }

    var person: Person? { value(of: "As").flatMap { Person(rawValue: $0) } }

    /// The value of a header field.
    func value(of name: String) -> String? {
        let start = Array((name + ":").utf8)
        guard let field = fields.first(where: { $0.starts(with: start) }) else { return nil }
        return String(decoding: field.dropFirst(start.count).drop(while: { $0 == 0x20 }), as: UTF8.self)
    }

    private func has(_ name: String) -> Bool {
        let name = name.lowercased()
        return fields.contains { field in
            let start = String(decoding: field.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
            return start == name || start == "-" + name
        }
    }

    /// Lines of a head that control the script and are not sent.
    private static let directives = ["As:", "Also-Cookie:", "-"].map { Array($0.utf8) }

    /// The request as it is sent.
    func message(expanding expansion: inout Expansion, at site: Site) -> RawRequest {
        var line = expansion.expand(line)
        if line.isEmpty { line = Array("GET /".utf8) }
        let words = line.split(separator: 0x20, maxSplits: 2)
        if words.count == 1 { line += Array(" /".utf8) }
        if words.count < 3 { line += Array(" HTTP/1.1".utf8) }
        var head = line + Array("\r\n".utf8)
        for field in fields where !Self.directives.contains(where: { field.starts(with: $0) }) {
            head += expansion.expand(field) + Array("\r\n".utf8)
        }
        let body = expansion.expand(body)
        let isPost = words.first?.elementsEqual("POST".utf8) ?? false
        let cookie = expansion.expand(Array((value(of: "Also-Cookie") ?? "").utf8))
        let more = filled(isPost, String(decoding: cookie, as: UTF8.self), expansion)
        for (name, value) in more where !has(name) { head += Array("\(name): \(value)\r\n".utf8) }
        let isFramed = ["Content-Length", "Transfer-Encoding", "Expect"].contains(where: has) || head.contains(0)
        if !isFramed, isPost || !body.isEmpty { head += Array("Content-Length: \(body.count)\r\n".utf8) }
        return RawRequest(
            bytes: head + Array("\r\n".utf8) + body, isOurs: !isFramed && Self.isPlain(words) && Self.isWhole(head),
            isHead: words.first?.elementsEqual("HEAD".utf8) ?? false,
            line: String(decoding: Array(Array(words.prefix(2)).joined(separator: [0x20])).prefix(200), as: UTF8.self))
    }

    private func filled(_ isPost: Bool, _ cookie: String, _ expansion: Expansion) -> [(String, String)] {
        var fields = [("Host", expansion.site.authority), ("X-Forwarded-For", expansion.address)]
        let cookies = [expansion.jar.text, cookie].filter { !$0.isEmpty }
        if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
        if isPost {
            fields += [
                ("Origin", expansion.site.origin), ("Sec-Fetch-Site", "same-origin"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ]
        }
        return fields
    }

    /// Whether every server answers a request line of this form.
    private static func isPlain(_ words: [ArraySlice<UInt8>]) -> Bool {
        guard let method = words.first, !method.isEmpty else { return false }
        let isWord = method.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isWord && (words.count < 3 || words[2].elementsEqual("HTTP/1.1".utf8))
    }

    /// Whether every parser finds the end of the head where this client puts it.
    private static func isWhole(_ head: [UInt8]) -> Bool {
        guard head.count < 8000, head.firstRange(of: [13, 10, 13, 10]) == nil else { return false }
        return head.indices.allSatisfy { index in
            switch head[index] {
            case 10: index > 0 && head[index - 1] == 13
            case 13: index + 1 < head.count && head[index + 1] == 10
            default: true
            }
        }
    }
}

/// The cookies of one browser.
struct Jar {
    let person: Person
    private var cookies: [(name: String, value: String)]

    init(of person: Person, at site: Site) {
        self.person = person
        cookies = site.cookies[person] ?? []
    }

    var text: String { cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }

    subscript(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

    mutating func keep(_ answer: Answer) {
        for line in answer.values(of: "set-cookie") {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            cookies.removeAll { $0.name == pair[0] }
            if !line.contains("Max-Age=0") { cookies.append((String(pair[0]), String(pair[1]))) }
        }
    }
}
