import Bytes
import Crypto
import Domain
import Web

/// The login names that have signed in at a team in this browser, as its cookie remembers them: such a browser keeps
/// working while strangers lock the account, and its sign-ins are no news to anybody.
///
/// The cookie holds a MAC for each name, the latest first, and not the names.
struct KnownBrowsers: Sendable {
    /// How many people share a browser and stay known.
    private static let capacity = 5
    /// Octets of a MAC, as `FormTokens` spells it.
    private static let tokenCount = 24

    private let team: TeamID
    private let browser: String
    private let tokens: [String]
    private let formTokens: FormTokens

    init(_ cookie: String?, of team: TeamID, browser: String, formTokens: FormTokens) {
        self.team = team
        self.browser = browser
        self.formTokens = formTokens
        let parts = (cookie ?? "").utf8.count <= 1024 ? (cookie ?? "").split(separator: ".") : []
        tokens = parts.prefix(Self.capacity).map(String.init).filter(Self.isToken)
    }

    /// Whether it can be a MAC of ours: what a browser sent goes back into its cookie.
    private static func isToken(_ text: String) -> Bool {
        text.utf8.count == tokenCount && Base64URL.decode(text) != nil
    }

    /// Names this browser to the counters of that account's wrong passwords.
    func secret(of login: String) -> String {
        "known-browser|\(team)|\(login.lowercased())|\(browser)"
    }

    func contains(_ login: String) -> Bool {
        let secret = secret(of: login)
        return tokens.contains { formTokens.isValid($0, for: secret) }
    }

    /// The cookie that remembers one name more.
    func adding(_ login: String) -> String {
        let token = formTokens.token(for: secret(of: login))
        let others = tokens.filter { $0 != token }
        return ([token] + others).prefix(Self.capacity).joined(separator: ".")
    }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String {
        names.session(of: team) + "-known"
    }
}
