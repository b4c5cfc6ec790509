public import Accounts
public import Crypto
public import Directory
public import HTTP
public import OAuth
public import Platform

/// Addresses of a team; one declaration matches requests and builds links.
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
    /// The same document where RFC 8414 section 3.1 places it.
    static let rootDiscovery = [
        Route("/.well-known/oauth-authorization-server/t/:team", TeamID.self),
        Route("/.well-known/openid-configuration/t/:team", TeamID.self),
    ]
    /// The script for web pages; the second address is Apple's, in which a page changes the host alone.
    public static let script = Route("/t/:team/auth/js", TeamID.self)
    public static let scriptAsApple = Route(
        "/t/:team/appleauth/static/jsapi/appleid/1/:locale/appleid.auth.js", TeamID.self, String.self)

    /// Interaction: GET decides the next step, POST to a step performs it.
    public static let interaction = Route("/t/:team/auth/interactions/:interaction", TeamID.self, InteractionID.self)
    public static let password = Route(
        "/t/:team/auth/interactions/:interaction/password", TeamID.self, InteractionID.self)
    public static let consent = Route(
        "/t/:team/auth/interactions/:interaction/consent", TeamID.self, InteractionID.self)
    public static let confirmation = Route(
        "/t/:team/auth/interactions/:interaction/confirmation", TeamID.self, InteractionID.self)

    /// Redirect to Apple within a sign-in, and the callback, to which Apple posts and the browser returns by GET.
    ///
    /// Apple's server-to-server notifications have an address of their own.
    public static let apple = Route("/t/:team/auth/interactions/:interaction/apple", TeamID.self, InteractionID.self)
    public static let appleNotifications = Route("/t/:team/auth/notifications/apple", TeamID.self)
    public static let appleCallback = Route("/t/:team/auth/callback/apple", TeamID.self)

    /// Account page; `session` begins a sign-in that leads there, or to the query parameter `next`.
    public static let account = Route("/t/:team/account", TeamID.self)
    public static let session = Route("/t/:team/account/session", TeamID.self)
    public static let sessionEnd = Route("/t/:team/account/session/end", TeamID.self)

    /// Registration and account recovery within a sign-in.
    public static let registration = Route(
        "/t/:team/auth/interactions/:interaction/registration", TeamID.self, InteractionID.self)
    public static let recovery = Route(
        "/t/:team/auth/interactions/:interaction/recovery", TeamID.self, InteractionID.self)

    /// Mailed links.
    public static let registrationLink = Route("/t/:team/links/account/:token", TeamID.self, LinkToken.self)
    public static let passwordLink = Route("/t/:team/links/password/:token", TeamID.self, LinkToken.self)
    public static let signInLink = Route("/t/:team/links/sign-in/:token", TeamID.self, LinkToken.self)
    public static let emailLink = Route("/t/:team/links/email/:token", TeamID.self, LinkToken.self)
    public static let invitationLink = Route("/t/:team/links/invitation/:token", TeamID.self, LinkToken.self)

    /// Actions on the account page.
    public static let appEnd = Route("/t/:team/account/apps/:app/end", TeamID.self, ClientID.self)
    public static let appRelay = Route("/t/:team/account/apps/:app/relay", TeamID.self, ClientID.self)
    public static let oneSession = Route("/t/:team/account/sessions/:session/end", TeamID.self, SessionID.self)
    public static let otherSessions = Route("/t/:team/account/sessions/end", TeamID.self)
    public static let ownPassword = Route("/t/:team/account/password", TeamID.self)
    public static let changePassword = Route("/.well-known/change-password")
    public static let ownEmail = Route("/t/:team/account/email", TeamID.self)
    public static let ownData = Route("/t/:team/account/data", TeamID.self)
    /// Linked Apple account; POST begins to link one.
    public static let ownApple = Route("/t/:team/account/apple", TeamID.self)
    public static let appleRemoval = Route("/t/:team/account/apple/removal", TeamID.self)
    public static let deletion = Route("/t/:team/account/deletion", TeamID.self)

    /// Logo of the team, by its SHA-256.
    public static let logo = Route("/t/:team/logo/:digest", TeamID.self, String.self)

    private static let protocolPatterns: Set<String> = [
        token.text, revoke.text, userinfo.text, introspect.text, credentialState.text, signOut.text, deleteAccount.text,
        receipt.text, userMigration.text, native.text, appleNotifications.text, keys.text, discovery.text,
        rootDiscovery[0].text, rootDiscovery[1].text,
    ]

    /// Whether clients of this address are apps, which receive JSON, and not browsers.
    public static func isProtocol(_ pattern: String?) -> Bool { pattern.map(protocolPatterns.contains) ?? false }
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
