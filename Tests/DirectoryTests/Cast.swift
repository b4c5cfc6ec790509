import Core
import Platform

extension ClientID {
    static let app = named("com.acme.app")
    static let otherApp = named("com.acme.other")

    private static func named(_ id: String) -> ClientID {
        guard let client = ClientID(rawValue: id) else { preconditionFailure(id) }
        return client
    }
}

extension Timestamp { static let noon = Timestamp(seconds: 1_800_000_000) }

extension Origin {
    static let test = test(at: "203.0.113.7")

    /// The browser of a test, from there.
    static func test(at ip: String) -> Origin { Origin(ip: ip, userAgent: "Test/1.0", requestID: "request-1") }
}
