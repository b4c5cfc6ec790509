import Core
import Federation
import HTTP
import Platform
import SignIn

/// List of Apple tokens that could not be revoked or validated, with the reasons and a retry.
struct AppleTokenPages: ConsolePages {
    let parts: Console.Parts

    private var list: UpstreamTokenListStore { UpstreamTokenListStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(AppleTokenRoutes.tokens, needs: .read, at: .users) { try await index($0) }
        router.post(AppleTokenRoutes.retries, needs: .changeUsers, at: .users) { context, _, id in
            try await retry(context, id)
        }
    }

    private static let filters: [ListFilter] = [
        .search(Message("console.apple-tokens.search"), placeholder: Message("console.apple-tokens.search.hint")) {
            Subject(rawValue: $0) != nil
        },
        .choice(
            "state", Message("console.apple-tokens.state"), any: Message("console.apple-tokens.any-state"),
            [UpstreamTokenSummary.State.refused, .live].map { ($0.rawValue, $0.words) }),
        .choice(
            "problem", Message("console.apple-tokens.problem"), any: Message("console.apple-tokens.any-problem"),
            UpstreamTokenProblem.allCases.map { ($0.rawValue, $0.words) }),
    ]

    private func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let query = try ListQuery(context.request, at: AppleTokenRoutes.tokens.link(team), Self.filters)
        let page = try await list.page(
            in: team,
            matching: UpstreamTokenFilter(
                state: query["state"].flatMap(UpstreamTokenSummary.State.init),
                problem: query["problem"].flatMap(UpstreamTokenProblem.init),
                subject: query["q"].flatMap(Subject.init(rawValue:))), after: query.after, limit: ListQuery.pageSize)
        let view = ListView(
            title: Message("console.apple-tokens.title"), about: Message("console.apple-tokens.lead"),
            back: LinkView(Message("console.users.title"), ConsoleRoutes.users.link(team)), query: query,
            content: .table(Self.table(page.items, team, mayRetry: context.may(.changeUsers))),
            paging: query.paging(
                page.summary(
                    { Message("console.apple-tokens.found", count: $0) },
                    more: { Message("console.apple-tokens.more", count: $0) }), next: page.next),
            none: .init("check", Message("console.apple-tokens.none"), Message("console.apple-tokens.none.hint")),
            unmatched: .unmatched(
                Message("console.apple-tokens.none-found"), Message("console.apple-tokens.none-found.hint"),
                all: Message("console.apple-tokens.show-all"), query))
        return site.respond(ListPage(context, view))
    }

    private static func table(_ tokens: [UpstreamTokenSummary], _ team: TeamID, mayRetry: Bool) -> ListTable {
        ListTable(
            [
                .init(Message("console.apple-tokens.person")), .init(Message("console.apple-tokens.why")),
                .init(Message("console.apple-tokens.app"), isWide: true),
                .init(Message("console.apple-tokens.since"), isWide: true),
            ],
            tokens.map { token in
                let sub = token.subject.rawValue
                let retry = RowPart.button(
                    Message("console.apple-tokens.retry"), AppleTokenRoutes.retries.link(team, token.id),
                    label: Message("console.apple-tokens.retry.label", ["person": sub]))
                return [
                    token.hasPerson
                        ? [.link(sub, ConsoleRoutes.user.link(team, token.subject), isClipped: true)]
                        : [
                            .code(sub, isClipped: true),
                            .text(Message("console.apple-tokens.deleted")).below(isHint: true),
                        ],
                    [
                        .badge(token.state.badge), token.problem.map { .text($0.words) },
                        token.problem.map { .text($0.advice).below(isHint: true) },
                        mayRetry && token.state == .refused ? retry : nil,
                    ], [.code(token.primaryAppID.rawValue)], [token.problemAt.map { .text($0) }],
                ]
            })
    }

    private func retry(_ context: TeamContext, _ id: UpstreamTokenID) async throws -> Response {
        let isWaiting = try await list.retry(
            id, in: context.teamID, by: context.actor, from: context.origin, noting: deletions)
        guard isWaiting else { throw UserFacingError.notFound }
        return context.redirect(
            to: AppleTokenRoutes.tokens.link(context.teamID),
            saying: .good(Message("console.apple-tokens.flash.retried")))
    }
}

/// Routes of Apple tokens that could not be revoked or validated.
enum AppleTokenRoutes {
    static let tokens = Route("/console/:team/apple-tokens", TeamID.self)
    /// A POST retries the revocation.
    static let retries = Route("/console/:team/apple-tokens/:appletoken/retries", TeamID.self, UpstreamTokenID.self)
}

extension UpstreamTokenSummary {
    /// State of the token on the page of its user.
    var badge: BadgeView {
        switch state {
        case .live where problem == nil: BadgeView(.good, Message("console.apple-tokens.state.standing"))
        case .ending: BadgeView(.plain, Message("console.apple-tokens.state.ending"))
        case .revoked: BadgeView(.plain, Message("console.apple-tokens.state.revoked"))
        default: state.badge
        }
    }
}

extension UpstreamTokenSummary.State {
    /// State in the list of problems: a live token is not validated, any other is not revoked.
    var words: Message {
        self == .live ? Message("console.apple-tokens.state.unchecked") : Message("console.apple-tokens.state.refused")
    }

    var badge: BadgeView { BadgeView(self == .live ? .warn : .bad, words) }
}

extension UpstreamTokenProblem {
    var words: Message { Message(in: "console.apple-tokens.problem", rawValue) }

    /// Advice for resolving the problem.
    var advice: Message { Message(in: "console.apple-tokens.advice", rawValue) }
}
