public import Doctor
import Domain
public import HTTP
import Jobs
import Web

/// Routes of the operators' area.
enum OperatorRoutes {
    static let health = Route("/console/operator")
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
