import Core
import Crypto
import EventLoop
import Platform
import Testing

@testable import Directory

/// Sign-ins by password in a world of their own.
struct PasswordEnvironment: Sendable {
    static let password = "correct horse"

    let environment: TestEnvironment
    let signIn: PasswordSignIn
    let hash: PasswordHash
    let pool: BlockingPool

    func ada() async throws -> Subject {
        let page = try await environment.list.page(in: .acme, matching: UserSearch("ada"), limit: 1)
        return try #require(page.items.first).subject
    }

    func authenticate(
        _ login: String = "ada@acme.example", _ password: String = Self.password, in team: TeamID = .acme,
        ip: String = Origin.test.ip, knownBrowser: String? = nil, at now: Timestamp = .noon
    ) async throws -> SignInResult {
        let browser: KnownBrowser? = if let knownBrowser { { _ in knownBrowser } } else { nil }
        return try await signIn.authenticate(
            login: login, password: password, in: team, from: .test(at: ip), knownBrowser: browser, at: now)
    }

    func fail(_ count: Int, _ login: String = "ada@acme.example", ip: String = Origin.test.ip) async throws {
        for _ in 0..<count { _ = try await authenticate(login, "wrong password", ip: ip) }
    }
}

/// Lends `body` a world in which Ada has a password.
func withPasswords(
    _ argon2id: Argon2id = TestEnvironment.cheap, queueLimit: Int = 1000,
    _ body: @escaping @Sendable (PasswordEnvironment) async throws -> Void
) async throws {
    let pool = try BlockingPool(name: "hash", threads: 2, queueLimit: queueLimit)
    defer { pool.stop() }
    try await withEnvironment { environment in
        let hasher = PasswordHasher(pool: pool, judges: pool, argon2id: argon2id)
        let hash = try argon2id.hash(PasswordEnvironment.password)
        try await environment.add("Ada", password: hash)
        try await body(
            PasswordEnvironment(
                environment: environment, signIn: PasswordSignIn(environment.database, hasher: hasher), hash: hash,
                pool: pool))
    }
}

extension SignInResult {
    /// Its case as one word.
    var word: String {
        switch self {
        case .success: "success"
        case .wrong: "wrong"
        case .locked: "locked"
        case .busy: "busy"
        }
    }
}
