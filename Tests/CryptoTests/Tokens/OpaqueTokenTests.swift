import Crypto
import TestSupport
import Testing

@Suite struct `Opaque tokens` {
    private let key = SymmetricKey(random: .system)
    private let payload: [UInt8] = Array(0..<40)

    @Test func `opens to what it was minted for`() {
        let tokens = OpaqueToken(prefix: "a", keys: [key])

        let token = tokens.mint(payload: payload)

        #expect(token.hasPrefix("a"))
        #expect(tokens.open(token) == payload)
        #expect(tokens.open(tokens.mint(payload: [])) == [])
    }

    @Test(arguments: 0..<4) func `opens to nothing once changed, shortened or extended`(count: Int) {
        let tokens = OpaqueToken(prefix: "a", keys: [key])
        let token = Array(tokens.mint(payload: Array(payload.prefix(count))).utf8)
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=. +/".utf8)

        let replaced = token.indices.flatMap { index in
            characters.filter { $0 != token[index] }.map { Array(token[..<index] + [$0] + token[(index + 1)...]) }
        }
        for other in token.spoilt() + characters.map({ token + [$0] }) + replaced {
            #expect(tokens.open(String(decoding: other, as: UTF8.self)) == nil)
        }
    }

    @Test func `neither another kind nor another key opens it`() {
        let token = OpaqueToken(prefix: "a", keys: [key]).mint(payload: payload)
        let renamed = "r" + token.dropFirst()

        #expect(OpaqueToken(prefix: "r", keys: [key]).open(token) == nil)
        #expect(OpaqueToken(prefix: "r", keys: [key]).open(renamed) == nil)
        #expect(OpaqueToken(prefix: "a", keys: [SymmetricKey(random: .system)]).open(token) == nil)
    }

    @Test func `an earlier key still opens, the newest mints`() {
        let newer = SymmetricKey(random: .system)
        let old = OpaqueToken(prefix: "a", keys: [key])
        let both = OpaqueToken(prefix: "a", keys: [newer, key])

        #expect(both.open(old.mint(payload: payload)) == payload)
        #expect(old.open(both.mint(payload: payload)) == nil)
    }

    @Test func `meets garbage without a trap`() {
        let tokens = OpaqueToken(prefix: "a", keys: [key])
        let sample = tokens.mint(payload: payload)
        var garbage = Garbage(seed: 3)

        for _ in 0..<2000 {
            let text = garbage.text(like: sample)
            #expect(tokens.open(text) == (text == sample ? payload : nil))
        }
        #expect(tokens.open(String(repeating: "a", count: 1_000_000)) == nil)
    }
}
