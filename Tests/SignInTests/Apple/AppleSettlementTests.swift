import Platform
import Simulator
import Testing

@testable import TestTeams

/// Answers of Apple's whose browser never came back.
@Suite(.apple) struct `An upstream request that nobody came back from` {
    private func vault() throws -> [[String?]] {
        try site.admin("SELECT form_given_name, form_family_name FROM upstream_identities")
    }

    @Test func `P17: leaves the name in the vault, which the next sign-in delivers`() async throws {
        _ = try site.browser().signInUntilBack()
        try await site.withProcess { process in
            try await process.settle()
            #expect(try vault().isEmpty)
            site.clock.advance(by: .seconds(180))
            try await process.settle()
        }
        #expect(try vault() == [["Rita", "Regular"]])

        let exit = try site.browser().signInAtApple(.regular)
        #expect(exit.value(of: "user")?.contains("Rita") == true)
    }

    @Test func `is good for a browser that comes late, but in time`() async throws {
        let (browser, back) = try site.back()
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        let exit = try browser.get(back)
        #expect(exit.value(of: "code") != nil && exit.value(of: "user")?.contains("Rita") == true)
    }

    @Test func `is judged by when it came, and looked at again while Apple's keys cannot be had`() async throws {
        _ = try site.browser().signInUntilBack()
        site.clock.advance(by: .seconds(2 * 86_400))
        site.script.set(.trouble, at: .keys)
        try await site.withProcess { process in
            try await process.settle()
            #expect(try vault().isEmpty)
            site.clock.advance(by: .seconds(60))
            try await process.settle()
        }
        #expect(try vault() == [["Rita", "Regular"]])
    }

    @Test func `with a token that proves nothing leaves nobody, and is looked at once`() async throws {
        for fault in [Fault.otherNonce, .otherAudience, .expired] {
            site.script.set(fault, at: .browser)
            _ = try site.browser().signInUntilBack()
        }
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try vault().isEmpty)
        #expect(try site.admin("SELECT FROM upstream_requests WHERE settled_at IS NULL").isEmpty)
    }
}
