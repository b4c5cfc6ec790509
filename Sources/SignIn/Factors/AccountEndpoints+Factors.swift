import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The second factors on a person's own pages. What changes them asks for a recent proof.
extension AccountEndpoints {
    func mountFactors(on router: inout Router) {
        router.get(TeamRoutes.proof) { request, team in
            try await asPerson(request, team) { try await askForProof($0) }
        }
        router.post(TeamRoutes.proof, .form) { request, team in
            try await asPerson(request, team) { try await proveAgain($0) }
        }
        router.get(TeamRoutes.totp) { request, team in
            try await withFactors(request, team) { try await showTOTP($0) }
        }
        router.get(TeamRoutes.newTOTP) { request, team in
            try await recently(request, team) { try await askForTOTP($0) }
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

    /// Lets a person in who has shown a short while ago that it is them; others do so first and come back.
    ///
    /// - Parameter page: where a form is found again that could not be taken; the address itself where it has one.
    private func recently(
        _ request: Request,
        _ team: TeamID,
        page: String? = nil,
        _ body: (Person) async throws -> Response
    ) async throws -> Response {
        try await withFactors(request, team) { person in
            try await freshly(person, page: page ?? request.path) { try await body(person) }
        }
    }

    /// Lets a person in where the team's people have second factors at all.
    private func withFactors(
        _ request: Request,
        _ team: TeamID,
        _ body: (Person) async throws -> Response
    ) async throws -> Response {
        try await asPerson(request, team) { person in
            guard person.team.offersFactors else { throw Problem.notFound }
            return try await body(person)
        }
    }

    /// Goes on with a person who has shown a short while ago that it is them; others do so first and come back to `page`.
    func freshly(
        _ person: Person,
        page: String,
        _ body: () async throws -> Response
    ) async throws -> Response {
        if context.clock() - person.session.provedAt <= Self.proofLife { return try await body() }
        let next = PercentCoding.encode(page)
        return .redirect(to: "\(TeamRoutes.proof.link(person.team.id))?next=\(next)")
    }

    /// How long a proof counts as recent.
    static var proofLife: Duration { .seconds(600) }

    /// The section of the person's page; nil where the team wants no second factors.
    func factorSection(_ person: Person) async throws -> FactorSectionView? {
        let (subject, team) = (person.subject, person.team)
        let policy = try await factors.gate.policy(for: subject, of: team.id, team.secondFactor)
        guard person.team.hasDirectory, policy.isOffered else { return nil }
        let app = try await factors.totp.find(of: subject, in: team.id)
        let passkeys = try await factors.passkeys?.passkeys.list(of: subject, in: team.id) ?? []
        let left = try await factors.enrolled.enrolled(of: subject, in: team.id).recoveryCodesLeft
        var section = FactorSectionView(
            team: team.name,
            isRequired: policy.rule == .required,
            formToken: formToken(person),
            rows: passkeys.map { Self.row($0, team.id) } + (app.map { [Self.row($0, team.id)] } ?? [])
        )
        if factors.passkeys != nil, passkeys.count < PasskeyStore.limit {
            section.addPasskeyURL = TeamRoutes.newPasskey.link(team.id)
        }
        if app == nil { section.addTOTPURL = TeamRoutes.newTOTP.link(team.id) }
        if !section.rows.isEmpty {
            section.recovery = FactorSectionView.Recovery(
                left: Phrase("hosted.factors.section.recovery-left", count: left).asWords,
                action: TeamRoutes.recoveryCodes.link(team.id)
            )
        }
        return section
    }

    /// Answers with the first recovery codes, or with the person's page, under the session's new name.
    func added(_ kind: FactorKind, _ codes: [RecoveryCode]?, _ person: Person) async throws -> Response {
        var response = codes.map { show($0, person) } ?? home(person, .factorAdded)
        // A factor was shown by being added, so the session may do more from here on.
        if let cookie = try await raise(person, by: kind) { response.set(cookie) }
        return response
    }

    /// Tells the person by mail what they, or somebody in their place, have changed.
    func factorPost(_ person: Person) -> FactorPost { FactorPost(post, in: person.language) }

    func raise(_ person: Person, by kind: FactorKind?) async throws -> SetCookie? {
        guard let token = person.visitor.sessionToken else { return nil }
        return try await door.raise(token, by: kind, in: person.team.id)
    }

    private func regenerateCodes(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        let codes = try await factors.recoveryCodes.regenerate(
            for: person.subject,
            in: person.team.id,
            by: person.actor,
            with: freshRight(of: person),
            from: person.request.auditOrigin,
            at: context.clock(),
            telling: factorPost(person)
        )
        guard let codes else { return .redirect(to: TeamRoutes.account.link(person.team.id)) }
        return show(codes, person)
    }

    private func show(_ codes: [RecoveryCode], _ person: Person) -> Response {
        factorPages.respond(
            RecoveryCodesPage(
                frame: frame(Phrase("hosted.factors.codes.title"), person),
                codes: codes,
                formToken: formToken(person),
                fileURL: TeamRoutes.recoveryCodeFile.link(person.team.id),
                continueURL: TeamRoutes.account.link(person.team.id)
            )
        )
    }

    /// Gives the codes that a page has just shown back as a file: we do not know them any more.
    private func codeFile(_ request: Request, _ team: TeamID) throws -> Response {
        let browser = request.cookies[site.cookies.browser] ?? ""
        let form = try site.form(of: request, from: browser)
        let codes = (form["codes"] ?? "").trimmedLines(limit: RecoveryCode.setCount)
            .prefix(RecoveryCode.setCount)
            .compactMap { RecoveryCode(text: String($0))?.text }
        var response = Response.text(codes.joined(separator: "\r\n") + "\r\n")
        response.append(.contentDisposition, "attachment; filename=\"recovery-codes-\(team).txt\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private static func row(_ app: TOTPStore.Summary, _ team: TeamID) -> FactorSectionView.Row {
        FactorSectionView.Row(
            url: TeamRoutes.totp.link(team),
            title: Phrase("hosted.factors.detail.totp").asWords,
            lastUsedAt: app.lastUsedAt
        )
    }

    private static func row(_ passkey: Passkey, _ team: TeamID) -> FactorSectionView.Row {
        FactorSectionView.Row(
            url: TeamRoutes.passkey.link(team, passkey.id),
            title: passkey.name.asWords,
            lastUsedAt: passkey.lastUsedAt,
            note: Self.kept(passkey).asWords
        )
    }

    /// Where a passkey lies.
    static func kept(_ passkey: Passkey) -> Phrase {
        passkey.isBackedUp
            ? Phrase("hosted.factors.detail.synced") : Phrase("hosted.factors.detail.one-device")
    }
}

extension TeamSnapshot {
    /// Whether people have second factors here: they stand beside a password, which only a directory asks for.
    fileprivate var offersFactors: Bool { hasDirectory && secondFactor != .off }
}
