import Core
import Crypto
import HTTP
public import OAuth
import Platform

// Apple's discovery document and key set, for comparison only: neither changes what is trusted.
extension AppleProvider {
    private static let documentLimit = 65_536

    /// Members that would matter if the document were followed.
    private static let watched = [
        "issuer", "authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri",
        "id_token_signing_alg_values_supported",
    ]

    /// Pinned values, in the form of Apple's document.
    public var pinnedDiscovery: [String: String] {
        [
            "issuer": service.issuer, "authorization_endpoint": service.authorizationURL,
            "token_endpoint": service.tokenURL, "revocation_endpoint": service.revocationURL,
            "jwks_uri": service.keysURL, "id_token_signing_alg_values_supported": "RS256",
        ]
    }

    /// Fetches both documents.
    ///
    /// - Throws: `UpstreamFailure` if one cannot be fetched or read.
    public func publication() async throws(UpstreamFailure) -> ApplePublication {
        let (discovery, _) = try await document(service.discoveryURL)
        let (set, date) = try await document(service.keysURL)
        return ApplePublication(
            discovery: Dictionary(Self.watched.map { ($0, Self.text(of: discovery[$0])) }, uniquingKeysWith: { $1 }),
            keys: Self.keys(in: set), clock: date.flatMap(HTTPDate.init)?.moment)
    }

    private func document(_ url: String) async throws(UpstreamFailure) -> (JSONValue, date: String?) {
        let request = ClientRequest(
            "GET", url, fields: [("Accept", "application/json")], bodyLimit: Self.documentLimit,
            addresses: service.addresses)
        let response: ClientResponse
        do throws(ClientFailure) { response = try await calls.client.send(request) } catch {
            throw UpstreamFailure(error, .again)
        }
        guard response.status == 200, let value = AppleCalls.object(response.body) else {
            let reason = "\(url) answered with status \(response.status), or with what is no JSON object"
            throw UpstreamFailure(.providerTrouble, .again, because: reason)
        }
        return (value, response["Date"])
    }

    private static func text(of value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .array(let values)?: values.map { $0.string ?? "?" }.joined(separator: " ")
        case nil: ""
        default: "?"
        }
    }

    /// Type, algorithm and fingerprint of each public key, by its `kid`.
    private static func keys(in set: JSONValue) -> [String: String] {
        guard case .array(let keys)? = set["keys"] else { return [:] }
        var table: [String: String] = [:]
        for key in keys.prefix(JWKSet.maximumKeys) {
            guard let id = key["kid"]?.string else { continue }
            let material = (key["n"]?.string ?? key["x"]?.string ?? "") + (key["e"]?.string ?? "")
            let digest = Hex.encode(Array(SHA256.hash(material).prefix(8)))
            table[id] = "\(key["kty"]?.string ?? "?") \(key["alg"]?.string ?? "?") \(digest)"
        }
        return table
    }
}

extension AppleProvider {
    /// Result of requesting Apple's sign-in sheet.
    public enum Sheet: Hashable, Sendable {
        case opens
        /// Apple shows an error, as for a return URL that is not registered.
        case refuses(status: Int)
        case unknown(reason: String)
    }

    /// Requests Apple's sign-in sheet as a browser would, without a user.
    ///
    /// Apple's error pages are not machine-readable: a sheet that opens is a good sign, and proves nothing of later
    /// steps.
    public func sheet(of registration: AppleRegistration, returnURL: String) async -> Sheet {
        let fields = [
            FormCoding.Field("client_id", registration.servicesID.rawValue),
            FormCoding.Field("redirect_uri", returnURL), FormCoding.Field("response_type", "code"),
            FormCoding.Field("response_mode", "form_post"), FormCoding.Field("state", "pippin-doctor"),
        ]
        let request = ClientRequest(
            "GET", "\(service.authorizationURL)?\(FormCoding.encode(fields))", fields: [("Accept", "text/html")],
            addresses: service.addresses, owner: registration.team.rawValue)
        let response: ClientResponse
        do throws(ClientFailure) { response = try await calls.client.send(request) } catch {
            return .unknown(reason: "\(error)")
        }
        let body = String(decoding: response.body, as: UTF8.self)
        switch response.status {
        case 500...: return .unknown(reason: "status \(response.status)")
        case 400..<500: return .refuses(status: response.status)
        default:
            let errors = ["invalid_request", "invalid_client", "unauthorized_client"]
            return errors.contains(where: body.contains) ? .refuses(status: response.status) : .opens
        }
    }
}
