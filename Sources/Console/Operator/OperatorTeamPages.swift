import Core
import Federation
import HTTP
import Platform
import Registry
import SignIn

/// List of all teams of the installation by name; only a team's members see its data.
struct OperatorTeamPages: ConsolePages {
    let parts: Console.Parts

    private var teams: TeamListStore { TeamListStore(parts.system) }
    /// Team with the users of the Apple simulator; nil without a simulator.
    private var simulatorTeam: String? { parts.simulator?.teamID.rawValue }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.teams, for: .operators) { try await list($0) }
        router.post(OperatorRoutes.ownership, for: .operators) { context, _, team in try await adopt(context, team) }
    }

    /// Makes the operator the owner of a team without members, except for the Apple simulator's team.
    ///
    /// Other teams are refused because only members may see a team's data.
    private func adopt(_ context: AccountContext, _ team: TeamID) async throws -> Response {
        guard team.rawValue != simulatorTeam else { throw UserFacingError.notFound }
        guard try await members.adopt(team, by: context.account.subject, from: context.origin) else {
            let flash = Flash.warn(Message("console.operator.teams.own.late"))
            return context.redirect(to: OperatorRoutes.teams.link(), saying: flash)
        }
        let flash = Flash.good(Message("console.operator.teams.own.done"))
        return context.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let words = Message("console.operator.teams.search")
        let query = try ListQuery(
            context.request, at: OperatorRoutes.teams.link(), [.search(words, placeholder: words)])
        let page = try await teams.page(matching: query.search, after: query.after, limit: ListQuery.pageSize)
        let new = LinkView(Message("console.frame.new-team"), ConsoleRoutes.newTeam.link(), isPrimary: true)
        let view = ListView(
            title: Message("console.operator.teams.title"), about: Message("console.operator.teams.about"),
            links: [new], query: query, content: .table(try await table(page.items, context)),
            paging: query.paging(Message("console.operator.teams.found", count: page.total), next: page.next),
            none: .init(
                "team", Message("console.operator.teams.none"), Message("console.operator.teams.none.advice"), new),
            unmatched: .unmatched(
                Message("console.operator.teams.none-matches", ["query": query.search]),
                Message("console.operator.teams.none-matches.advice"), all: Message("console.operator.teams.show-all"),
                query))
        return site.respond(OperatorListPage(context, at: .teams, view))
    }

    private func table(_ teams: [Team], _ context: AccountContext) async throws -> ListTable {
        let memberless = try await self.teams.memberless(among: teams.map(\.id))
        let closing = teams.filter { $0.closedAt != nil && $0.deletedAt == nil }.map(\.id)
        let waiting = try await WaitingRevocationStore(parts.system).waiting(in: closing)
        return ListTable(
            [
                .init(Message("console.operator.teams.name")), .init(Message("console.operator.teams.id")),
                .init(Message("console.operator.teams.created"), isWide: true),
                .init(Message("console.operator.jobs.title"), isUnnamed: true),
            ],
            teams.map { team in
                let (id, name) = (team.id.rawValue, team.settings.name.rawValue)
                let isMember = context.account.rights.membership(in: team.id) != nil
                let states: [RowPart?] = [
                    isMember ? .link(name, ConsoleRoutes.overview.link(team.id)) : .text(name),
                    team.settings.mode == .sandbox ? .badge(.warn, Message("console.frame.sandbox")) : nil,
                    team.closedAt == nil && team.deletionDueAt != nil
                        ? .badge(.warn, Message("console.operator.teams.leaving")) : nil,
                    waiting[team.id].map { _ in .badge(.warn, Message("console.operator.teams.closed")) },
                    waiting[team.id].map { .text(LocalizedText.waiting(for: $0)).below(isHint: true) },
                    team.deletedAt != nil ? .badge(.plain, Message("console.operator.teams.deleted")) : nil,
                ]
                return [
                    states + ownership(of: team.id, isMemberless: memberless.contains(team.id)), [.code(id)],
                    [.text(team.createdAt)],
                    [
                        .link(
                            Message("console.operator.jobs.title"), "\(OperatorRoutes.jobs.link())?team=\(id)",
                            label: Message("console.operator.teams.jobs-of", ["team": name]))
                    ],
                ]
            })
    }

    /// The button with which an operator becomes the owner of a team without members.
    private func ownership(of team: TeamID, isMemberless: Bool) -> [RowPart?] {
        if team.rawValue == simulatorTeam {
            return [.text(Message("console.operator.teams.simulator")).below(isHint: true)]
        }
        guard isMemberless else { return [] }
        return [
            .text(Message("console.operator.teams.own.about")).below(isHint: true),
            .button(Message("console.operator.teams.own.button"), OperatorRoutes.ownership.link(team)),
        ]
    }
}

extension LocalizedText {
    /// State of a closed team before its deletion: number of pending revocations, or none.
    static func waiting(for revocations: Int) -> LocalizedText {
        revocations == 0
            ? Message("console.settings.closed.going").localizedText
            : Message("console.settings.closed.waiting", count: revocations).localizedText
    }
}
