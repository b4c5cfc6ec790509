public import AuthEngine
public import Crypto
public import Directory
public import Domain
public import HTTP
public import Web

/// The addresses of a team; one declaration matches and links.
public enum TeamRoutes {
    public static let authorize = Route("/t/:team/auth/authorize", TeamID.self)
    public static let token = Route("/t/:team/auth/token", TeamID.self)
    public static let revoke = Route("/t/:team/auth/revoke", TeamID.self)
    public static let userinfo = Route("/t/:team/auth/userinfo", TeamID.self)
    public static let introspect = Route("/t/:team/auth/introspect", TeamID.self)
    public static let credentialState = Route("/t/:team/auth/credential-state", TeamID.self)
    public static let signOut = Route("/t/:team/auth/sign-out", TeamID.self)
    public static let deleteAccount = Route("/t/:team/auth/delete-account", TeamID.self)
    public static let receipt = Route("/t/:team/auth/receipts/:receipt", TeamID.self, ReceiptID.self)
    public static let native = Route("/t/:team/auth/native", TeamID.self)
    public static let userMigration = Route("/t/:team/auth/usermigrationinfo", TeamID.self)
    public static let keys = Route("/t/:team/auth/keys", TeamID.self)
    public static let discovery = Route("/t/:team/.well-known/openid-configuration", TeamID.self)

    /// A sign-in under way: GET decides the next step, POST to a step takes it.
    public static let attempt = Route("/t/:team/auth/attempts/:attempt", TeamID.self, AttemptID.self)
    public static let password = Route(
        "/t/:team/auth/attempts/:attempt/password",
        TeamID.self,
        AttemptID.self
    )
    public static let consent = Route("/t/:team/auth/attempts/:attempt/consent", TeamID.self, AttemptID.self)
    public static let confirmation = Route(
        "/t/:team/auth/attempts/:attempt/confirmation",
        TeamID.self,
        AttemptID.self
    )

    /// The way to Apple within a sign-in, and where Apple answers: it posts, and the browser goes on with GET.
    ///
    /// What Apple tells of its people comes to an address of its own.
    public static let apple = Route("/t/:team/auth/attempts/:attempt/apple", TeamID.self, AttemptID.self)
    public static let appleNotices = Route("/t/:team/auth/notifications/apple", TeamID.self)
    public static let appleCallback = Route("/t/:team/auth/callback/apple", TeamID.self)

    /// The person's own page; `session` begins a sign-in that leads there, or to the `next` of its query.
    public static let account = Route("/t/:team/account", TeamID.self)
    public static let session = Route("/t/:team/account/session", TeamID.self)
    public static let sessionEnd = Route("/t/:team/account/session/end", TeamID.self)

    /// The ways to an account, or back to one, within a sign-in.
    public static let registration = Route(
        "/t/:team/auth/attempts/:attempt/registration",
        TeamID.self,
        AttemptID.self
    )
    public static let recovery = Route(
        "/t/:team/auth/attempts/:attempt/recovery",
        TeamID.self,
        AttemptID.self
    )

    /// Mailed links.
    public static let registrationLink = Route("/t/:team/links/account/:token", TeamID.self, LinkToken.self)
    public static let passwordLink = Route("/t/:team/links/password/:token", TeamID.self, LinkToken.self)
    public static let signInLink = Route("/t/:team/links/sign-in/:token", TeamID.self, LinkToken.self)
    public static let emailLink = Route("/t/:team/links/email/:token", TeamID.self, LinkToken.self)
    public static let invitationLink = Route(
        "/t/:team/links/invitation/:token",
        TeamID.self,
        LinkToken.self
    )

    /// What a person does on their own page.
    public static let appEnd = Route("/t/:team/account/apps/:app/end", TeamID.self, ClientID.self)
    public static let appRelay = Route("/t/:team/account/apps/:app/relay", TeamID.self, ClientID.self)
    public static let oneSession = Route(
        "/t/:team/account/sessions/:session/end",
        TeamID.self,
        SessionID.self
    )
    public static let otherSessions = Route("/t/:team/account/sessions/end", TeamID.self)
    public static let ownPassword = Route("/t/:team/account/password", TeamID.self)
    public static let ownEmail = Route("/t/:team/account/email", TeamID.self)
    public static let ownData = Route("/t/:team/account/data", TeamID.self)
    /// The account at Apple that is connected to theirs: POST begins connecting one.
    public static let ownApple = Route("/t/:team/account/apple", TeamID.self)
    public static let appleRemoval = Route("/t/:team/account/apple/removal", TeamID.self)
    public static let deletion = Route("/t/:team/account/deletion", TeamID.self)

    /// The team's logo, by its SHA-256.
    public static let logo = Route("/t/:team/logo/:digest", TeamID.self, String.self)

    private static let protocolPatterns: Set<String> = [
        token.text, revoke.text, userinfo.text, introspect.text, credentialState.text, signOut.text,
        deleteAccount.text, receipt.text, userMigration.text, native.text, appleNotices.text,
        keys.text, discovery.text,
    ]

    /// Whether apps, not people, ask at this address: they get JSON.
    public static func isProtocol(_ pattern: String?) -> Bool {
        pattern.map(protocolPatterns.contains) ?? false
    }
}

extension SessionID: PathValue {
    public static func parse(pathSegment: Span<UInt8>) -> SessionID? {
        String.parse(pathSegment: pathSegment).flatMap(SessionID.init(text:))
    }

    public var pathSegment: String { text }
}

extension LinkToken: PathValue {
    public static func parse(pathSegment: Span<UInt8>) -> LinkToken? {
        String.parse(pathSegment: pathSegment).flatMap(LinkToken.init(text:))
    }

    public var pathSegment: String { text }
}
