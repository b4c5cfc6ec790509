import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// A notice in the list.
struct NoticeRow: Sendable {
    let notice: NoticeSummary
    let team: TeamID

    static let fields = Fields<NoticeRow>()
        .text("url") { NoticeRoutes.notice.link($0.team, $0.notice.id) }
        .text("type") { $0.notice.type.rawValue }
        .flag("isTest") { $0.notice.isTest }
        .text("appID") { $0.notice.appID.rawValue }
        .text("sub") { $0.notice.subject.rawValue }
        .group("state", BadgeView.fields) { $0.notice.state.badge }
        .optionalWords("retry") { $0.notice.retry }
        .integer("attempts") { $0.notice.attempts }
        .group("created", TimeView.fields) { TimeView($0.notice.createdAt) }
}

extension NoticeSummary {
    /// That it failed so far, and when it is sent again.
    var retry: Phrase? {
        guard let delivery, delivery.failures > 0 else { return nil }
        guard let next = delivery.nextAttemptAt else {
            return Phrase("console.notices.retry.now", count: delivery.failures)
        }
        return Phrase("console.notices.retry", ["next": next], count: delivery.failures)
    }
}

/// An attempt on the page of its notice.
struct NoticeAttemptRow: Sendable {
    let attempt: NoticeAttempt

    static let fields = Fields<NoticeAttemptRow>()
        .group("time", TimeView.fields) { TimeView($0.attempt.at) }
        .text("url") { $0.attempt.url }
        .words("result") { $0.attempt.result.words }
        .flag("isGood") { $0.attempt.result.isGood }
        .integer("milliseconds") { $0.attempt.milliseconds }
        .optionalText("excerpt") { $0.attempt.excerpt.isEmpty ? nil : $0.attempt.excerpt }
}

extension NoticeState {
    var words: Phrase {
        switch self {
        case .pending: Phrase("console.notices.state.pending")
        case .delivered: Phrase("console.notices.state.delivered")
        case .dead: Phrase("console.notices.state.dead")
        }
    }

    var badge: BadgeView {
        switch self {
        case .pending: BadgeView(.plain, words)
        case .delivered: BadgeView(.good, words)
        case .dead: BadgeView(.bad, words)
        }
    }
}

extension NoticeAttempt.Result {
    fileprivate var isGood: Bool {
        if case .answered(let status) = self { (200..<300).contains(status) } else { false }
    }

    fileprivate var words: Phrase {
        switch self {
        case .answered(let status): Phrase("console.notices.answered", ["status": String(status)])
        case .failed(.addressMissing): Phrase("console.notices.problem.address-missing")
        case .failed(.addressMalformed): Phrase("console.notices.problem.address-malformed")
        case .failed(.addressRefused): Phrase("console.notices.problem.address-refused")
        case .failed(.nameNotFound): Phrase("console.notices.problem.name-not-found")
        case .failed(.cannotConnect): Phrase("console.notices.problem.cannot-connect")
        case .failed(.untrusted): Phrase("console.notices.problem.untrusted")
        case .failed(.deadlinePassed): Phrase("console.notices.problem.deadline-passed")
        case .failed(.malformedAnswer): Phrase("console.notices.problem.malformed-answer")
        case .failed(.answerTooLong): Phrase("console.notices.problem.answer-too-long")
        case .failed(.other): Phrase("console.notices.problem.other")
        }
    }
}
