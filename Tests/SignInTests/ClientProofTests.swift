import Core
import HTTP
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// A client that does not prove itself, at every address at which apps do.
@Suite(.apple) struct ClientProofTests {
    /// The addresses of Acme, as they are mounted: a new one is among them.
    private func endpoints() -> [String] {
        let others = [TeamRoutes.userinfo.text, TeamRoutes.appleNotifications.text]
        return site.posts.filter { TeamRoutes.isProtocol($0) && !others.contains($0) }.map {
            $0.replacing(":team", with: "ACMETEAM01")
        }
    }

    /// All that is stored, but what the inspector keeps and counts.
    private func everythingStored() throws -> [String?: String?] {
        let tables = try site.admin(
            """
            SELECT tablename,
                query_to_xml(format('SELECT t::text FROM %I AS t ORDER BY 1', tablename), false, false, '')
            FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(trace|daily_counts|service_id_sign_ins)'
            """)
        return Dictionary(tables.map { ($0[0], $0[1]) }) { $1 }
    }

    @Test func `is refused before anything else is looked at, another team's included, and nothing changes`() throws {
        let teams = site.teams
        let tokens = try site.redeem(try site.browser().signInAtApple(.regular)).json
        let refresh = try #require(tokens["refresh_token"]?.string)
        let code = try #require(try site.browser().signInAtApple(.regular).value(of: "code"))
        let bearer = ["Authorization: Bearer \(tokens["access_token"]?.string ?? "")"]
        let good = [
            "code": code, "redirect_uri": TestTeams.callback, "refresh_token": refresh, "token": refresh,
            "sub": teams.people.ada.rawValue, "target": TeamID.rival.rawValue, "scope": "user.migration",
        ]
        let (web, off, rival) = (ClientID.web.rawValue, ClientID.offWeb.rawValue, ClientID.rivalApp.rawValue)
        let proofs: [[String: String]] = [
            ["client_id": web], ["client_id": off], ["client_id": rival], ["client_id": "com.acme.nobody"],
            ["client_id": "\u{1F34F}"], ["client_id": web, "client_secret": "x.y.z"],
            ["client_id": web, "client_secret": refresh], ["client_secret": try teams.secret()],
            ["client_id": web, "client_secret": try teams.secret(of: .otherWeb)],
            ["client_id": web, "client_secret": try teams.secret { $0.claims["exp"] = 1 }],
            ["client_id": web, "client_secret": try teams.secret(key: .rival)],
            ["client_id": off, "client_secret": try teams.secret(of: .offWeb)],
            ["client_id": rival, "client_secret": try teams.secret(of: .rivalApp, in: .rival)],
            ["client_id": web, "client_secret": try teams.secret(of: .web, in: .rival)],
        ]
        let types = ["authorization_code", "refresh_token", "client_credentials", "none"]
        let before = try everythingStored()
        #expect(endpoints().count == 8 && before.count > 50)

        for path in endpoints() {
            for proof in proofs {
                for type in path.hasSuffix("token") ? types : ["none"] {
                    let form = good.merging(proof) { $1 }.merging(["grant_type": type]) { $1 }
                    let refused = try site.post(path, form, bearer)
                    #expect(refused.status == 400, "\(path) \(proof)")
                    #expect(refused.body == #"{"error":"invalid_client"}"#, "\(path) \(proof)")
                }
                // What else is wrong with the request is not looked at.
                let bare = try site.post(path, proof)
                #expect(bare.body == #"{"error":"invalid_client"}"#, "\(path) \(proof)")
            }
        }

        let after = try everythingStored()
        #expect(after.filter { before[$0.key] != $0.value }.isEmpty)
        #expect(try site.post("/t/ACMETEAM01/auth/token", try site.redemption(of: code)).status == 200)
    }
}
