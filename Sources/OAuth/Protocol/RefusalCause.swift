public import Platform
public import Postgres

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
    case parameterControl = "parameter_control"

    // The client, at every endpoint.
    case clientMissing = "client_missing"
    case clientMalformed = "client_malformed"
    case clientUnknown = "client_unknown"
    case clientDisabled = "client_disabled"
    case wrapperApp = "wrapper_app"

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
    case cookieMissing = "cookie_missing"
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
    case registrationClosed = "registration_closed"
    case accessTokenWrong = "access_token_wrong"
    case transferClosed = "transfer_closed"
}

extension ClientID {
    /// Why a `client_id` was rejected; it quotes the value only when it has the form of an identifier, because a secret
    /// may have been sent in its place.
    public static func refusal(_ text: String) -> String {
        WrapperApp.advice(on: text)
            ?? (ClientID(rawValue: text) == nil
                ? "client_id has not the shape of an identifier" : "\(text) is not a client of this team")
    }
}

extension RefusalCause {
    /// The cause of rejecting the text as a `client_id`.
    public static func client(_ text: String) -> RefusalCause {
        if WrapperApp.advice(on: text) != nil { return .wrapperApp }
        return ClientID(rawValue: text) == nil ? .clientMalformed : .clientUnknown
    }
}
