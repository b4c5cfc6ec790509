import Core
import Directory
import HTTP
import OAuth
import Platform

/// Second factors on the account pages; changes require a recent proof.
struct AccountFactors: Sendable {
    let steps: AccountSteps
    let factorPages: FactorPages

    func mount(on router: inout Router) {
        router.get(TeamRoutes.proof) { request, team in
            try await steps.asPerson(request, team) { try await askForProof($0) }
        }
        router.post(TeamRoutes.proof, .form) { request, team in
            try await steps.asPerson(request, team) { try await proveAgain($0) }
        }
        router.get(TeamRoutes.totp) { request, team in try await withFactors(request, team) { try await showTOTP($0) } }
        router.get(TeamRoutes.newTOTP) { request, team in try await recently(request, team) { try await askForTOTP($0) }
        }
        router.post(TeamRoutes.newTOTP, .form) { request, team in
            try await recently(request, team) { try await enrol($0, page: .newTOTP) }
        }
        router.post(TeamRoutes.totpRemoval, .form) { request, team in
            try await recently(request, team, page: TeamRoutes.totp.link(team)) { try await removeTOTP($0) }
        }
        router.get(TeamRoutes.newPasskey) { request, team in
            try await recently(request, team) { try await askForPasskey($0) }
        }
        router.post(TeamRoutes.newPasskey, .form) { request, team in
            try await recently(request, team) { try await enrol($0, page: .newPasskey) }
        }
        router.get(TeamRoutes.passkey) { request, team, id in
            try await withFactors(request, team) { try await showPasskey(id, $0) }
        }
        router.post(TeamRoutes.passkey, .form) { request, team, id in
            try await recently(request, team) { try await renamePasskey(id, $0) }
        }
        router.post(TeamRoutes.passkeyRemoval, .form) { request, team, id in
            let page = TeamRoutes.passkey.link(team, id)
            return try await recently(request, team, page: page) { try await removePasskey(id, $0) }
        }
        router.post(TeamRoutes.recoveryCodes, .form) { request, team in
            let page = TeamRoutes.account.link(team)
            return try await recently(request, team, page: page) { try await regenerateCodes($0) }
        }
        router.post(TeamRoutes.recoveryCodeFile, .form) { try codeFile($0, $1) }
    }

    /// Runs `body` for a user with a recent proof; otherwise redirects to a new proof, which leads back.
    ///
    /// - Parameter page: page that contains the form; nil if it has the same address as the form.
    private func recently(
        _ request: Request, _ team: TeamID, page: String? = nil, _ body: (SignedInUser) async throws -> Response
    ) async throws -> Response {
        try await withFactors(request, team) { person in
            try await steps.freshly(person, page: page ?? request.path) { try await body(person) }
        }
    }

    /// Runs `body` for the signed-in user; throws `UserFacingError.notFound` if the team offers no second factors.
    private func withFactors(_ request: Request, _ team: TeamID, _ body: (SignedInUser) async throws -> Response)
        async throws -> Response
    {
        try await steps.asPerson(request, team) { person in
            guard person.team.offersFactors else { throw UserFacingError.notFound }
            return try await body(person)
        }
    }

    /// Section of the account page; nil if the team offers no second factors.
    func factorSection(_ person: SignedInUser) async throws -> FactorSectionView? {
        let (subject, team) = (person.subject, person.team)
        let policy = try await steps.factors.gate.policy(for: subject, of: team.id, team.secondFactor)
        guard person.team.hasDirectory, policy.isOffered else { return nil }
        let app = try await steps.factors.totp.find(of: subject, in: team.id)
        let passkeys = try await steps.factors.passkeys?.passkeys.list(of: subject, in: team.id) ?? []
        let left = try await steps.factors.enrolled.enrolled(of: subject, in: team.id).recoveryCodesLeft
        var section = FactorSectionView(
            team: team.name, isRequired: policy.rule == .required, formToken: steps.formToken(person),
            rows: passkeys.map { Self.row($0, team.id) } + (app.map { [Self.row($0, team.id)] } ?? []))
        if steps.factors.passkeys != nil, passkeys.count < Quota.passkeys.count {
            section.addPasskeyURL = TeamRoutes.newPasskey.link(team.id)
        }
        if app == nil { section.addTOTPURL = TeamRoutes.newTOTP.link(team.id) }
        if !section.rows.isEmpty {
            section.recovery = FactorSectionView.Recovery(
                left: Message("hosted.factors.section.recovery-left", count: left).localizedText,
                action: TeamRoutes.recoveryCodes.link(team.id))
        }
        return section
    }

    /// Shows the user's first recovery codes, or the account page, and renews the session token.
    func added(_ kind: FactorKind, _ codes: [RecoveryCode]?, _ person: SignedInUser) async throws -> Response {
        var response = codes.map { show($0, person) } ?? steps.home(person, .factorAdded)
        // Adding a factor also proves it, so the session has the rights of a recent proof.
        if let cookie = try await steps.stepUp(person, by: kind) { response.set(cookie) }
        return response
    }

    private func regenerateCodes(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        let codes = try await steps.factors.recoveryCodes.regenerate(
            for: person.subject, in: person.team.id, by: person.actor, with: steps.freshRight(of: person),
            from: person.request.auditOrigin, at: steps.server.clock(), telling: steps.factorPost(person))
        guard let codes else { return .redirect(to: TeamRoutes.account.link(person.team.id)) }
        return show(codes, person)
    }

    private func show(_ codes: [RecoveryCode], _ person: SignedInUser) -> Response {
        factorPages.respond(
            RecoveryCodesPage(
                frame: steps.frame(Message("hosted.factors.codes.title"), person), codes: codes,
                formToken: steps.formToken(person), fileURL: TeamRoutes.recoveryCodeFile.link(person.team.id),
                continueURL: TeamRoutes.account.link(person.team.id)))
    }

    /// Returns the codes of the page that has just shown them as a file, because the server cannot read them any more.
    private func codeFile(_ request: Request, _ team: TeamID) throws -> Response {
        let browser = request.cookies[steps.site.cookies.browser] ?? ""
        let form = try steps.site.form(of: request, from: browser)
        let codes = (form["codes"] ?? "").trimmedLines(limit: RecoveryCode.setCount).prefix(RecoveryCode.setCount)
            .compactMap { RecoveryCode(text: String($0))?.text }
        var response = Response.text(codes.joined(separator: "\r\n") + "\r\n")
        response.append(.contentDisposition, "attachment; filename=\"recovery-codes-\(team).txt\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private static func row(_ app: TOTPStore.Summary, _ team: TeamID) -> FactorSectionView.Row {
        FactorSectionView.Row(
            url: TeamRoutes.totp.link(team), title: Message("hosted.factors.detail.totp").localizedText,
            lastUsedAt: app.lastUsedAt)
    }

    private static func row(_ passkey: Passkey, _ team: TeamID) -> FactorSectionView.Row {
        FactorSectionView.Row(
            url: TeamRoutes.passkey.link(team, passkey.id), title: passkey.name.localizedText,
            lastUsedAt: passkey.lastUsedAt, note: Self.kept(passkey).localizedText)
    }

    /// Storage of a passkey: synced, or on one device.
    static func kept(_ passkey: Passkey) -> Message {
        passkey.isBackedUp ? Message("hosted.factors.detail.synced") : Message("hosted.factors.detail.one-device")
    }
}

extension TeamSnapshot {
    /// Whether users have second factors here; these supplement a password, which only a directory requests.
    fileprivate var offersFactors: Bool { hasDirectory && secondFactor != .off }
}
