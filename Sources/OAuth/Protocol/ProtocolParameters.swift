public import Core
public import Platform
public import Postgres

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

    /// The name of a known parameter, else a placeholder: an unknown name may be anything, even a misplaced token.
    static func spoken(_ name: FieldName) -> String { known.contains(name) ? name.text : "a parameter we do not know" }

    private static let known: Set<FieldName> = [
        "client_id", "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier", "email",
        "error", "first_name", "grant_type", "id_token", "id_token_hint", "identity_token", "last_name", "locale",
        "login_hint", "nonce", "prompt", "real_user_status", "redirect_uri", "refresh_token", "response_mode",
        "response_type", "scope", "state", "sub", "target", "token", "token_type_hint", "transfer_sub", "ui_locales",
        "user",
    ]

    private static func limit(_ name: FieldName) -> Int { limits[name] ?? defaultLimit }
}

/// An error response of RFC 6749 section 5.2, with the precise reason kept apart for the team.
public struct OAuthError: Error, Equatable, Sendable {
    public enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
    }

    public let code: Code
    /// `error_description`, with Apple's text where it is known.
    public let description: String?
    /// The reason as one of a closed list, for explanations and counts in the team's inspector.
    public let cause: RefusalCause
    /// The reason as text, for the team and the log.
    ///
    /// It never contains a secret.
    public let reason: String

    public init(_ code: Code, _ description: String? = nil, cause: RefusalCause = .other, because reason: String) {
        self.code = code
        self.description = description
        self.cause = cause
        self.reason = reason
    }
}

extension OAuthError {
    /// The error for a request whose parameters cannot be parsed.
    public static func unreadable(_ reason: String) -> OAuthError {
        OAuthError(.invalidRequest, cause: .unreadable, because: reason)
    }
}

extension ClientID {
    /// Why a `client_id` was rejected; it quotes the value only when it has the form of an identifier, because a secret
    /// may have been sent in its place.
    public static func refusal(_ text: String) -> String {
        ClientID(rawValue: text) == nil
            ? "client_id has not the shape of an identifier" : "\(text) is not a client of this team"
    }
}

extension RefusalCause {
    /// The cause of rejecting the text as a `client_id`.
    public static func client(_ text: String) -> RefusalCause {
        ClientID(rawValue: text) == nil ? .clientMalformed : .clientUnknown
    }
}

/// The reason for rejecting a request, as one of a closed list, for explanations and counts in the team's inspector.
///
/// It is never shown to apps and users.
public enum RefusalCause: String, SQLText, CaseIterable, Sendable {
    /// Any other reason, described only by its text.
    case other

    // Any request.
    case unreadable
    case parameterRepeated = "parameter_repeated"
    case parameterTooLong = "parameter_too_long"
    case parameterMissing = "parameter_missing"

    // The client, at every endpoint.
    case clientMissing = "client_missing"
    case clientMalformed = "client_malformed"
    case clientUnknown = "client_unknown"
    case clientDisabled = "client_disabled"

    // The authorization endpoint.
    case returnURLMissing = "return_url_missing"
    case returnURLUnregistered = "return_url_unregistered"
    case domainUnverified = "domain_unverified"
    case responseType = "response_type"
    case responseMode = "response_mode"
    case idTokenInQuery = "id_token_in_query"
    case scopeNeedsFormPost = "scope_needs_form_post"
    case scopeUnknown = "scope_unknown"
    case challengeMissing = "challenge_missing"
    case challengeMethod = "challenge_method"
    case challengeMalformed = "challenge_malformed"
    case pkceRequired = "pkce_required"

    // The hosted pages.
    case interactionExpired = "interaction_over"
    case passwordWrong = "password_wrong"
    case accountLocked = "account_locked"
    case secondFactorWrong = "second_factor_wrong"
    case secondFactorLocked = "second_factor_locked"
    case tooBusy = "too_busy"

    // Client secrets.
    case secretMissing = "secret_missing"
    case secretMalformed = "secret_malformed"
    case secretAlgorithm = "secret_algorithm"
    case secretHeader = "secret_header"
    case keyIDMissing = "key_id_missing"
    case keyUnknown = "key_unknown"
    case keyOfOtherApp = "key_of_other_app"
    case signatureInvalid = "signature_invalid"
    case signatureIsDER = "signature_is_der"
    case issuerWrong = "issuer_wrong"
    case subjectWrong = "subject_wrong"
    case audienceWrong = "audience_wrong"
    case secretTime = "secret_time"
    case issuedInFuture = "issued_in_future"
    case secretExpired = "secret_expired"
    case secretTooLong = "secret_too_long"
    case secretNotYetValid = "secret_not_yet_valid"

    // Grants.
    case grantTypeUnsupported = "grant_type_unsupported"
    case codeMalformed = "code_malformed"
    case codeUnknown = "code_unknown"
    case codeExpired = "code_expired"
    case codeUsed = "code_used"
    case codeOfOtherClient = "code_of_other_client"
    case codeOfOtherReturnURL = "code_of_other_return_url"
    case codeVerifierWrong = "code_verifier_wrong"
    case personSuspended = "person_suspended"
    case refreshTokenDead = "refresh_token_dead"
    case migrationScopeWanted = "migration_scope_wanted"
    case testMayNot = "test_may_not"

    // Providers.
    case upstreamUnreachable = "upstream_unreachable"
    case upstreamTrouble = "upstream_trouble"
    case upstreamThrottles = "upstream_throttles"
    case upstreamMalformed = "upstream_malformed"
    case upstreamClient = "upstream_client"
    case upstreamCode = "upstream_code"
    case upstreamRequest = "upstream_request"
    case upstreamAnswer = "upstream_answer"
    case upstreamRefused = "upstream_refused"
    case upstreamToken = "upstream_token"
    case upstreamIssuer = "upstream_issuer"
    case upstreamAudience = "upstream_audience"
    case upstreamExpired = "upstream_expired"
    case upstreamKey = "upstream_key"
    case upstreamNonce = "upstream_nonce"
    case upstreamSubjectTaken = "upstream_subject_taken"
    case upstreamUnlinked = "upstream_unlinked"
    case upstreamAbsent = "upstream_absent"
    case upstreamBusy = "upstream_busy"

    // Accounts.
    case personUnknown = "person_unknown"
    case accessTokenWrong = "access_token_wrong"
    case transferClosed = "transfer_closed"
}
