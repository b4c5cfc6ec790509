import AuthEngine
import Domain
import HTTP
import Templates
import Web

/// One notice with every attempt to deliver it.
struct NoticeDetailPage: ConsolePage {
    static let template = "console/notices/show"
    static let fields =
        frameFields
        .text("listURL") { NoticeRoutes.notices.link($0.team) }
        .text("type") { $0.notice.type.rawValue }
        .flag("isTest") { $0.notice.isTest }
        .group("state", BadgeView.fields) { $0.notice.state.badge }
        .optionalWords("retry") { $0.notice.retry }
        .group("id", CopyView.fields) { CopyView("jti", $0.notice.id.rawValue) }
        .group("sub", CopyView.fields) { CopyView("sub", $0.notice.subject.rawValue) }
        .group("appID", appIDFields) { $0 }
        .group("created", TimeView.fields) { TimeView($0.notice.createdAt) }
        .optionalGroup("settled", TimeView.fields) { $0.notice.settledAt.map(TimeView.init) }
        .list("attempts", NoticeAttemptRow.fields) { $0.attempts.map { NoticeAttemptRow(attempt: $0) } }
        .optionalText("replayURL") { $0.replayURL }

    private static let appIDFields = Fields<NoticeDetailPage>()
        .text("url") { ConsoleRoutes.appID.link($0.team, $0.notice.appID) }
        .text("identifier") { $0.notice.appID.rawValue }

    let frame: ConsoleFrame
    let team: TeamID
    let notice: NoticeSummary
    let attempts: [NoticeAttempt]
    /// Absent while it waits, or for those who may not.
    let replayURL: String?
}
