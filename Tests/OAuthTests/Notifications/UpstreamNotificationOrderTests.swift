import Bytes
import Domain
import Testing

@testable import Federation
@testable import TestTeams

@Suite struct `A notification of a provider about several people` {
    @Test func `locks them in one order, and tells of each in the order of the notification`() {
        let moment = Timestamp(seconds: 1_800_000_000)
        let (ada, ben) = (Subject(hexadecimal: "a1"), Subject(hexadecimal: "b2"))
        func order(_ events: [(String, Subject?)]) -> [String] {
            let notification = UpstreamNotification(
                id: "notice-1", primaryAppID: .app,
                events: events.map { UpstreamNotification.Event($0.0, of: $0.1, at: moment) })
            return notification.eventsByPerson.filter { $0.identifier != nil }.map {
                "\($0.identifier == ada ? "ada" : "ben") \($0.name)"
            }
        }
        let wanted = ["ada email-disabled", "ada consent-revoked", "ben email-enabled"]
        let crossed: [[(String, Subject?)]] = [
            [("email-disabled", ada), ("consent-revoked", ada), ("email-enabled", ben)],
            [("email-enabled", ben), ("email-disabled", ada), ("consent-revoked", ada)],
            [("email-disabled", ada), ("email-enabled", ben), ("consent-revoked", ada), ("unknown", nil)],
        ]
        for events in crossed { #expect(order(events) == wanted) }
    }
}
