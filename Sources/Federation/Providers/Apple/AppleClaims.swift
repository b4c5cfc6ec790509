import Core
import Crypto
import OAuth
import Platform

/// Claims of a token that Apple has signed, and the checks they must pass.
///
/// A claim that is absent, null or of another type fails its check; none is skipped.
struct AppleClaims: Sendable {
    /// Maximum difference between two clocks.
    private static let skew = Duration.seconds(300)

    let claims: Claims

    init(_ claims: Claims) { self.claims = claims }

    /// Checks issuer and audience; the issuer is pinned together with the keys that verified the signature.
    func audience(of expectation: AppleIdentityToken.Expectation) throws(UpstreamFailure) -> ClientID {
        let issuer = try read { claims throws(Claims.Failure) in try claims.string("iss") }
        guard issuer.utf8.elementsEqual(expectation.issuer.utf8) else {
            throw UpstreamFailure(.upstreamIssuer, .none, because: "the token's issuer is not \(expectation.issuer)")
        }
        let names = try read { claims throws(Claims.Failure) in try claims.audience() }
        guard names.count == 1, let audience = ClientID(rawValue: names[0]), expectation.audiences.contains(audience)
        else {
            if let advice = names.lazy.compactMap(WrapperApp.advice).first {
                throw UpstreamFailure(.wrapperApp, .none, because: advice)
            }
            throw UpstreamFailure(
                .upstreamAudience, .none,
                because:
                    "the token was issued to \(names.joined(separator: ", ").cut(toOctets: 100)), which is no client of this App ID"
            )
        }
        return audience
    }

    func checkTimes(at moment: Timestamp) throws(UpstreamFailure) {
        let (expiry, issue) = (try time("exp"), try time("iat"))
        guard expiry > moment - Self.skew else {
            throw UpstreamFailure(
                .upstreamExpired, .anew, because: "the token expired \(moment.seconds - expiry.seconds) seconds ago")
        }
        guard issue <= moment + Self.skew else {
            throw UpstreamFailure(
                .upstreamExpired, .again,
                because: "the token was issued \(issue.seconds - moment.seconds) seconds from now: a clock is wrong")
        }
    }

    /// Reads a time that fits into a calendar, because a signer can write any number.
    private func time(_ name: String) throws(UpstreamFailure) -> Timestamp {
        try read { claims throws(Claims.Failure) in try claims.date(name) }.timestamp
    }

    func checkNonce(of expectation: AppleIdentityToken.Expectation) throws(UpstreamFailure) {
        guard let expected = expectation.nonce else { return }
        if expectation.mayLackNonce, claims.members["nonce"] == nil { return }
        guard let nonce = claims.members["nonce"]?.string, expected.matches(nonce) else {
            throw UpstreamFailure(.upstreamNonce, .anew, because: "the token's nonce is not that of this sign-in")
        }
    }

    /// Checks the hash of the bound code or access token, which Apple does not always include.
    ///
    /// - Returns: whether the claim exists.
    func checkHash(of boundTo: AppleIdentityToken.BoundValue?) throws(UpstreamFailure) -> Bool {
        let (name, text) =
            switch boundTo {
            case .code(let code): ("c_hash", code)
            case .accessToken(let token): ("at_hash", token)
            case nil: ("", "")
            }
        guard boundTo != nil, let hash = claims.members[name] else { return false }
        guard let hash = hash.string, ConstantTime.equal(hash, TokenHash.of(text)) else {
            throw UpstreamFailure(.upstreamToken, .anew, because: "\(name) is not that of what came with the token")
        }
        return true
    }

    func identity() throws(UpstreamFailure) -> UpstreamIdentity {
        let name = try read { claims throws(Claims.Failure) in try claims.string("sub") }
        guard let subject = Subject(rawValue: name) else {
            throw UpstreamFailure(.upstreamToken, .anew, because: "the token's sub is no name for a person")
        }
        let issue = try time("iat")
        let proof = claims.members["auth_time"] == nil ? issue : try time("auth_time")
        return UpstreamIdentity(
            identifier: subject, email: email,
            transferSubject: claims.members["transfer_sub"]?.string.flatMap {
                $0.isEmpty || $0.utf8.count > 255 ? nil : $0
            },
            realUserStatus: claims.members["real_user_status"]?.integer.flatMap {
                (0...2).contains($0) ? Int($0) : nil
            }, authenticatedAt: min(proof, issue), nonce: claims.members["nonce"]?.string)
    }

    /// Email address as Apple signed it; managed and children's accounts may have none, and both booleans may be
    /// strings.
    private var email: SharedIdentity.Email? {
        guard let address = claims.members["email"]?.string.flatMap(EmailAddress.init(signed:)) else { return nil }
        return SharedIdentity.Email(
            address: address, isVerified: (try? claims.boolean("email_verified")) ?? false,
            isPrivate: (try? claims.boolean("is_private_email")) ?? false)
    }

    private func read<Value>(_ body: (Claims) throws(Claims.Failure) -> Value) throws(UpstreamFailure) -> Value {
        do throws(Claims.Failure) { return try body(claims) } catch {
            throw UpstreamFailure(
                .upstreamToken, .anew, because: "a claim is missing or not what it should be: \(describing: error)")
        }
    }
}

/// Claims of an Apple notification, whose format differs between Apple's documents and servers.
struct AppleNotificationClaims: Sendable {
    /// Maximum difference between two clocks.
    private static let skew = Duration.seconds(300)
    /// Lifetime of a notification without `exp`, as in Apple's documents.
    private static let life = Duration.seconds(86_400)
    /// Maximum number of events, more than one notification ever holds.
    private static let mostEvents = 32

    private let claims: Claims

    init(_ claims: Claims) { self.claims = claims }

    var id: String? { claims.members["jti"]?.string.flatMap { $0.isEmpty || $0.utf8.count > 255 ? nil : $0 } }

    var audience: ClientID? {
        guard let names = try? claims.audience(), names.count == 1 else { return nil }
        return ClientID(rawValue: names[0])
    }

    func checkIssuer(_ expected: String) throws(UpstreamFailure) {
        guard claims.members["iss"]?.string?.utf8.elementsEqual(expected.utf8) == true else {
            throw UpstreamFailure(.upstreamIssuer, .none, because: "the notification's issuer is not \(expected)")
        }
    }

    /// Checks the times as of the notification's arrival, so that waiting to be verified does not make it too old.
    func checkTimes(at moment: Timestamp) throws(UpstreamFailure) {
        guard let issued = claims.members["iat"]?.floor.flatMap({ NumericDate(claimed: $0) }) else {
            throw AppleProvider.garbage("the notification does not say when it was issued")
        }
        let expiry: Timestamp
        if let value = claims.members["exp"] {
            guard let expires = value.floor.flatMap({ NumericDate(claimed: $0) }) else {
                throw AppleProvider.garbage("the notification's exp is no time")
            }
            expiry = expires.timestamp
        } else {
            expiry = issued.timestamp + Self.life
        }
        guard issued.timestamp <= moment + Self.skew, expiry > moment - Self.skew else {
            throw UpstreamFailure(.upstreamExpired, .none, because: "the notification is too old, or from the future")
        }
    }

    /// Reads the events: a JSON string in the tokens that Apple sends, an object in its documents, an array in older
    /// ones.
    ///
    /// - Parameter moment: time of an event that has none itself.
    func events(orAt moment: Timestamp) throws(UpstreamFailure) -> [UpstreamNotification.Event] {
        guard let value = claims.members["events"], let list = Self.list(value) else {
            throw AppleProvider.garbage("the notification has no events that can be read")
        }
        return list.prefix(Self.mostEvents).map { Self.event($0, orAt: moment) }
    }

    private static func list(_ value: JSONValue, depth: Int = 0) -> [JSONValue]? {
        switch value {
        case .object: return [value]
        case .array(let values):
            guard depth < 2 else { return nil }
            return values.flatMap { list($0, depth: depth + 1) ?? [] }
        case .string(let text):
            guard depth < 2,
                let inner = try? JSON.decode(JSONValue.self, from: Array(text.utf8), maxDepth: 6, maxValues: 1000)
            else { return nil }
            return list(inner, depth: depth + 1)
        default: return nil
        }
    }

    private static func event(_ value: JSONValue, orAt moment: Timestamp) -> UpstreamNotification.Event {
        let time = value["event_time"]
        let number = time?.floor ?? time?.string.flatMap { Int64($0) }
        return UpstreamNotification.Event(
            value["type"]?.string ?? "", of: value["sub"]?.string.flatMap(Subject.init(rawValue:)),
            at: number.flatMap { NumericDate(claimed: $0)?.timestamp } ?? moment)
    }
}

extension NumericDate {
    /// Reads milliseconds, as Apple sends, or seconds, as in its documents; nil if out of range.
    fileprivate init?(claimed number: Int64) {
        if number < 100_000_000_000 { self.init(seconds: number) } else { self.init(milliseconds: number) }
    }
}
