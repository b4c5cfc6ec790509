import Bytes
import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

@Suite struct `A notice of a provider about several people` {
    @Test func `locks them in one order, and tells of each in the order of the notice`() {
        let moment = Timestamp(seconds: 1_800_000_000)
        let (ada, ben) = (Subject(hexadecimal: "a1"), Subject(hexadecimal: "b2"))
        func order(_ events: [(String, Subject?)]) -> [String] {
            let notice = ProviderNotice(
                id: "notice-1",
                group: .app,
                events: events.map { ProviderNotice.Event($0.0, of: $0.1, at: moment) }
            )
            return notice.eventsByPerson.filter { $0.identifier != nil }.map {
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
