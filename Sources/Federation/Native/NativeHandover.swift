import Core
import Crypto
import Directory
import OAuth
import Platform

/// Result of a sign-in with Apple that a native app hands over: the code, and whatever else Apple returned.
struct NativeHandover: Sendable {
    /// Maximum length of a code in bytes, several times that of Apple's codes.
    private static let longestCode = 512
    /// Maximum length of each part of a name, in Unicode scalars: as much as is stored.
    private static let longestName = 200

    let clientID: String
    let code: String
    let identityToken: String?
    /// As the app generated it; Apple's token contains the value passed to Apple, raw or hashed.
    let nonce: String?
    /// Apple's identifier of the user.
    let user: String?
    let givenName: String?
    let familyName: String?
    let email: String?
    let realUserStatus: Int?
    /// Whether the client authenticates with a secret, and so receives a refresh token that does not rotate.
    let hasSecret: Bool

    init(_ parameters: ProtocolParameters) throws(OAuthError) {
        clientID = try parameters.required("client_id")
        code = Self.unwrapped(try parameters.required("code"))
        guard code.utf8.count <= Self.longestCode else {
            throw OAuthError(.invalidRequest, cause: .parameterTooLong, because: "code is too long")
        }
        identityToken = parameters["identity_token"].map(Self.unwrapped)
        nonce = parameters["nonce"]
        user = parameters["user"]
        givenName = parameters["first_name"].map(Self.name)
        familyName = parameters["last_name"].map(Self.name)
        email = parameters["email"]
        realUserStatus = parameters["real_user_status"].flatMap { Int($0) }.flatMap { (0...2).contains($0) ? $0 : nil }
        hasSecret = parameters["client_secret"] != nil
    }

    /// The text, or what it is the base64 of: Apple's framework returns data, which apps also send in base64.
    ///
    /// A JWT and a code contain dots, so neither can be read as base64 itself.
    private static func unwrapped(_ text: String) -> String {
        guard let content = Base64.decode(eitherAlphabet: text).flatMap({ String(utf8: $0) }),
            content.hasPrefix("eyJ") || AuthorizationCode.hasForm(content)
        else { return text }
        return content
    }

    private static func name(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestName)))
    }

    /// Hash of the handover: an equal hash is a retry, if the client authentication is of the same kind.
    ///
    /// Only the presence of a client secret counts, not its value: a backend signs a new one for each attempt, and
    /// every valid one proves the same client.
    var hash: [UInt8] {
        var parts = [
            clientID, code, identityToken, nonce, user, givenName, familyName, email, realUserStatus.map { String($0) },
        ]
        if hasSecret { parts.append("client_secret") }
        // The separator cannot occur in a parameter.
        return SHA256.hash(parts.map { $0 ?? "" }.joined(separator: "\0"))
    }

    /// Name and email address that the user gave to Apple, if the app received them: sent once, unsigned, and easily
    /// forged.
    var form: ProviderForm? {
        guard givenName != nil || familyName != nil || email != nil else { return nil }
        return ProviderForm(givenName: givenName ?? "", familyName: familyName ?? "", email: email, from: .app)
    }

    /// Nonce of Apple's token.
    var expectedNonce: ExpectedNonce? { nonce.map { ExpectedNonce(text: $0, mayBeHashed: true) } }
}
