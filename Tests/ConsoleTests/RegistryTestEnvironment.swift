import Core
import OAuth
import Platform
import Registry
import SignIn
import TestTeams
import Testing

@testable import Console

// What tests of the registry's pages share.
extension TestEnvironment {
    var registry: RegistryStores { RegistryStores(parts) }

    /// Acme's App ID `com.acme.app` with the Service ID `com.acme.web`.
    func addAcmeWeb(requiresPKCE: Bool = false) async throws -> ServiceID {
        let policy = HostPolicy.hostNames
        let app = try AppID.Draft("com.acme.app", ["description": "Acme"], policy: policy)
        let web = try ServiceID.Draft(
            "com.acme.web", of: app.identifier,
            [
                "description": "Acme Web", "domains": ["acme.example"], "returnURLs": ["https://acme.example/back"],
                "requirePKCE": .boolean(requiresPKCE),
            ], policy: policy)
        return try await parts.database.change(in: .acme) { change in
            _ = try await registry.appIDs.create(app, change)
            return try await registry.serviceIDs.create(web, change)
        }
    }

    /// Gives Acme a key that signs its tokens.
    func addSigningKey() async throws {
        try await parts.database.change(in: .acme) { change in
            try await SigningKeyStore.insert(
                TestKeys.signing, activeFrom: now - .seconds(60), keyRing: parts.server.keyRing, change)
        }
        parts.registryChanged(.acme)
    }

    /// The identifiers in a table of Acme's, in order.
    func identifiers(_ column: String, of table: String) throws -> [String] {
        try admin("SELECT \(column) FROM \(table) WHERE team_id = 'ACMETEAM01' ORDER BY 1").compactMap { $0[0] }
    }
}

extension Browser {
    /// Follows to where the last answer led.
    mutating func follow(_ answer: Answer) async throws -> Answer {
        var location = try #require(answer.location)
        if location.hasPrefix(environment.publicURL) { location.removeFirst(environment.publicURL.count) }
        return try await get(location)
    }
}

extension String {
    /// The text after `start` up to `end`, where both first occur.
    func between(_ start: String, _ end: String) -> String? {
        guard let head = firstRange(of: start) else { return nil }
        let rest = self[head.upperBound...]
        return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
    }
}
