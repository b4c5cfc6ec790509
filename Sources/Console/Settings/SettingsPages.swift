import Core
import Directory
import Federation
import HTTP
import Platform
import Registry
import SignIn
import Templates

import struct Registry.ProductionObstacle

/// Settings pages of a team, readable by all members, with the team's deletion.
struct SettingsPages: ConsolePages {
    let parts: Console.Parts

    private var teams: TeamStore { TeamStore(database) }
    private var logos: TeamLogoStore { TeamLogoStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(SettingsRoutes.settings, needs: .read, at: .settings) { context in
            try await respond(context, SettingsForm(context.team))
        }
        router.post(SettingsRoutes.part, needs: .changeSettings, at: .settings) { context, form, part in
            try await save(context, form, part)
        }
        router.get(SettingsRoutes.preview, needs: .read, at: .settings) { try await preview($0) }
        router.get(SettingsRoutes.accent, needs: .read, at: .settings) { try wordsAboutAccent($0) }
        let upload = RouteOptions.upload(limit: LogoFile.maximumSize)
        router.post(SettingsRoutes.logo, upload, needs: .changeSettings, at: .settings) { context, _ in
            try await setLogo(context)
        }
        router.post(SettingsRoutes.logoRemoval, needs: .changeSettings, at: .settings) { context, _ in
            try await removeLogo(context)
        }
        router.post(SettingsRoutes.deletion, needs: .dangerZone, at: .settings) { context, form in
            try await delete(context, form)
        }
        router.post(SettingsRoutes.deletionCancellation, needs: .dangerZone, at: .settings) { context, _ in
            try await keep(context)
        }
    }

    private func save(_ context: TeamContext, _ sent: Form, _ part: SettingsPart) async throws -> Response {
        let version = try sent.version()
        let names = part.names(setsMode: context.account.isOperator)
        // A form of the last release names other fields, of which one has the old name beside a new one.
        guard names.contains(where: { sent[$0] != nil }), sent["second_factor"] == nil else {
            throw UserFacingError.staleForm
        }
        let form = SettingsForm(sent, of: names, over: context.team)
        // The form's other settings are of this version; under a later version number they would overwrite newer values.
        guard version == context.team.version else { return refuse(context, form, sent, part, context.team) }
        var settings: TeamSettings?
        var errors = FieldErrors()
        do { settings = try TeamSettings(form.typed, policy: context.addressPolicy) } catch { errors.add(error) }
        let question = askAboutAppleKeys(form, sent, context, &errors)
        checkRetention(form, context, &errors)
        try await checkMode(form, context, &errors)
        guard let settings, errors.isEmpty else { return try await respond(context, form, errors, question: question) }
        let outcome = try await database.change(by: context) { change in
            try await teams.update(to: settings, version: version, change)
        }
        switch outcome {
        case .notFound: throw UserFacingError.notFound
        case .conflict(let theirs): return refuse(context, form, sent, part, theirs)
        case .saved: return saved(context)
        }
    }

    /// The question whether Apple's keys may stand beside Apple's issuer, if they are chosen to; an error until it is answered.
    private func askAboutAppleKeys(
        _ form: SettingsForm<Team>, _ sent: Form, _ context: TeamContext, _ errors: inout FieldErrors
    ) -> Input? {
        let chosen = AppleKeyPublication(rawValue: form["appleKeys"])
        guard chosen?.takesConfirmation(after: context.team.settings.appleKeys) == true else { return nil }
        let isAccepted = sent.isChecked("acceptsAppleTokens")
        if !isAccepted { errors.add("appleKeys", Message("console.settings.appleKeys.question")) }
        return Input(
            "acceptsAppleTokens", Message("console.settings.appleKeys.accept"), as: .box(isChecked: isAccepted),
            hint: Message("console.settings.appleKeys.accept.hint"))
    }

    /// Rejects a shorter audit retention without the right `dangerZone`, because deleted events cannot be restored.
    private func checkRetention(_ form: SettingsForm<Team>, _ context: TeamContext, _ errors: inout FieldErrors) {
        guard let days = form.typed["auditRetentionDays"]?.integer, !context.may(.dangerZone),
            days < context.team.settings.auditRetentionDays
        else { return }
        errors.add("auditRetentionDays", Message("console.settings.auditRetentionDays.owner"))
    }

    /// Rejects production mode while the team has App IDs or Service IDs that are allowed only in sandbox mode.
    private func checkMode(_ form: SettingsForm<Team>, _ context: TeamContext, _ errors: inout FieldErrors) async throws
    {
        guard form["mode"] == TeamMode.production.rawValue, context.team.settings.mode == .sandbox else { return }
        let obstacles = try await registry.obstaclesToProduction(of: context.teamID)
        guard !obstacles.isEmpty else { return }
        let some = LocalizedText.list(obstacles.prefix(10).map { .verbatim($0.identifier.rawValue) })
        let words = Message("console.settings.mode.obstacles", ["some": some], count: obstacles.count)
        errors.add("mode", words)
    }

    private func saved(_ context: TeamContext) -> Response {
        parts.registryChanged(context.teamID)
        return context.redirect(
            to: SettingsRoutes.settings.link(context.teamID), saying: .good(Message("console.settings.flash.saved")))
    }

    /// Conflict page for settings that were saved in the meantime: both versions, one of which the member chooses.
    private func refuse(
        _ context: TeamContext, _ form: SettingsForm<Team>, _ sent: Form, _ part: SettingsPart, _ theirs: Team
    ) -> Response {
        let view = ConflictPage(
            frame: context.frame(Message("console.conflict.title")), heading: theirs.identity,
            auditURL: ConsoleRoutes.audit.link(context.teamID), rows: form.compared(with: theirs, part.names),
            action: SettingsRoutes.part.link(context.teamID, part),
            reloadURL: SettingsRoutes.settings.link(context.teamID), version: theirs.version,
            typed: sent.fields.filter { !["csrf", "version"].contains($0.name) })
        return context.site.respond(view, status: .conflict)
    }

    private func delete(_ context: TeamContext, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: context.team.identity)
        guard let reason = confirmation.reason else {
            let form = SettingsForm(context.team)
            return try await respond(context, form, deletion: danger(context, confirmation))
        }
        let version = try form.version()
        // A form of an older version changes nothing, and uses up none of the owners' mail.
        let owners = version == context.team.version ? try await owners(toTellIn: context) : []
        let outcome = try await database.change(by: context) { change in
            let outcome = try await teams.requestDeletion(reason: reason, version: version, at: server.clock(), change)
            if case .saved(let team) = outcome { try await tell(owners, of: team, because: reason, context, change) }
            return outcome
        }
        return try answer(outcome, context, saying: .warn(Message("console.settings.flash.deletion")))
    }

    /// Addresses of the owners, within the limits for mail; none if they know already that the team will be deleted.
    private func owners(toTellIn context: TeamContext) async throws -> [EmailAddress] {
        guard context.team.deletionDueAt == nil else { return [] }
        let members = try await MembershipStore(database).list(in: context.teamID)
        let owners = try await users.find(members.filter { $0.role == .owner }.map(\.account), in: .system)
        var addresses: [EmailAddress] = []
        for address in owners.compactMap(\.email) where address.isMailable {
            let recipient = LimitKey.recipient(address.rawValue, for: .change, by: .team)
            let uses = [RateLimit.Use(.mailToRecipient, by: recipient), RateLimit.Use(.mailOfTeam, by: .team)]
            if try await database.isWithin(uses, in: context.teamID, at: server.clock()) { addresses.append(address) }
        }
        return addresses
    }

    /// Writes to the owners that the team will be deleted, when, and how to keep it.
    private func tell(
        _ owners: [EmailAddress], of team: Team, because reason: String, _ context: TeamContext,
        _ change: borrowing Change
    ) async throws {
        guard let due = team.deletionDueAt else { return }
        let name = QuotedName(team.settings.name.rawValue).description
        let settings = server.publicURL + SettingsRoutes.settings.link(team.id)
        let person = QuotedName(context.account.person.name).description
        let message = EmailMessage.plain(
            subject: site.text(Message("console.settings.deletion.mail.subject", ["team": name])),
            paragraphs: [
                site.text(
                    Message("console.settings.deletion.mail", ["team": name, "person": person, "time": "\(due)"])),
                site.text(Message("console.settings.deletion.mail.reason", ["reason": reason])),
                site.text(Message("console.settings.deletion.mail.keep", ["url": settings])),
            ])
        for owner in owners {
            try await parts.mail.enqueue(
                OutgoingMail(message, to: owner, in: .english, from: "Pippin"), in: team.id, change.transaction)
        }
    }

    private func keep(_ context: TeamContext) async throws -> Response {
        let outcome = try await database.change(by: context) { change in try await teams.cancelDeletion(change) }
        return try answer(outcome, context, saying: .good(Message("console.settings.flash.kept")))
    }

    private func answer(_ outcome: Update<Team>, _ context: TeamContext, saying flash: Flash) throws(UserFacingError)
        -> Response
    {
        let settings = SettingsRoutes.settings.link(context.teamID)
        switch outcome {
        case .notFound: throw .notFound
        case .saved: return context.redirect(to: settings, saying: flash)
        case .conflict:
            let words = Message("console.settings.flash.changed-meanwhile")
            return context.redirect(to: settings, saying: .bad(words))
        }
    }

    private func respond(
        _ context: TeamContext, _ form: SettingsForm<Team>, _ errors: FieldErrors = FieldErrors(),
        question: Input? = nil, deletion: DangerView? = nil
    ) async throws -> Response {
        let mayDelete = context.may(.dangerZone) && context.team.deletionDueAt == nil
        let typed = Confirmation(expecting: context.team.identity)
        let view = SettingsPage(
            frame: context.frame(Message("console.settings.title")), team: context.team,
            mayChange: context.may(.changeSettings), setsMode: context.account.isOperator, site: context.site,
            form: form, question: question, logo: try await logos.digest(of: context.teamID), errors: errors,
            deletion: deletion ?? (mayDelete ? danger(context, typed) : nil), due: try await due(context))
        let isRefused = !errors.isEmpty || deletion != nil
        return context.site.respond(view, status: isRefused ? .unprocessableContent : .ok)
    }

    /// The scheduled deletion: its time while it can be cancelled, then the number of pending revocations.
    private func due(_ context: TeamContext) async throws -> SettingsPage.DeletionView? {
        guard context.may(.dangerZone), let due = context.team.deletionDueAt else { return nil }
        guard let closedAt = context.team.closedAt else {
            let action = SettingsRoutes.deletionCancellation.link(context.teamID)
            return SettingsPage.DeletionView(action: action, due: TimeView(due), waiting: nil)
        }
        let tokens = TeamTokenEndStore(database, server: server, accounts: deletions)
        return SettingsPage.DeletionView(
            action: nil, due: TimeView(closedAt), waiting: .waiting(for: try await tokens.waiting(in: context.teamID)))
    }

    private func danger(_ context: TeamContext, _ typed: Confirmation) -> DangerView {
        typed.view(
            action: SettingsRoutes.deletion.link(context.teamID), summary: Message("console.settings.deletion.summary"),
            consequences: [
                Message("console.settings.deletion.apps"), Message("console.settings.deletion.people"),
                Message("console.settings.deletion.id"),
            ], button: Message("console.settings.deletion.button"), version: context.team.version)
    }

    static var views: [any View.Type] { [SettingsPage.self, PreviewPage.self] }
}

// Logo upload, preview and accent hint.
extension SettingsPages {
    private func setLogo(_ context: TeamContext) async throws -> Response {
        let logo: LogoFile
        do throws(LogoFile.Problem) {
            logo = try LogoFile(context.request.uploads.first { $0.name == "logo" }?.octets ?? [])
        } catch {
            let errors = FieldErrors("logo", Self.message(error))
            return try await respond(context, SettingsForm(context.team), errors)
        }
        // Every loop reloads the team after an upload.
        try await count(.heavyWork, in: context.teamID)
        try await logos.set(logo, of: context.teamID, by: context.actor, from: context.origin)
        return saved(context)
    }

    private func removeLogo(_ context: TeamContext) async throws -> Response {
        _ = try await logos.remove(of: context.teamID, by: context.actor, from: context.origin)
        return saved(context)
    }

    /// Renders the sign-in page with an accent colour that may not be saved yet.
    private func preview(_ context: TeamContext) async throws -> Response {
        let typed = try context.request.query()["accent"] ?? ""
        let page = PreviewPage(
            assets: context.site.assets, publicURL: server.publicURL, team: context.team,
            accent: AccentColour(rawValue: typed) ?? context.team.settings.accent,
            logo: try await logos.digest(of: context.teamID))
        return context.site.respond(page, frame: .ourselves)
    }

    /// Hint about the accent colour being entered, as plain text for the page's script.
    private func wordsAboutAccent(_ context: TeamContext) throws -> Response {
        let typed = try context.request.query()["colour"] ?? ""
        let words = AccentHint.words(about: typed)
        return .unstored(context.site.text(words), type: "text/plain; charset=utf-8")
    }

    private static func message(_ problem: LogoFile.Problem) -> Message {
        switch problem {
        case .tooLarge: Message("console.settings.logo.large", ["most": LogoFile.maximumSize / 1024])
        case .unknownKind: Message("console.settings.logo.kind")
        }
    }
}
