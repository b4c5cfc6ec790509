public import Accounts
import Core
public import HTTP
import Platform
import SignIn
import Templates

/// Title, assets and navigation that every page in the operators' area has.
struct OperatorFrame: PageFrame {
    private let plain: PlainFrame
    let section: OperatorSection

    init(_ context: AccountContext, _ title: any LocalizedTextConvertible, at section: OperatorSection) {
        plain = context.frame(Message("console.operator.frame.title", ["page": title]))
        self.section = section
    }

    var title: LocalizedText { plain.title }
    var assets: AssetLinks { plain.assets }

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.group("chrome", PlainChrome.fields) { $0.frame.plain.chrome }
        fields.group("at", OperatorSection.fields) { $0.frame.section }
    }
}

/// Routes of the operators' area.
enum OperatorRoutes {
    static let health = Route("/console/operator")
    static let testMail = Route("/console/operator/test-mail")
    static let teams = Route("/console/operator/teams")
    static let ownership = Route("/console/operator/teams/:team/ownership", TeamID.self)
    static let jobs = Route("/console/operator/jobs")
    static let job = Route("/console/operator/jobs/:team/:job", TeamID.self, JobID.self)
    static let retry = Route("/console/operator/jobs/:team/:job/attempt", TeamID.self, JobID.self)
    static let cancellation = Route("/console/operator/jobs/:team/:job/cancellation", TeamID.self, JobID.self)
    static let drift = Route("/console/operator/apple")
    static let driftApproval = Route("/console/operator/apple/:document/approval", WatchedDocument.Name.self)
    static let mailbox = Route("/console/operator/mailbox")
    static let mail = Route("/console/operator/mailbox/:mail", JobID.self)
}

extension WatchedDocument.Name: PathValue {}
