public import OAuth

extension RefusalCause {
    /// Whether the cause is the provider's behavior or response, not the configuration in Pippin or the user's account.
    public var isProviders: Bool {
        switch self {
        case .providerUnreachable, .providerTrouble, .providerThrottles, .providerMalformed, .providerClient,
            .providerCode, .providerRequest, .providerAnswer, .providerRefused, .providerToken, .providerIssuer,
            .providerAudience, .providerExpired, .providerKey, .providerNonce:
            true
        case .providerSubjectTaken, .providerParted, .providerAbsent, .providerBusy: false
        case .other, .unreadable, .parameterRepeated, .parameterTooLong, .parameterMissing: false
        case .clientMissing, .clientMalformed, .clientUnknown, .clientDisabled: false
        case .returnURLMissing, .returnURLUnregistered, .domainUnverified, .responseType, .responseMode,
            .idTokenInQuery, .scopeNeedsFormPost, .scopeUnknown, .challengeMissing, .challengeMethod,
            .challengeMalformed, .pkceRequired:
            false
        case .interactionExpired, .passwordWrong, .accountLocked, .secondFactorWrong, .secondFactorLocked, .tooBusy:
            false
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader, .keyIDMissing, .keyUnknown,
            .keyOfOtherApp, .signatureInvalid, .signatureIsDER, .issuerWrong, .subjectWrong, .audienceWrong,
            .secretTime, .issuedInFuture, .secretExpired, .secretTooLong, .secretNotYetValid:
            false
        case .grantTypeUnsupported, .codeMalformed, .codeUnknown, .codeExpired, .codeUsed, .codeOfOtherClient,
            .codeOfOtherReturnURL, .codeVerifierWrong, .personSuspended, .refreshTokenDead, .migrationScopeWanted,
            .testMayNot:
            false
        case .personUnknown, .accessTokenWrong, .transferClosed: false
        }
    }
}
