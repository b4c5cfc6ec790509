import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform

/// Login names that have signed in at a team in this browser, from the browser's cookie.
///
/// Such a browser can sign in while attackers lock the account, and its sign-ins cause no alert. For each name, the
/// latest first, the cookie contains a MAC instead of the name, and the mark of the credentials at that time, which the
/// MAC covers. A browser is known only while the credentials are the same: a person who had an earlier password, and
/// may have used it in any number of browsers, has no more guesses than an unauthenticated client.
struct KnownBrowsers: Sendable {
    /// Entry of one login name.
    private struct Entry: Equatable {
        /// Octets of a MAC, as `FormTokens` encodes it, and of a mark.
        private static let partCount = 24

        let mark: String
        let token: String

        var text: String { mark + token }

        init(mark: String, token: String) {
            self.mark = mark
            self.token = token
        }

        /// Returns nil if the text cannot be an entry, because what a browser sends is written back into its cookie.
        init?(text: some StringProtocol) {
            let octets = Array(text.utf8)
            guard octets.count == 2 * Self.partCount, Base64URL.decode(octets) != nil else { return nil }
            mark = String(decoding: octets[..<Self.partCount], as: UTF8.self)
            token = String(decoding: octets[Self.partCount...], as: UTF8.self)
        }
    }

    /// Number of users who can share a browser and stay known.
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

    /// Mark of the user's credentials, which changes when a password or factor is replaced or removed.
    ///
    /// - Parameter changes: number of changes since the user was read.
    static func mark(of person: User, after changes: Int = 0) -> String {
        let version = person.credentialsVersion + changes
        return Base64URL.encode(SHA256.hash("known-browser|\(person.subject.rawValue)|\(version)").prefix(18))
    }

    /// Identifies this browser to the counters of the account's wrong passwords.
    func secret(of login: String) -> String {
        let name = LoginName(rawValue: login)?.rawValue ?? login.lowercased()
        return "known-browser|\(team)|\(name)|\(browser)"
    }

    /// Mark under which the login name has signed in in this browser; nil if it has not.
    func mark(of login: String) -> String? { entries.first { isValid($0, for: login) }?.mark }

    /// Value of the cookie with another login name.
    func adding(_ login: String, mark: String) -> String {
        let entry = Entry(mark: mark, token: formTokens.token(for: secret(of: login, mark)))
        let others = entries.filter { $0 != entry && !isValid($0, for: login) }
        return ([entry] + others).prefix(Self.capacity).map(\.text).joined(separator: ".")
    }

    private func isValid(_ entry: Entry, for login: String) -> Bool {
        formTokens.isValid(entry.token, for: secret(of: login, entry.mark))
    }

    private func secret(of login: String, _ mark: String) -> String { "\(secret(of: login))|\(mark)" }

    static func cookieName(_ names: CookieNames, of team: TeamID) -> String { names.session(of: team) + "-known" }
}

/// Mails users about a sign-in from a browser in which their account has not been used before.
struct NewBrowserAlert: Sendable {
    let database: TeamDatabase
    let mail: MailQueue
    let server: ServerContext

    /// Mails the user, except at the first sign-in of all.
    ///
    /// - Parameter user: the user as read before the sign-in.
    func send(to user: User, _ visit: Visit, in language: Language) async throws {
        let (request, team) = (visit.request, visit.team)
        guard user.lastSignInAt != nil, let email = user.email, email.isMailable else { return }
        let use = RateLimit.Use(
            .mailToRecipient, by: .recipient(email.rawValue, for: .alert, by: .account(user.subject)))
        guard try await database.isWithin([use], in: team.id, at: server.clock()) else { return }
        let message = EmailMessage.newSignIn(
            at: server.clock(), browser: BrowserName(userAgent: request[.userAgent] ?? "").known,
            ip: request.client.description, link: server.publicURL + TeamRoutes.account.link(team.id))
        try await mail.enqueue(OutgoingMail(message, to: email, in: language, from: team.name), in: team.id)
    }
}
