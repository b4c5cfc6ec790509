import Bytes

/// What a provider posted to our return URL, as it came: nothing of it is believed yet.
public struct ProviderAnswer: Codable, Sendable {
    public let code: String?
    public let idToken: String?
    /// Apple's `user`: a JSON text with the name and the address, sent once and signed by nobody.
    public let user: String?
    public let error: String?
    /// Names the trip; nil where whoever posted left it out.
    let state: String?

    public init(_ parameters: ProtocolParameters) {
        code = parameters["code"]
        idToken = parameters["id_token"]
        user = parameters["user"]
        error = parameters["error"]
        state = parameters["state"]
    }
}
