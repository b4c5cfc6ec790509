import Core
import HTTP
import Platform
import SignIn

@testable import Console

/// A browser before the console: it keeps cookies and sends forms as a page of ours would.
struct Browser: Sendable {
    var subject: Subject?
    var cookies: [String: String] = [:]

    /// An answer, with its body as text.
    struct Answer: Sendable {
        let status: Int
        let location: String?
        let text: String
        let fields: [(name: String, value: String)]

        /// The first value of a header field.
        subscript(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    }

    /// The token that our forms carry in this browser.
    var formToken: String { cookies["pippin-browser"].map { environment.parts.site.formTokens.token(for: $0) } ?? "" }

    mutating func get(_ path: String) async throws -> Answer { try await send("GET", path, fields: [], body: []) }

    /// Sends a form, with its token unless another one is given.
    mutating func post(_ path: String, _ form: [(String, String)] = [], csrf: String? = nil, origin: String? = nil)
        async throws -> Answer
    {
        let all = [("csrf", csrf ?? formToken)] + form
        let body = all.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
        let fields = [
            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin ?? environment.publicURL),
        ]
        return try await send("POST", path, fields: fields, body: Array(body.utf8))
    }

    /// Sends what no page would.
    mutating func send(_ method: String, _ path: String, fields: [(String, String)], body: [UInt8]) async throws
        -> Answer
    {
        let cookie = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let answer = try await environment.client.send(
            ClientRequest(
                method, environment.publicURL + path,
                fields: (fields + [("Cookie", cookie)]).map { (name: $0.0, value: $0.1) }, body: body,
                addresses: .publicAndLoopback))
        for field in answer.fields where field.name.lowercased() == "set-cookie" { keep(field.value) }
        return Answer(
            status: answer.status, location: answer["location"], text: String(decoding: answer.body, as: UTF8.self),
            fields: answer.fields.map { (name: $0.name, value: $0.value) })
    }

    private mutating func keep(_ line: String) {
        let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(pair[0])
        cookies[name] = line.contains("Max-Age=0") ? nil : String(pair[1])
    }
}
