import Bytes
import Crypto
import Directory
import Domain
import Web

/// The login names that have signed in at a team in this browser, as its cookie remembers them: such a browser keeps
/// working while strangers lock the account, and its sign-ins are no news to anybody.
///
/// The cookie holds for each name, the latest first, a MAC and not the name, and the mark of what proved the person then,
/// which the MAC covers. A browser is known while that is what proves them: whoever had the password before, and may have
/// signed in with it in any number of browsers, guesses at the next one as a stranger does.
struct KnownBrowsers: Sendable {
    /// One login name.
    private struct Entry: Equatable {
        /// Octets of a MAC, as `FormTokens` spells it, and of a mark.
        private static let partCount = 24

        let mark: String
        let token: String

        var text: String { mark + token }

        init(mark: String, token: String) {
            self.mark = mark
            self.token = token
        }

        /// Nil for what cannot be ours: what a browser sent goes back into its cookie.
        init?(text: some StringProtocol) {
            let octets = Array(text.utf8)
            guard octets.count == 2 * Self.partCount, Base64URL.decode(octets) != nil else { return nil }
            mark = String(decoding: octets[..<Self.partCount], as: UTF8.self)
            token = String(decoding: octets[Self.partCount...], as: UTF8.self)
        }
    }

    /// How many people share a browser and stay known.
    private static let capacity = 5

    private let team: TeamID
    private let browser: String
    private let entries: [Entry]
    private let formTokens: FormTokens

    init(_ cookie: String?, of team: TeamID, browser: String, formTokens: FormTokens) {
        self.team = team
        self.browser = browser
        self.formTokens = formTokens
        let parts = (cookie ?? "").utf8.count <= 1024 ? (cookie ?? "").split(separator: ".") : []
        entries = parts.prefix(Self.capacity).compactMap { Entry(text: $0) }
    }

    /// Stands for all that proves the person: another one once a password or a factor of theirs is another or gone.
    ///
    /// - Parameter changes: how often that has been changed since the person was read.
    static func mark(of person: User, after changes: Int = 0) -> String {
        let version = person.credentialsVersion + changes
        return Base64URL.encode(SHA256.hash("known-browser|\(person.subject.rawValue)|\(version)").prefix(18))
    }

    /// Names this browser to the counters of that account's wrong passwords.
    func secret(of login: String) -> String {
        "known-browser|\(team)|\(login.lowercased())|\(browser)"
    }

    /// The mark under which that name has signed in here; nil where it has not.
    func mark(of login: String) -> String? {
        entries.first { isValid($0, for: login) }?.mark
    }

    /// The cookie that remembers one name more.
    func adding(_ login: String, mark: String) -> String {
        let entry = Entry(mark: mark, token: formTokens.token(for: secret(of: login, mark)))
        let others = entries.filter { $0 != entry && !isValid($0, for: login) }
        return ([entry] + others).prefix(Self.capacity).map(\.text).joined(separator: ".")
    }

    private func isValid(_ entry: Entry, for login: String) -> Bool {
        formTokens.isValid(entry.token, for: secret(of: login, entry.mark))
    }

    private func secret(of login: String, _ mark: String) -> String {
        "\(secret(of: login))|\(mark)"
    }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String {
        names.session(of: team) + "-known"
    }
}
