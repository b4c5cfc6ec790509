import Crypto
import Testing

@Suite struct `Key ring` {
    private let old: MasterKey
    private let new: MasterKey
    private let place = ["ACME000001", "connections", "42", "refresh_token"]
    private let secret = Array("Ada's token".utf8)

    init() throws {
        old = try MasterKey(id: "2025", secret: [UInt8](repeating: 1, count: 32))
        new = try MasterKey(id: "2026", secret: [UInt8](repeating: 2, count: 32))
    }

    @Test func `opens what it sealed in the same place`() {
        let ring = KeyRing(current: new)

        let sealed = ring.seal(secret, purpose: "tokens", context: place)

        #expect(ring.open(sealed, purpose: "tokens", context: place) == secret)
        #expect(ring.open(ring.seal([], purpose: "tokens", context: []), purpose: "tokens", context: []) == [])
    }

    @Test(arguments: [
        ["RIVAL00001", "connections", "42", "refresh_token"], ["ACME000001", "keys", "42", "refresh_token"],
        ["ACME000001", "connections", "43", "refresh_token"], ["ACME000001", "connections", "42", "access_token"],
        ["ACME000001connections", "", "42", "refresh_token"], ["ACME000001", "connections", "4", "2refresh_token"],
        ["ACME000001", "connections", "42"], ["ACME000001", "connections", "42", "refresh_token", ""], [],
    ]) func `opens nothing in another place`(other: [String]) {
        let ring = KeyRing(current: new)
        let sealed = ring.seal(secret, purpose: "tokens", context: place)

        #expect(ring.open(sealed, purpose: "tokens", context: other) == nil)
    }

    @Test func `opens nothing for another purpose or under another key`() throws {
        let sealed = KeyRing(current: new).seal(secret, purpose: "tokens", context: place)
        let impostor = try MasterKey(id: "2026", secret: [UInt8](repeating: 3, count: 32))

        #expect(KeyRing(current: new).open(sealed, purpose: "keys", context: place) == nil)
        #expect(KeyRing(current: old).open(sealed, purpose: "tokens", context: place) == nil)
        #expect(KeyRing(current: impostor).open(sealed, purpose: "tokens", context: place) == nil)
    }

    @Test func `survives rotation`() {
        let before = KeyRing(current: old).sealer(purpose: "tokens")
        let after = KeyRing(current: new, older: [old]).sealer(purpose: "tokens")
        let sealed = before.seal(secret, context: place)

        #expect(after.open(sealed, context: place) == secret)
    }

    @Test func `derives a key of its own for each purpose`() {
        let ring = KeyRing(current: new, older: [old])

        let codes = (ring.deriveAll(purpose: "audit") + [ring.derive(purpose: "cookies")]).map {
            HMACSHA256(key: $0).code(for: [])
        }

        #expect(Set(codes).count == 3)
        #expect(HMACSHA256(key: ring.derive(purpose: "audit")).code(for: []) == codes[0])
    }

    @Test(arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 33)])
    func `refuses a name that does not fit`(id: String) {
        #expect(throws: MasterKey.Failure.invalidID) { try MasterKey(id: id, secret: [UInt8](repeating: 0, count: 32)) }
    }

    @Test func `refuses a secret of another length`() throws {
        #expect(throws: MasterKey.Failure.wrongLength(16)) {
            try MasterKey(id: "2026", secret: [UInt8](repeating: 0, count: 16))
        }
    }
}
