import Platform
import SignIn
import Testing

@testable import Console
@testable import HTTP

/// Holds what pages say of roles against what the routes let them do.
@Suite(.environment) struct `What pages say of a role` {
    /// Words about a role, and what they say that it may do, or may not.
    private struct Claim: Sendable {
        let role: Role
        let words: String
        let isDenied: Bool
        /// Ends of paths below a team, or parts of them, that a form is sent to.
        let paths: [String]

        init(_ role: Role, _ words: String, may paths: [String]) {
            (self.role, self.words, self.paths, isDenied) = (role, words, paths, false)
        }

        init(_ role: Role, _ words: String, mayNot paths: [String]) {
            (self.role, self.words, self.paths, isDenied) = (role, words, paths, true)
        }
    }

    private static let keys = ["/keys", "/apple-keys", "/signing-keys"]
    private static let claims = [
        Claim(.owner, "Everything", may: ["/"]), Claim(.owner, "transferring it", may: ["/members/:sub/transfer"]),
        Claim(.admin, "Apps", may: ["/app-ids", "/service-ids"]), Claim(.admin, "keys", may: keys),
        Claim(.admin, "users", may: ["/users", "/user-invitations"]),
        Claim(.admin, "settings", may: ["/settings/:part", "/settings/logo"]),
        Claim(.admin, "members", may: ["/members/:sub/role", "/invitations"]),
        Claim(.developer, "App IDs, Service IDs", may: ["/app-ids", "/service-ids/:service", "/checks/service-ids"]),
        Claim(.developer, "No keys", mayNot: keys),
        Claim(.developer, "no users", mayNot: ["/users", "/user-invitations", "/apple-tokens"]),
        Claim(.developer, "no members", mayNot: ["/members", "/invitations"]),
        Claim(.developer, "no deletions", mayNot: ["/deletion", "/removal", "/revocation", "/withdrawal"]),
        Claim(.auditor, "exports the audit log", may: ["/audit/export"]),
        Claim(.auditor, "Changes nothing", mayNot: ["/"]),
    ]
    /// What everybody may do with their own membership, and what reads alone.
    private static let changesNothing = ["/departure", "/audit/export", "/audit/verification"]

    @Test func `is what it may do`() throws {
        let forms = environment.mounted.filter { $0.method == .post && $0.pattern.hasPrefix("/console/:team/") }
        for claim in Self.claims {
            let words = environment.parts.site.text(try #require(claim.role.reach))
            #expect(words.contains(claim.words), "\(claim.role): \(words)")
            var count = 0
            for route in forms {
                guard case .members(let right) = route.access else { continue }
                let path = String(route.pattern.dropFirst("/console/:team".count))
                guard claim.paths.contains(where: { path.hasPrefix($0) || path.hasSuffix($0) }),
                    !(claim.isDenied && Self.changesNothing.contains(path))
                else { continue }
                count += 1
                // A role that may change apps may not delete them.
                guard claim.isDenied || claim.role != .developer || !path.hasSuffix("/deletion") else { continue }
                #expect(claim.role.rights.contains(right) != claim.isDenied, "\(claim.role) “\(claim.words)”: \(path)")
            }
            #expect(count > 0, "\(claim.role): \(claim.words)")
        }
    }

    @Test func `names whom an admin may manage, and what ends tokens`() {
        #expect([Role.admin, .developer, .auditor].allSatisfy(Role.admin.mayManage) && !Role.admin.mayManage(.owner))
        // The deletion of an App ID deletes its keys.
        #expect(Role.allCases.allSatisfy { !$0.rights.contains(.changeUsers) || $0.rights.contains(.changeKeys) })
    }
}
