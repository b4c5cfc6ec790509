public import Core

/// The parameters of one protocol request, each at most once and of bounded length.
public struct ProtocolParameters: Sendable {
    /// Longest value in octets of a parameter without a limit of its own.
    static let defaultLimit = 2048
    /// Longest values in octets of parameters with a limit of their own.
    ///
    /// Some clients put large encrypted data into `state`; like `nonce` it is stored during the sign-in, and the amount
    /// that unauthenticated requests can store must be bounded. A client secret may be large.
    private static let limits: [FieldName: Int] = [
        "state": 4096, "nonce": 512, "client_secret": 8192, "id_token_hint": 8192, "id_token": 4096, "user": 4096,
        "identity_token": 8192,
    ]
    private static let maximumCount = 64

    /// All parameters, in the order received.
    let fields: [FormCoding.Field]
    private let values: [String: String]

    /// Reads the parameters of a request.
    ///
    /// - Throws: `invalid_request` for a repeated parameter (RFC 6749 section 3.1: two readers may choose
    ///   different ones), too many of them, one too long, or one with a NUL, which PostgreSQL's text cannot hold.
    public init(_ fields: [FormCoding.Field]) throws(OAuthError) {
        guard fields.count <= Self.maximumCount else {
            throw OAuthError(.invalidRequest, cause: .unreadable, because: "more than \(Self.maximumCount) parameters")
        }
        var values: [String: String] = [:]
        for field in fields {
            guard field.value.utf8.count <= Self.limit(field.name) else {
                throw OAuthError(
                    .invalidRequest, cause: .parameterTooLong, because: "\(Self.spoken(field.name)) is too long")
            }
            guard !field.value.utf8.contains(0) else {
                throw OAuthError(.invalidRequest, cause: .unreadable, because: "a parameter holds a NUL")
            }
            guard values.updateValue(field.value, forKey: field.name.text) == nil else {
                throw OAuthError(
                    .invalidRequest, cause: .parameterRepeated, because: "\(Self.spoken(field.name)) is given twice")
            }
        }
        self.values = values
        self.fields = fields
    }

    /// The value, or nil when the parameter is absent or empty: RFC 6749 section 3.1 treats both alike.
    public subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The value of a required parameter.
    public func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else {
            throw OAuthError(.invalidRequest, cause: .parameterMissing, because: "\(name) is missing")
        }
        return value
    }

    /// A value that goes back to the app by a browser: one line, since it changes the line breaks of a form (form_post).
    func line(_ name: String) throws(AuthorizationRefusal) -> String? {
        guard let value = self[name] else { return nil }
        guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw AuthorizationRefusal(
                .invalidRequest, cause: .parameterControl,
                because: "\(name) has a line break or another control character")
        }
        return value
    }

    /// The name of a known parameter, else a placeholder: an unknown name may be anything, even a misplaced token.
    static func spoken(_ name: FieldName) -> String { known.contains(name) ? name.text : "a parameter we do not know" }

    private static let known: Set<FieldName> = [
        "client_id", "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier", "email",
        "error", "first_name", "grant_type", "id_token", "id_token_hint", "identity_token", "last_name", "locale",
        "login_hint", "middle_name", "nonce", "prompt", "real_user_status", "redirect_uri", "refresh_token",
        "response_mode", "response_type", "scope", "state", "sub", "target", "token", "token_type_hint", "transfer_sub",
        "ui_locales", "user",
    ]

    private static func limit(_ name: FieldName) -> Int { limits[name] ?? defaultLimit }
}
