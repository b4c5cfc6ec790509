import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// A token in the list of those that Apple does not take back.
struct AppleTokenRow: Sendable {
    let token: ProviderTokenSummary
    let team: TeamID
    let mayRetry: Bool

    static let fields = Fields<AppleTokenRow>()
        .text("sub") { $0.token.subject.rawValue }
        .optionalText("url") { row in
            row.token.hasPerson ? ConsoleRoutes.user.link(row.team, row.token.subject) : nil
        }
        .text("appID") { $0.token.group.rawValue }
        .group("state", BadgeView.fields) { $0.token.state.badge }
        .optionalWords("problem") { $0.token.problem?.words }
        .optionalWords("advice") { $0.token.problem?.advice }
        .optionalGroup("since", TimeView.fields) { $0.token.problemAt.map { TimeView($0) } }
        .optionalText("retryURL") { row in
            row.mayRetry && row.token.state == .refused
                ? AppleTokenRoutes.retrials.link(row.team, row.token.id) : nil
        }
}

/// A token on the page of its person.
struct UserAppleTokenRow: Sendable {
    let token: ProviderTokenSummary

    static let fields = Fields<UserAppleTokenRow>()
        .text("client") { $0.token.clientID.rawValue }
        .group("state", BadgeView.fields) { $0.token.badge }
        .optionalWords("problem") { $0.token.problem?.words }
        .group("issued", TimeView.fields) { TimeView($0.token.createdAt) }
        .optionalGroup("validated", TimeView.fields) { $0.token.validatedAt.map { TimeView($0) } }
        .optionalGroup("settled", TimeView.fields) { $0.token.settledAt.map { TimeView($0) } }
}

extension ProviderTokenSummary {
    fileprivate var badge: BadgeView {
        switch state {
        case .live where problem == nil: BadgeView(.good, Phrase("console.apple-tokens.state.standing"))
        case .ending: BadgeView(.plain, Phrase("console.apple-tokens.state.ending"))
        case .revoked: BadgeView(.plain, Phrase("console.apple-tokens.state.revoked"))
        default: state.badge
        }
    }
}

extension ProviderTokenSummary.State {
    /// In a list of troubles: what is not done.
    var words: Phrase {
        self == .live
            ? Phrase("console.apple-tokens.state.unchecked") : Phrase("console.apple-tokens.state.refused")
    }

    var badge: BadgeView { BadgeView(self == .live ? .warn : .bad, words) }
}

extension ProviderTokenProblem {
    var words: Phrase {
        switch self {
        case .unconnected: Phrase("console.apple-tokens.problem.unconnected")
        case .client: Phrase("console.apple-tokens.problem.client")
        case .token: Phrase("console.apple-tokens.problem.token")
        case .unreachable: Phrase("console.apple-tokens.problem.unreachable")
        case .sealed: Phrase("console.apple-tokens.problem.sealed")
        case .abandoned: Phrase("console.apple-tokens.problem.abandoned")
        }
    }

    /// What helps.
    var advice: Phrase {
        switch self {
        case .unconnected: Phrase("console.apple-tokens.advice.unconnected")
        case .client: Phrase("console.apple-tokens.advice.client")
        case .token: Phrase("console.apple-tokens.advice.token")
        case .unreachable: Phrase("console.apple-tokens.advice.unreachable")
        case .sealed: Phrase("console.apple-tokens.advice.sealed")
        case .abandoned: Phrase("console.apple-tokens.advice.abandoned")
        }
    }
}
