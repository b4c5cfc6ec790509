import Bytes
import Crypto
import Directory
import Domain

/// What a native app hands over of a sign-in that Apple made with it: the code, and whatever else Apple gave.
struct NativeHandover: Sendable {
    /// Several times what a code of Apple's has.
    private static let longestCode = 512
    /// Of each part of a name, in Unicode scalars: as much as is kept.
    private static let longestName = 200

    let clientID: String
    let code: String
    let identityToken: String?
    /// As the app made it; Apple's token holds it as it was given, raw or hashed.
    let nonce: String?
    /// Apple's name for the person.
    let user: String?
    let givenName: String?
    let familyName: String?
    let email: String?
    let realUserStatus: Int?
    /// Whether the client proves itself with a secret, and so gets the kind of token that lasts.
    let hasSecret: Bool

    init(_ parameters: ProtocolParameters) throws(OAuthError) {
        clientID = try parameters.required("client_id")
        code = try parameters.required("code")
        guard code.utf8.count <= Self.longestCode else {
            throw OAuthError(.invalidRequest, cause: .parameterTooLong, because: "code is too long")
        }
        identityToken = parameters["identity_token"]
        nonce = parameters["nonce"]
        user = parameters["user"]
        givenName = parameters["first_name"].map(Self.name)
        familyName = parameters["last_name"].map(Self.name)
        email = parameters["email"]
        realUserStatus = parameters["real_user_status"].flatMap { Int($0) }.flatMap {
            (0...2).contains($0) ? $0 : nil
        }
        hasSecret = parameters["client_secret"] != nil
    }

    private static func name(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestName)))
    }

    /// Names the body: the same one again is the same handover, while it comes from one who proves the same.
    ///
    /// That there is a secret counts, not which: a backend signs another one for each try, and each that is good proves the
    /// same client.
    var hash: [UInt8] {
        var parts = [
            clientID, code, identityToken, nonce, user, givenName, familyName, email,
            realUserStatus.map { String($0) },
        ]
        if hasSecret { parts.append("client_secret") }
        // What cannot stand in a parameter stands between two.
        return SHA256.hash(parts.map { $0 ?? "" }.joined(separator: "\0"))
    }

    /// What the person told Apple, where the app got it: once, signed by nobody, and said again by whoever likes.
    var form: ProviderForm? {
        guard givenName != nil || familyName != nil || email != nil else { return nil }
        return ProviderForm(
            givenName: givenName ?? "",
            familyName: familyName ?? "",
            email: email,
            from: .app
        )
    }

    /// The forms in which libraries give a nonce to Apple.
    var nonces: [String]? {
        guard let nonce else { return nil }
        let digest = SHA256.hash(nonce)
        return [nonce, Hex.encode(digest), Base64URL.encode(digest)]
    }
}
