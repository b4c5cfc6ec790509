import Bytes
import Domain

extension TeamID {
    static let acme = TestEnvironment.acme
    static let rival = TestEnvironment.rival
}

extension ClientID {
    static let app = TestEnvironment.app
    static let otherApp = TestEnvironment.otherApp
}

extension Timestamp { static let noon = TestEnvironment.noon }

extension Origin {
    static let test = TestEnvironment.origin

    /// The same browser, elsewhere.
    static func test(at ip: String) -> Origin { Origin(ip: ip, userAgent: "Test/1.0", requestID: "request-1") }
}
