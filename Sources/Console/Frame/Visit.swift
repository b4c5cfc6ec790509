import Bytes
import Domain
import HTTP
import Tenancy
import Web

/// One request of a console account, outside of any team.
struct Visit: Sendable {
    let request: Request
    let site: Site
    let account: Account
    /// What the last change left to be said.
    let flash: Flash?

    /// The token that forms on the page carry.
    var formToken: String { site.formTokens.token(for: account.browser) }
    var actor: Actor { .member(account.subject) }
    var origin: Origin { request.auditOrigin }

    /// The frame of a page outside a team.
    func frame(_ title: any Wording) -> PlainFrame {
        PlainFrame(title: title.asWords, assets: site.assets, chrome: PlainChrome(self))
    }

    /// Answers a form that was done: the browser goes on with GET and is told what happened.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        var response = Response.redirect(to: path)
        if let flash { response.set(flash.cookie(for: account.browser, site)) }
        return response
    }
}

/// One request inside a team by a member who may make it.
struct Scope: Sendable {
    let visit: Visit
    let membership: Membership
    let section: Section

    var request: Request { visit.request }
    var site: Site { visit.site }
    var account: Account { visit.account }
    var team: Team { membership.team }
    var teamID: TeamID { membership.team.id }
    var role: Role { membership.role }
    var actor: Actor { visit.actor }
    var origin: Origin { visit.origin }

    /// Whether the member may do that; templates leave out what they may not.
    func may(_ right: Right) -> Bool {
        role.rights.contains(right)
    }

    /// The frame of a page in the team.
    func frame(_ title: any Wording) -> ConsoleFrame {
        let title = Phrase("console.frame.title", ["page": title, "team": team.settings.name.rawValue])
        return ConsoleFrame(title: title.asWords, assets: site.assets, chrome: Chrome(self))
    }

    /// Answers a form that was done: the browser goes on with GET and is told what happened.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        visit.redirect(to: path, saying: flash)
    }
}
