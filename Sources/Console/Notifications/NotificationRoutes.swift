import Domain
import HTTP
import Notifications
import Web

/// Routes of the delivery log.
enum NotificationRoutes {
    static let notifications = Route("/console/:team/notices", TeamID.self)
    static let notification = Route("/console/:team/notices/:notice", TeamID.self, NotificationID.self)
    /// A POST creates a replay: it sends the notification again.
    static let replays = Route("/console/:team/notices/:notice/replays", TeamID.self, NotificationID.self)
}
