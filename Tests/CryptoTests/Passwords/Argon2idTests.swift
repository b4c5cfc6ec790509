import Testing

@testable import Crypto

@Suite struct `Password hashing` {
    /// The least libsodium takes, so that tests are quick.
    private let cheap = Argon2id(memoryKiB: 8, passes: 1)

    @Test func `knows a password again`() throws {
        // Up to its end, and past a NUL.
        for (password, others) in [("correct horse", ["correct horsf", ""]), ("Ada\0Ben", ["Ada"])] {
            let hash = try cheap.hash(password)
            #expect(try cheap.verify(password, against: hash))
            for other in others { #expect(try !cheap.verify(other, against: hash), "\(other)") }
            #expect(try cheap.hash(password) != hash, "the salt is new each time")
        }
    }

    @Test func `answers the reference implementation's vector`() throws {
        let hash = try #require(
            PasswordHash("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"))

        #expect(try cheap.verify("password", against: hash))
        #expect(try !cheap.verify("Password", against: hash))
    }

    @Test func `hashes at 19 MiB and two passes by default`() throws {
        let hash = try Argon2id.standard.hash("correct horse")

        #expect(hash.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash(hash.text) == hash)
        #expect(!Argon2id.standard.needsRehash(hash))
        #expect(Argon2id.standard.needsRehash(try cheap.hash("correct horse")))
    }

    @Test func `an unknown account costs the same and is never let in`() throws {
        let decoy = Argon2id.standard.decoy

        #expect(!Argon2id.standard.needsRehash(decoy))
        #expect(decoy.text.utf8.count == (try Argon2id.standard.hash("correct horse")).text.utf8.count)
        #expect(try !cheap.verify("wrong", against: nil))
        #expect(try !cheap.verify("", against: nil))
    }

    @Test func `refuses a password beyond measure`() throws {
        let longest = String(repeating: "é", count: Argon2id.maximumPasswordCount / 2)

        #expect(try cheap.verify(longest, against: cheap.hash(longest)))
        #expect(throws: Argon2id.Failure.tooLong) { try cheap.hash(longest + "e") }
        #expect(throws: Argon2id.Failure.tooLong) { try cheap.verify(longest + "e", against: nil) }
    }

    @Test(arguments: [
        "", "$", "password", "$2b$12$abcdefghijklmnopqrstuu", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA",
        "$argon2id$v=16$m=8,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=8,t=1,p=2$c29tZXNhbHQ$AAAA",
        "$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=8,t=1000,p=1$c29tZXNhbHQ$AAAA",
        "$argon2id$v=19$m=-8,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=008,t=1,p=1$c29tZXNhbHQ$AAAA",
        "$argon2id$v=19$m=99999999999999999999,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=8,t=1$c29tZXNhbHQ$AAAA",
        "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA$",
    ]) func `refuses a stored line of another kind or cost`(text: String) { #expect(PasswordHash(text) == nil) }

    @Test func `a damaged digest lets nobody in`() throws {
        let hash = try #require(PasswordHash("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$!"))

        #expect(try !cheap.verify("password", against: hash))
    }
}
