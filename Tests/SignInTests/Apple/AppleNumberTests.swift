import Core
import Crypto
import OAuth
import Platform
import TestNumbers
import Testing

@testable import Federation
@testable import HTTP

/// Security case V39: every number that Apple writes, in tokens and notices.
@Suite struct `Numbers from Apple` {
    private static let now = Timestamp(seconds: 1_795_174_140)
    private static let skew: Int64 = 300

    /// Claims as a token holds them, one of them written exactly so; nil where that is no JSON.
    private static func claims(_ claim: String, _ text: String) -> Claims? {
        let rest = [
            "iat": "\(now.seconds)", "exp": "\(now.seconds + 600)", "sub": "\"001234.abc.5678\"",
            "email": "\"a@b.example\"",
        ]
        let members = rest.filter { $0.key != claim }.map { "\"\($0.key)\":\($0.value)" } + ["\"\(claim)\":\(text)"]
        return (try? JSON.object(Array("{\(members.joined(separator: ","))}".utf8))).map { Claims($0) }
    }

    @Test(arguments: ["iat", "exp"])
    func `S3, V39: a time of Apple's token lies within the calendar, or the token is refused`(claim: String) {
        for number in BoundaryNumber.json {
            let seconds = number.floor.flatMap { NumericDate(seconds: $0)?.seconds }.map { Int64($0) }
            let now = Int64(Self.now.seconds)
            let isGood = seconds.map { claim == "iat" ? $0 <= now + Self.skew : $0 > now - Self.skew } ?? false
            var isTaken = false
            if let claims = Self.claims(claim, number.text) {
                isTaken = (try? AppleClaims(claims).checkTimes(at: Self.now)) != nil
            }
            #expect(isTaken == isGood, "\(claim) = \(number)")
        }
    }

    @Test func `V39: auth_time is believed as far back as it says, never later than the token, or is refused`() {
        for number in BoundaryNumber.json {
            let seconds = number.floor.flatMap { NumericDate(seconds: $0)?.seconds }
            guard let claims = Self.claims("auth_time", number.text) else { continue }
            let identity = try? AppleClaims(claims).identity()
            #expect(identity?.authenticatedAt.seconds == seconds.map { min($0, Self.now.seconds) }, "\(number)")
        }
    }

    @Test(arguments: ["real_user_status", "email_verified", "is_private_email", "transfer_sub", "email", "nonce"])
    func `V39: what may be absent from Apple's token counts as absent where a number does not fit`(claim: String) throws
    {
        for number in BoundaryNumber.json {
            guard let claims = Self.claims(claim, number.text) else { continue }
            let identity = try AppleClaims(claims).identity()
            let status =
                claim == "real_user_status" ? number.integer.flatMap { (0...2).contains($0) ? Int($0) : nil } : nil
            #expect(identity.realUserStatus == status, "\(claim) = \(number)")
            let isVerified = claim == "email_verified" && number.text == "true"
            #expect(identity.email?.isVerified ?? false == isVerified, "\(claim) = \(number)")
        }
    }

    @Test(arguments: ["sub", "iss", "aud"]) func `V39: a number where Apple's token has a name is refused`(
        claim: String
    ) {
        let expectation = AppleIdentityToken.Expectation(issuer: "1", audiences: [])
        for number in BoundaryNumber.json where !number.text.hasPrefix("\"") {
            guard let claims = Self.claims(claim, number.text).map(AppleClaims.init) else { continue }
            #expect(throws: UpstreamFailure.self, "\(claim) = \(number)") {
                _ =
                    claim == "sub"
                    ? try claims.identity().identifier.rawValue : try claims.audience(of: expectation).rawValue
            }
        }
    }

    /// Seconds, or milliseconds as Apple's servers have them.
    private static func moment(_ number: Int64?) -> Int? {
        number.flatMap { $0 < 100_000_000_000 ? NumericDate(seconds: $0) : NumericDate(milliseconds: $0) }?.seconds
    }

    @Test(arguments: ["iat", "exp"])
    func `V39: a time of a notification lies within the calendar, or the notification is refused`(claim: String) {
        for number in BoundaryNumber.json {
            let seconds = Self.moment(number.floor)
            let isGood =
                seconds.map { claim == "iat" ? $0 <= Self.now.seconds + 300 : $0 > Self.now.seconds - 300 } ?? false
            var isTaken = false
            if let claims = Self.claims(claim, number.text) {
                isTaken = (try? AppleNotificationClaims(claims).checkTimes(at: Self.now)) != nil
            }
            #expect(isTaken == isGood, "\(claim) = \(number)")
        }
    }

    @Test func `V39: an event whose time is none happened when the notification came`() throws {
        for number in BoundaryNumber.json {
            let event = "{\"type\":\"consent-revoked\",\"sub\":\"x\",\"event_time\":\(number.text)}"
            guard let claims = Self.claims("events", event) else { continue }
            let events = try AppleNotificationClaims(claims).events(orAt: Self.now)
            // Documents of Apple's have it in quotes.
            let integer = number.text == "\"1\"" ? 1 : number.floor
            #expect(events.map(\.at.seconds) == [Self.moment(integer) ?? Self.now.seconds], "\(number)")
        }
    }

    @Test func `V39: a notification whose events are a number holds none that can be read`() {
        for number in BoundaryNumber.json where !"[{".contains(number.text.prefix(1)) || number.text.isEmpty {
            guard let claims = Self.claims("events", number.text) else { continue }
            let events = try? AppleNotificationClaims(claims).events(orAt: Self.now)
            #expect(events == nil || events?.isEmpty == true, "\(number)")
        }
    }

    @Test func `V39: a pause that Apple asks for is between a second and a day, or there is none`() {
        for number in BoundaryNumber.json {
            let fields = [(name: "Retry-After", value: number.text)]
            let answer = ClientResponse(status: 429, fields: fields, body: [])
            let pause = AppleCalls.failure(of: answer).retryAfter
            if let whole = number.integer { #expect(pause == .seconds(min(max(whole, 1), 86_400)), "\(number)") }
            #expect(pause.map { $0 >= .seconds(1) && $0 <= .seconds(86_400) } ?? true, "\(number)")
        }
    }

    @Test func `V39: an answer of Apple's with any status and a number for a body is a failure with a word`() {
        for status in [Int.min, -1, 0, 1, 99, 100, 399, 400, 499, 500, 999, 1000, .max] {
            for number in BoundaryNumber.json {
                for body in [number.text, "{\"error\":\(number.text)}"] {
                    let answer = ClientResponse(status: status, fields: [], body: Array(body.utf8))
                    #expect(!AppleCalls.failure(of: answer).reason.isEmpty, "\(status) \(number)")
                }
            }
        }
    }
}
