import Core
import Glibc
import Platform
import TestAuthenticator
import Testing

@testable import SignIn
@testable import TestTeams

/// Passkeys at the hosted pages, with a key in software.
@Suite(.site) struct PasskeySignInTests {
    /// Signs Ada in by password and adds a key on her own page.
    private func register() throws -> (browser: Browser, key: SoftAuthenticator) {
        let browser = try site.signedIn()
        var key = try site.authenticator()
        let codes = try browser.add(&key)
        #expect(codes.status == 200 && codes.body.contains("data-print"))
        return (browser, key)
    }

    @Test func `one signs its person in, alone`() throws {
        var (_, key) = try register()
        key.counter = 1
        let browser = site.browser()
        let page = try browser.get(Browser.account + "/session")
        #expect(page.body.contains("username webauthn"))
        let form = try page.form(to: "/passkey")

        let done = try browser.send(form, try key.assert(form))

        #expect(done.status == 303 && browser.cookies[Browser.sessionCookie] != nil)
        #expect(try browser.get(Browser.account).body.contains("Ada&#39;s phone"))
        #expect(try site.actions().filter { $0 == "sign_in.completed" }.count == 2)
    }

    @Test func `one is the second factor of its person`() throws {
        let (_, key) = try register()
        let browser = site.browser()
        let form = try browser.typePassword().form(to: "/factor")
        #expect(browser.cookies[Browser.sessionCookie] == nil)

        let stranger = try site.authenticator()
        #expect(try browser.send(form, try stranger.assert(form)).status == 401)
        let done = try browser.send(form, try key.assert(form))

        #expect(done.status == 303 && browser.cookies[Browser.sessionCookie] != nil)
    }

    @Test func `V43: an answer that announces gigabytes is refused, wherever it is taken`() throws {
        var (browser, key) = try register()
        // Signed as it should be, and an array of 2^30 elements: of eight octets each, were they made room for.
        key.flags |= SoftAuthenticator.Flag.extended
        key.extensions = [0x9A, 0x40, 0, 0, 0] + [UInt8](repeating: 0, count: 13)
        let before = try Self.mostMemory()
        func bomb(_ form: PageForm) throws -> [(String, String)] { try key.assert(form) }
        let alone = site.browser()
        let signIn = try alone.get(Browser.account + "/session").form(to: "/passkey")
        #expect(try alone.send(signIn, try bomb(signIn)).status == 401)

        let second = try alone.typePassword().form(to: "/factor")
        #expect(try alone.send(second, try bomb(second)).status == 401)

        site.clock.advance(by: .seconds(3600))
        let proof = try browser.follow(try browser.get(Browser.account + "/data")).form(to: "/proof")
        #expect(try browser.send(proof, try bomb(proof)).status == 401)
        #expect(try Self.mostMemory() - before < 1 << 30)
    }

    /// The most octets that this process has held so far (proc(5), VmHWM).
    private static func mostMemory() throws -> Int {
        let file = try unsafe #require(unsafe fopen("/proc/self/status", "r"))
        defer { unsafe fclose(file) }
        var octets = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe fread(&octets, 1, octets.count, file)
        let status = String(decoding: octets.prefix(count), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    @Test func `V20: an answer is worth nothing in another browser, and nothing twice`() throws {
        let (_, key) = try register()
        let browser = site.browser()
        let form = try browser.get(Browser.account + "/session").form(to: "/passkey")
        let values = try key.assert(form)
        let thief = site.browser()
        let thiefs = try thief.get(Browser.account + "/session").form(to: "/passkey")

        #expect(try thief.send(thiefs, values).status == 401)
        #expect(try browser.send(form, values).status == 303)
        let again = try browser.get(Browser.account + "/session").form(to: "/passkey")
        #expect(try browser.send(again, values).status == 401)
    }
}
