import Bytes
import Domain
import Federation
import HTTP
import Localization
import Templates
import Web

/// A token in the list of those that could not be revoked or validated.
struct AppleTokenRow: Sendable {
    let token: UpstreamTokenSummary
    let team: TeamID
    let mayRetry: Bool

    static let fields = Fields<AppleTokenRow> {
        $0.text("sub") { $0.token.subject.rawValue }
        $0.optionalText("url") { row in row.token.hasPerson ? ConsoleRoutes.user.link(row.team, row.token.subject) : nil
        }
        $0.text("appID") { $0.token.primaryAppID.rawValue }
        $0.group("state", BadgeView.fields) { $0.token.state.badge }
        $0.optionalWords("problem") { $0.token.problem?.words }
        $0.optionalWords("advice") { $0.token.problem?.advice }
        $0.optionalGroup("since", TimeView.fields) { $0.token.problemAt.map { TimeView($0) } }
        $0.optionalText("retryURL") { row in
            row.mayRetry && row.token.state == .refused ? AppleTokenRoutes.retrials.link(row.team, row.token.id) : nil
        }
    }
}

/// A token on the page of its user.
struct UserAppleTokenRow: Sendable {
    let token: UpstreamTokenSummary

    static let fields = Fields<UserAppleTokenRow> {
        $0.text("client") { $0.token.clientID.rawValue }
        $0.group("state", BadgeView.fields) { $0.token.badge }
        $0.optionalWords("problem") { $0.token.problem?.words }
        $0.group("issued", TimeView.fields) { TimeView($0.token.createdAt) }
        $0.optionalGroup("validated", TimeView.fields) { $0.token.validatedAt.map { TimeView($0) } }
        $0.optionalGroup("settled", TimeView.fields) { $0.token.settledAt.map { TimeView($0) } }
    }
}

extension UpstreamTokenSummary {
    fileprivate var badge: BadgeView {
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
    var words: Message {
        switch self {
        case .unconnected: Message("console.apple-tokens.problem.unconnected")
        case .client: Message("console.apple-tokens.problem.client")
        case .token: Message("console.apple-tokens.problem.token")
        case .unreachable: Message("console.apple-tokens.problem.unreachable")
        case .sealed: Message("console.apple-tokens.problem.sealed")
        case .abandoned: Message("console.apple-tokens.problem.abandoned")
        }
    }

    /// Advice for resolving the problem.
    var advice: Message {
        switch self {
        case .unconnected: Message("console.apple-tokens.advice.unconnected")
        case .client: Message("console.apple-tokens.advice.client")
        case .token: Message("console.apple-tokens.advice.token")
        case .unreachable: Message("console.apple-tokens.advice.unreachable")
        case .sealed: Message("console.apple-tokens.advice.sealed")
        case .abandoned: Message("console.apple-tokens.advice.abandoned")
        }
    }
}
