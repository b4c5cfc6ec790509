import AuthEngine
import Bytes
import Domain
import HTTP
import Tenancy
import Web

// The logo, which comes as a file.
extension SettingsPages {
    func setLogo(_ scope: Scope) async throws -> Response {
        let logo: LogoFile
        do throws(LogoFile.Problem) {
            logo = try LogoFile(scope.request.uploads.first { $0.name == "logo" }?.octets ?? [])
        } catch {
            var errors = FieldErrors()
            errors.add("logo", Self.message(error))
            return try await respond(scope, SettingsDraft(scope.team.configuration), errors)
        }
        try await uploads.charge(scope.teamID, at: context.clock())
        try await logos.set(logo, of: scope.teamID, by: scope.actor, from: scope.origin)
        return saved(scope)
    }

    func removeLogo(_ scope: Scope) async throws -> Response {
        _ = try await logos.remove(of: scope.teamID, by: scope.actor, from: scope.origin)
        return saved(scope)
    }

    /// The hosted pages in a colour that need not be saved yet.
    func preview(_ scope: Scope) async throws -> Response {
        let typed = try scope.request.query()["accent"] ?? ""
        let page = PreviewPage(
            assets: scope.site.assets,
            publicURL: context.publicURL,
            team: scope.team,
            accent: AccentColour(rawValue: typed) ?? scope.team.branding.accent,
            logo: try await logos.digest(of: scope.teamID)
        )
        return scope.site.respond(previewPage, page, frame: .ourselves)
    }

    /// The words beside the field, about a colour that is being typed.
    func wordsAboutAccent(_ scope: Scope) throws -> Response {
        let typed = try scope.request.query()["colour"] ?? ""
        let words = SettingsDraft.words(aboutAccent: typed)
        var response = Response(body: Array(scope.site.text(words).utf8))
        response.append(.contentType, "text/plain; charset=utf-8")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private static func message(_ problem: LogoFile.Problem) -> Phrase {
        switch problem {
        case .tooLarge: Phrase("console.settings.logo.large", ["most": LogoFile.maximumSize / 1024])
        case .unknownKind: Phrase("console.settings.logo.kind")
        }
    }
}
