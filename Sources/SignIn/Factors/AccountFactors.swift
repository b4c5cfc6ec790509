import Core
import Directory
import HTTP
import OAuth
import Platform

/// Second factors on the account pages; changes require a recent proof.
struct AccountFactors: Sendable {
    let steps: AccountSteps

    func mount(on router: inout Router) {
        router.get(TeamRoutes.proof, .standard, steps.asPerson(askForProof))
        router.post(TeamRoutes.proof, .form, steps.asPerson(proveAgain))
        router.get(TeamRoutes.totp, .standard, withFactors(showTOTP))
        router.get(TeamRoutes.newTOTP, .standard, recently(askForTOTP))
        router.post(TeamRoutes.newTOTP, .form, recently { try await enrol($0, page: .totp) })
        router.post(TeamRoutes.totpRemoval, .form, recently(page: { TeamRoutes.totp.link($0) }, removeTOTP))
        router.get(TeamRoutes.newPasskey, .standard, recently(askForPasskey))
        router.post(TeamRoutes.newPasskey, .form, recently { try await enrol($0, page: .passkey) })
        router.get(TeamRoutes.passkey) { request, team, id in
            try await withFactors { try await showPasskey(id, $0) }(request, team)
        }
        router.post(TeamRoutes.passkey, .form) { request, team, id in
            try await recently { try await renamePasskey(id, $0) }(request, team)
        }
        router.post(TeamRoutes.passkeyRemoval, .form) { request, team, id in
            try await recently(page: { TeamRoutes.passkey.link($0, id) }) { try await removePasskey(id, $0) }(
                request, team)
        }
        router.post(TeamRoutes.recoveryCodes, .form, recently(page: { TeamRoutes.account.link($0) }, regenerateCodes))
        router.post(TeamRoutes.recoveryCodeFile, .form) { try codeFile($0, $1) }
    }

    /// Handler that runs `body` for a user with a recent proof, of a factor if there is one; otherwise redirects to a
    /// new proof, which leads back.
    ///
    /// - Parameter page: page that contains the form; nil if it has the same address as the form.
    private func recently(
        page: (@Sendable (TeamID) -> String)? = nil, _ body: @escaping @Sendable (SignedInUser) async throws -> Response
    ) -> @Sendable (Request, TeamID) async throws -> Response {
        withFactors { person in
            try await steps.freshly(person, page: page?(person.team.id) ?? person.request.path, overFactors: true) {
                try await body(person)
            }
        }
    }

    /// Handler that runs `body` for the signed-in user; throws `UserFacingError.notFound` if the team offers no second
    /// factors.
    private func withFactors(_ body: @escaping @Sendable (SignedInUser) async throws -> Response)
        -> @Sendable (Request, TeamID) async throws -> Response
    {
        steps.asPerson { person in
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
            for: person.subject, in: person.team.id, by: person.actor, with: steps.factorRight(of: person),
            from: person.visit.origin, at: steps.server.clock(), telling: steps.factorPost(person))
        guard let codes else { return .redirect(to: TeamRoutes.account.link(person.team.id)) }
        return show(codes, person)
    }

    private func show(_ codes: [RecoveryCode], _ person: SignedInUser) -> Response {
        steps.pages.respond(
            RecoveryCodesPage(
                form: steps.form(
                    Message("hosted.factors.codes.title"), to: TeamRoutes.recoveryCodeFile.link(person.team.id),
                    for: person), codes: codes, continueURL: TeamRoutes.account.link(person.team.id)))
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

// Page of one factor: details, renaming, removal.
extension AccountFactors {
    func showTOTP(_ person: SignedInUser) async throws -> Response {
        guard let page = try await totpPage(person) else {
            return .redirect(to: TeamRoutes.newTOTP.link(person.team.id))
        }
        return steps.pages.respond(page)
    }

    func removeTOTP(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        do {
            try await steps.factors.totp.remove(
                of: person.subject, keepsOne: try await keepsOne(person), by: steps.factorRight(of: person),
                in: person.team.id, from: person.visit.origin, telling: steps.factorPost(person))
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            guard var page = try await totpPage(person) else { throw UserFacingError.notFound }
            page.error = lastOne(person)
            return steps.pages.respond(page, status: .conflict)
        }
        return steps.home(person, .factorRemoved)
    }

    func showPasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        steps.pages.respond(try await passkeyPage(id, person))
    }

    func renamePasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let typed = form["name"] ?? ""
        guard let passkeys = steps.factors.passkeys?.passkeys else { throw UserFacingError.notFound }
        guard let name = PasskeyName(typed) else {
            var page = try await passkeyPage(id, person)
            page.rename?.field.value = typed
            page.rename?.field.errors = [Message("hosted.factors.set-up.passkey.name-rule").localizedText]
            return steps.pages.respond(page, status: .unprocessableContent)
        }
        do {
            try await passkeys.rename(
                id, of: person.subject, to: name, by: steps.factorRight(of: person), in: person.team.id,
                from: person.visit.origin)
        } catch FactorRefusal.unknown { throw UserFacingError.notFound }
        return steps.home(person, .factorRenamed)
    }

    func removePasskey(_ id: PasskeyID, _ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        guard let passkeys = steps.factors.passkeys?.passkeys else { throw UserFacingError.notFound }
        do {
            try await passkeys.remove(
                id, of: person.subject, keepsOne: try await keepsOne(person), by: steps.factorRight(of: person),
                in: person.team.id, from: person.visit.origin, telling: steps.factorPost(person))
        } catch FactorRefusal.unknown {
            return .redirect(to: TeamRoutes.account.link(person.team.id))
        } catch FactorRefusal.lastOne {
            var page = try await passkeyPage(id, person)
            page.error = lastOne(person)
            return steps.pages.respond(page, status: .conflict)
        }
        return steps.home(person, .factorRemoved)
    }

    private func totpPage(_ person: SignedInUser) async throws -> FactorDetailPage? {
        let team = person.team.id
        guard let app = try await steps.factors.totp.find(of: person.subject, in: team) else { return nil }
        let title = Message("hosted.factors.detail.totp")
        return FactorDetailPage(
            form: steps.form(title, to: TeamRoutes.totpRemoval.link(team), for: person), heading: title.localizedText,
            addedAt: app.confirmedAt, lastUsedAt: app.lastUsedAt, replaceURL: TeamRoutes.newTOTP.link(team),
            about: Message("hosted.factors.detail.remove-totp-about"),
            label: Message("hosted.factors.detail.remove-totp"))
    }

    /// - Throws: `UserFacingError.notFound` if the user has no such passkey.
    private func passkeyPage(_ id: PasskeyID, _ person: SignedInUser) async throws -> FactorDetailPage {
        let team = person.team.id
        let all = try await steps.factors.passkeys?.passkeys.list(of: person.subject, in: team) ?? []
        guard let passkey = all.first(where: { $0.id == id }) else { throw UserFacingError.notFound }
        return FactorDetailPage(
            form: steps.form(
                Message("hosted.factors.set-up.passkey.title"), to: TeamRoutes.passkeyRemoval.link(team, id),
                for: person), heading: passkey.name.localizedText, addedAt: passkey.createdAt,
            lastUsedAt: passkey.lastUsedAt, kept: Self.kept(passkey),
            rename: FactorDetailPage.Rename(
                action: TeamRoutes.passkey.link(team, id),
                field: Input("name", Message("hosted.factors.detail.name"), passkey.name)),
            about: Message("hosted.factors.detail.remove-passkey-about"),
            label: Message("hosted.factors.detail.remove-passkey"))
    }

    private func keepsOne(_ person: SignedInUser) async throws -> Bool {
        let (subject, team) = (person.subject, person.team)
        return try await steps.factors.gate.policy(for: subject, of: team.id, team.secondFactor).rule == .required
    }

    private func lastOne(_ person: SignedInUser) -> Message {
        Message("hosted.factors.detail.last-one", ["team": person.team.name])
    }
}

// Reauthentication before sign-in methods change: by a factor if the user has one, because the password that began the
// session proves nothing new; otherwise by the password.
extension AccountFactors {
    func askForProof(_ person: SignedInUser) async throws -> Response {
        steps.pages.respond(try await proofPage(person))
    }

    func proveAgain(_ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let kinds = try await steps.factors.kinds(of: person.subject, in: person.team.id)
        if kinds.isEmpty { return try await provePassword(form, person) }
        let proof = FactorProof(
            subject: person.subject, team: person.team.id, interaction: "session \(person.session.id.text)",
            browser: person.visit.browser, origin: person.visit.origin, now: steps.server.clock())
        guard let (kind, result) = try await proof.check(form, with: steps.factors) else {
            return steps.pages.respond(try await proofPage(person))
        }
        switch result {
        case .proved: return try await proceed(person, by: kind)
        case .interactionExpired: throw UserFacingError.fiveWrongCodes
        case .wrong, .locked:
            var page = try await proofPage(person, wanted: kind)
            page.error = result.words(kind)
            let status: Status = result == .wrong ? .unauthorized : .tooManyRequests
            return steps.pages.respond(page, status: status, retryAfter: result.retryAfter)
        }
    }

    private func provePassword(_ form: Form, _ person: SignedInUser) async throws -> Response {
        let result = try await steps.sessionIssuer.authenticate(form, person.visit)
        if case .success(let user, _) = result, user.subject == person.subject {
            return try await proceed(person, by: nil)
        }
        let refusal = SignInRefusal(result)
        var page = try await proofPage(person)
        page.error = refusal.words
        return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
    }

    /// Redirects to the page that required the proof, and renews the session token.
    private func proceed(_ person: SignedInUser, by kind: FactorKind?) async throws -> Response {
        let next = LocalPath(try person.request.query()["next"])
        var response = Response.redirect(to: next?.text ?? TeamRoutes.account.link(person.team.id))
        if let cookie = try await steps.stepUp(person, by: kind) { response.set(cookie) }
        return response
    }

    /// - Parameter kind: kind requested before; nil for the kind in the query, if any.
    private func proofPage(_ person: SignedInUser, wanted kind: FactorKind? = nil) async throws -> FactorPage {
        let (request, team) = (person.request, person.team)
        let query = try request.query()
        let next = LocalPath(query["next"]).map { "?next=\(PercentCoding.encode($0.text))" }
        let action = TeamRoutes.proof.link(team.id) + (next ?? "")
        let prompt = FactorPrompt(
            factors: steps.factors, subject: person.subject, team: team, browser: person.visit.browser,
            form: steps.form(Message("hosted.factors.prove.title"), to: action, for: person), address: action,
            now: steps.server.clock())
        let kinds = try await steps.factors.kinds(of: person.subject, in: team.id)
        let lead = Message("hosted.factors.prove.reproof")
        if kinds.isEmpty { return prompt.password(of: person.session.user, lead: lead) }
        return try await prompt.page(kinds, wanted: kind ?? query["with"].flatMap(FactorKind.init), lead: lead)
    }
}
