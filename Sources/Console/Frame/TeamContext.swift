import Core
import HTTP
import Platform
import Registry
import SignIn

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

extension TeamDatabase {
    /// Runs `body` as one change by the member: committed when it returns, rolled back when it throws.
    func change<Value>(by context: TeamContext, _ body: (borrowing Change) async throws -> Value) async throws -> Value
    { try await change(in: context.teamID, by: context.actor, from: context.origin, body) }
}

extension TeamContext {
    /// Rule for the hosts that the team may register.
    var addressPolicy: HostPolicy {
        let policy: HostPolicy = team.settings.mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: OwnAddress(accountContext.server))
    }
}
