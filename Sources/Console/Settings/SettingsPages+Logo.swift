import Bytes
import Domain
import HTTP
import Localization
import Tenancy
import Web

// Logo upload, preview and accent hint.
extension SettingsPages {
    func setLogo(_ context: TeamContext) async throws -> Response {
        let logo: LogoFile
        do throws(LogoFile.Problem) {
            logo = try LogoFile(context.request.uploads.first { $0.name == "logo" }?.octets ?? [])
        } catch {
            var errors = FieldErrors()
            errors.add("logo", Self.message(error))
            return try await respond(context, SettingsDraft(context.team.configuration), errors)
        }
        // Every loop reloads the team after an upload.
        try await database.count([RateLimit.Use(.heavyWork, by: .team)], in: context.teamID, at: server.clock())
        try await logos.set(logo, of: context.teamID, by: context.actor, from: context.origin)
        return saved(context)
    }

    func removeLogo(_ context: TeamContext) async throws -> Response {
        _ = try await logos.remove(of: context.teamID, by: context.actor, from: context.origin)
        return saved(context)
    }

    /// Renders the sign-in page with an accent colour that may not be saved yet.
    func preview(_ context: TeamContext) async throws -> Response {
        let typed = try context.request.query()["accent"] ?? ""
        let page = PreviewPage(
            assets: context.site.assets, publicURL: server.publicURL, team: context.team,
            accent: AccentColour(rawValue: typed) ?? context.team.branding.accent,
            logo: try await logos.digest(of: context.teamID))
        return context.site.respond(previewPage, page, frame: .ourselves)
    }

    /// Hint about the accent colour being entered, as plain text for the page's script.
    func wordsAboutAccent(_ context: TeamContext) throws -> Response {
        let typed = try context.request.query()["colour"] ?? ""
        let words = SettingsDraft.words(aboutAccent: typed)
        var response = Response(body: Array(context.site.text(words).utf8))
        response.append(.contentType, "text/plain; charset=utf-8")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private static func message(_ problem: LogoFile.Problem) -> Message {
        switch problem {
        case .tooLarge: Message("console.settings.logo.large", ["most": LogoFile.maximumSize / 1024])
        case .unknownKind: Message("console.settings.logo.kind")
        }
    }
}
