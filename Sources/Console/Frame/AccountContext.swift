import Core
import HTTP
import Platform
import Registry
import SignIn

/// A request of a console account to a page outside any team.
struct AccountContext: Sendable {
    let request: Request
    let site: Site
    let account: Account
    /// Message about the last change, to be shown once.
    let flash: Flash?

    /// Form token (against cross-site request forgery) for the forms on the page.
    var formToken: String { site.formTokens.token(for: account.browser) }
    var actor: Actor { .member(account.subject) }
    var origin: Origin { request.auditOrigin }

    /// Title, assets and navigation of a page outside any team.
    func frame(_ title: any LocalizedTextConvertible) -> PlainFrame {
        PlainFrame(title: title.localizedText, assets: site.assets, chrome: PlainChrome(self))
    }

    /// Redirects with GET after a successful form; the next page shows `flash`.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        var response = Response.redirect(to: path)
        if let flash { response.set(flash.cookie(for: account.browser, site)) }
        return response
    }
}

/// A request to a page of a team by a member with the right that the route needs.
struct TeamContext: Sendable {
    let accountContext: AccountContext
    let membership: Membership
    let section: Section

    var request: Request { accountContext.request }
    var site: Site { accountContext.site }
    var account: Account { accountContext.account }
    var team: Team { membership.team }
    var teamID: TeamID { membership.team.id }
    var role: Role { membership.role }
    var actor: Actor { accountContext.actor }
    var origin: Origin { accountContext.origin }

    /// Whether the member has the right; pages omit controls for which the right is missing.
    func may(_ right: Right) -> Bool { role.rights.contains(right) }

    /// Title, assets and navigation of a page of the team.
    func frame(_ title: any LocalizedTextConvertible) -> ConsoleFrame {
        let title = Message("console.frame.title", ["page": title, "team": team.settings.name.rawValue])
        return ConsoleFrame(title: title.localizedText, assets: site.assets, chrome: Chrome(self))
    }

    /// Redirects with GET after a successful form; the next page shows `flash`.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        accountContext.redirect(to: path, saying: flash)
    }
}

extension Response {
    /// A response that no cache stores and whose type no browser guesses.
    static func unstored(_ text: String, type: String) -> Response {
        var response = Response(body: Array(text.utf8))
        response.append(.contentType, type)
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    /// A file to save, which no cache stores.
    ///
    /// - Parameter name: letters, digits, dots, hyphens and underscores, which need no escaping.
    static func attachment(_ text: String, named name: String, type: String) -> Response {
        var response = unstored(text, type: type)
        response.append(.contentDisposition, "attachment; filename=\"\(name)\"")
        return response
    }

    /// A file to save that is sent as it is read.
    static func attachment(_ stream: BodyStream, named name: String, type: String) -> Response {
        Response(
            fields: [
                HeaderField(.contentType, type), HeaderField(.contentDisposition, "attachment; filename=\"\(name)\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ], stream: stream)
    }
}
