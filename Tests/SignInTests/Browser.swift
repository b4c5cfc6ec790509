import Core
import Platform
import Testing

@testable import TestTeams

/// A browser as far as signing in needs one: it keeps cookies, follows nothing by itself, and says where its forms
/// come from.
final class Browser {
    let port: UInt16
    private let source: UInt8
    private(set) var cookies: [String: String] = [:]
    /// What it was told to keep, attributes included.
    private(set) var setCookies: [String] = []

    /// - Parameter source: last number of its address, 127.0.0.x.
    init(port: UInt16, from source: UInt8 = 1) { (self.port, self.source) = (port, source) }

    func get(_ path: String, _ fields: [String] = []) throws -> Answer { try ask("GET", path, fields, nil) }

    /// Sends a form, as coming from a page of the site unless `fields` say otherwise.
    func post(_ path: String, _ form: [(String, String)], _ fields: [String]? = nil) throws -> Answer {
        let body = FormCoding.encode(form.map { (name: $0.0, value: $0.1) })
        return try ask("POST", path, [TestSite.form] + (fields ?? TestSite.ownOrigin), body)
    }

    /// Goes where an answer leads; an answer that leads nowhere is returned as it is.
    func follow(_ answer: Answer) throws -> Answer {
        guard answer.status == 303, let location = answer["Location"] else { return answer }
        return try get(location)
    }

    func forget(_ name: String) { cookies[name] = nil }

    func keep(_ name: String, _ value: String) { cookies[name] = value }

    /// What it kept, as it sends it.
    var cookieField: String { "Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

    private func ask(_ method: String, _ path: String, _ fields: [String], _ body: String?) throws -> Answer {
        let fields = cookies.isEmpty ? fields : fields + [cookieField]
        let answer = try Exchange(port: port, from: source, method, path, fields, body: body).answer()
        for text in answer.values(of: "Set-Cookie") { take(text) }
        return answer
    }

    private func take(_ text: String) {
        setCookies.append(text)
        let parts = text.split(separator: "; ")
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        cookies[String(pair[0])] = parts.contains("Max-Age=0") ? nil : String(pair[1])
    }
}

// Signing in.
extension Browser {
    static let sessionCookie = "__Host-pippin-ACMETEAM01"
    static let browserCookie = "__Host-pippin-browser"

    /// The address that begins a sign-in at Acme.
    static func authorize(_ changes: [String: String?] = [:], client: ClientID = .web) -> String {
        let base: [String: String?] = [
            "client_id": client.rawValue, "redirect_uri": TestTeams.callback, "response_type": "code",
        ]
        let values = base.merging(changes) { $1 }.compactMapValues { $0 }.sorted { $0.key < $1.key }
        return "/t/ACMETEAM01/auth/authorize?" + FormCoding.encode(values.map { (name: $0.key, value: $0.value) })
    }

    /// What a web app asks for that wants everything.
    static let everything: [String: String?] = [
        "scope": "name email", "response_mode": "form_post", "state": "state-1", "nonce": "nonce-1",
    ]

    /// Sends the form of `page` with these values in it.
    func send(_ page: Answer, _ values: [(String, String)], _ fields: [String]? = nil) throws -> Answer {
        let action = try #require(page.action)
        let csrf = try #require(page.value(of: "csrf"))
        return try post(action, [("csrf", csrf)] + values, fields)
    }

    /// Types the password and follows to the page that comes next.
    func signIn(_ page: Answer, email: String = "ada@acme.example", password: String = People.password) throws -> Answer
    { try follow(try send(page, [("email", email), ("password", password), ("decision", "continue")])) }

    /// A whole first sign-in, up to the exit page.
    func consent(_ changes: [String: String?] = Browser.everything, client: ClientID = .web) throws -> Answer {
        let sheet = try signIn(try get(Self.authorize(changes, client: client)))
        return try send(
            sheet,
            [("given_name", "Ada"), ("family_name", "King"), ("email_choice", "share"), ("decision", "continue")])
    }

    /// A whole later sign-in with a live session, up to the exit page.
    func confirm(_ changes: [String: String?] = Browser.everything, client: ClientID = .web) throws -> Answer {
        let start = try get(Self.authorize(changes, client: client))
        let page = try get(try #require(start["Location"]))
        return try send(page, [("decision", "continue")])
    }
}
