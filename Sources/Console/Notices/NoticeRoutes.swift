import AuthEngine
import Domain
import HTTP
import Web

/// The addresses of the delivery log.
enum NoticeRoutes {
    static let notices = Route("/console/:team/notices", TeamID.self)
    static let notice = Route("/console/:team/notices/:notice", TeamID.self, NoticeID.self)
    /// Sending one again is making a replay.
    static let replays = Route("/console/:team/notices/:notice/replays", TeamID.self, NoticeID.self)
}
