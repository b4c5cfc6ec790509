import Bytes
import Crypto
import Directory
import Domain

/// What a native app hands over of a sign-in that Apple made with it: the code, and whatever else Apple gave.
struct NativeHandover: Codable, Sendable {
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

    init(_ parameters: ProtocolParameters) throws(OAuthError) {
        clientID = try parameters.required("client_id")
        code = try parameters.required("code")
        identityToken = parameters["identity_token"]
        nonce = parameters["nonce"]
        user = parameters["user"]
        givenName = parameters["first_name"]
        familyName = parameters["last_name"]
        email = parameters["email"]
        realUserStatus = parameters["real_user_status"].flatMap { Int($0) }.flatMap {
            (0...2).contains($0) ? $0 : nil
        }
    }

    /// Names the body: the same one again is the same handover.
    var hash: [UInt8] {
        let parts = [
            clientID, code, identityToken, nonce, user, givenName, familyName, email,
            realUserStatus.map { String($0) },
        ]
        // What cannot stand in a parameter stands between two.
        return SHA256.hash(parts.map { $0 ?? "" }.joined(separator: "\0"))
    }

    /// What the person told Apple, where the app got it: once, signed by nobody.
    var form: ProviderForm? {
        guard givenName != nil || familyName != nil || email != nil else { return nil }
        return ProviderForm(givenName: givenName ?? "", familyName: familyName ?? "", email: email)
    }

    /// The forms in which libraries give a nonce to Apple.
    var nonces: [String]? {
        guard let nonce else { return nil }
        let digest = SHA256.hash(nonce)
        return [nonce, Hex.encode(digest), Base64URL.encode(digest)]
    }
}
