import Bytes
import Testing

@testable import Notifications

/// What version 0.1 has queued is delivered by this one, and by the version before where both run on one database.
@Suite struct StoredNotificationTests {
    @Test func `a queued delivery keeps the names it was stored under`() throws {
        let stored = #"{"notice":"n1","spelling":"account-deleted","copies":2}"#
        let job = try JSON.decode(NotificationJob.self, from: Array(stored.utf8))

        #expect(job.notification == "n1" && job.spelling == "account-deleted" && job.copies == 2)
        let written = try JSON.decode(JSONValue.self, from: JSON.encode(job))
        #expect(try written == JSON.decode(JSONValue.self, from: Array(stored.utf8)))
    }
}
