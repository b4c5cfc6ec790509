import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Pippin signs tokens, too, and none of them is Apple's, whoever it is about.
@Suite(.apple) struct `A token of Pippin's own` {
    /// Who signs, and as whom.
    enum Forgery: String, CaseIterable, Sendable {
        /// As another team really does.
        case rivalsIssuer
        /// As the team itself does.
        case ownIssuer
        /// Another team's key under Apple's name.
        case rivalsKey
        /// The same, under the name of Apple's key as well.
        case rivalsKeyAsApples

        var issuer: TeamID {
            switch self {
            case .rivalsIssuer: .rival
            case .ownIssuer: .acme
            case .rivalsKey, .rivalsKeyAsApples: .appleSide
            }
        }
    }

    /// The attacker has a sign-in of their own under way, and puts the victim's name and address into its token.
    private static func forge(_ token: String, as forgery: Forgery) throws -> String {
        let genuine = try UnverifiedJWT(token)
        var claims = genuine.unverifiedClaims.members
        claims["iss"] = .string(site.teams.server.base(of: forgery.issuer))
        claims["sub"] = .string(Performer.regular.subject.rawValue)
        claims["email"] = "rita@icloud.example"
        claims["email_verified"] = true
        let isApples = forgery == .rivalsKeyAsApples || forgery.issuer != .appleSide
        let keyID = isApples ? try #require(genuine.header.keyID) : "RIVALKEY01"
        // In tests all teams sign with one key, so that the issuer alone tells them apart; `extra` stands for a key of Rival's.
        let key = forgery.issuer == .appleSide ? TestKeys.extra : TestKeys.signing
        return try JWTSigner(key: key, keyID: keyID).sign(JSON.encode(JSONValue.object(claims)))
    }

    /// Everything that is stored of Acme's people.
    private static func people() throws -> [[String?]] {
        let tables = [
            "users", "upstream_identities", "upstream_tokens", "consents", "refresh_tokens", "sessions", "login_names",
        ]
        let rows = tables.map { "SELECT '\($0)', t::text FROM \($0) t WHERE team_id = 'ACMETEAM01'" }
        return try site.admin(rows.joined(separator: " UNION ALL ") + " ORDER BY 1, 2")
    }

    @Test func `V10: is nobody's proof, neither in Apple's callback nor at the native address`() throws {
        _ = try site.tokens()
        let before = try Self.people()
        for forgery in Forgery.allCases {
            // The one key of which Apple may still be asked.
            let status = forgery == .rivalsKey ? 503 : 400
            let browser = site.browser()
            let exit = try browser.choose(.hidden, on: try browser.goToApple())
            let forged = try Self.forge(try #require(exit.value(of: "id_token")), as: forgery)
            let page = try browser.get(try browser.postBack(exit, changing: ["id_token": forged]))
            #expect(page.status == status && page.value(of: "code") == nil, "\(forgery)")

            var given = try site.device(.hidden)
            given["identity_token"] = try Self.forge(try #require(given["identity_token"]), as: forgery)
            for user in [nil, Performer.regular.subject.rawValue] {
                given["user"] = user
                let answer = try site.handOver(given)
                #expect(answer.status == status && answer.json["access_token"] == nil, "\(forgery)")
            }
        }
        #expect(try Self.people() == before)
    }
}
