import Accounts
import Core
import Crypto
import EventLoop
import OAuth
import Platform
import Postgres
import TestSupport
import Testing

@testable import Directory

/// What there is once, and whose it is.
@Suite struct `The stores of a directory` {
    private typealias Environment = TestEnvironment

    @Test func `V8, V46: have what there is once for one of fifty at once`() async throws {
        try await withFactors { factors in
            let environment = factors.environment
            let (secret, codes) = try await factors.enrolTOTP()
            let code = factors.code(of: secret)
            let races: [(what: String, attempt: @Sendable () async throws -> Bool)] = [
                (
                    "a login name",
                    {
                        do {
                            try await environment.add("Dora")
                            return true
                        } catch UserStore.Failure.loginTaken { return false }
                    }
                ), ("a code", { try await factors.totp.use(code, of: factors.ada, in: .acme, at: .noon) }),
                (
                    "a recovery code",
                    { try await factors.codes.use(codes[0], of: factors.ada, in: .acme, from: .test, at: .noon) }
                ),
            ]
            for (what, attempt) in races {
                let results = try await race(50) { _ in try await attempt() }
                #expect(results.count { $0 } == 1, "\(what)")
            }
            #expect(try environment.admin("SELECT count(*) FROM users WHERE given_name = 'Dora'") == [["1"]])
            #expect(try environment.actions().count { $0 == "recovery_code.used" } == 1)
        }
    }

    @Test func `show and change nothing of another team`() async throws {
        try await withFactors { factors in
            let (environment, ada, rival) = (factors.environment, factors.ada, TeamID.rival)
            let pool = try BlockingPool(name: "hash", threads: 1, queueLimit: 100)
            defer { pool.stop() }
            let hasher = PasswordHasher(pool: pool, judges: pool, argon2id: Environment.cheap)
            let signIn = PasswordSignIn(environment.database, hasher: hasher)
            let (database, consents) = (environment.database, try environment.consents())
            let hash = try Environment.cheap.hash(PasswordEnvironment.password)
            let set: @Sendable (TeamID) async throws -> Bool = { team in
                try await database.change(in: team) { try await PasswordStore.set(hash, for: ada, $0) }
            }
            let isSet = try await set(.acme)
            #expect(isSet)
            try environment.addApp(ClientID.app)
            let choice = ConsentChoice(name: nil, email: .shared)
            _ = try await consents.grant(choice, of: ada, to: .app, in: .acme, from: .test)
            let session = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let (secret, codes) = try await factors.enrolTOTP()
            let code = factors.code(of: secret)
            func signsIn(in team: TeamID) async throws -> String {
                try await signIn.authenticate(
                    login: "ada@acme.example", password: PasswordEnvironment.password, in: team, from: .test, at: .noon
                ).word
            }

            func expect(_ what: String, _ isNothing: Bool) { #expect(isNothing, "\(what)") }
            expect("person", try await environment.users.find(ada, in: rival) == nil)
            expect("person in full", try await environment.details.find(ada, in: rival, at: .noon) == nil)
            expect(
                "list", try await environment.list.page(in: rival, limit: 10).items.map(\.subject) == [factors.rivalAda]
            )
            expect(
                "search",
                try await environment.list.page(in: rival, matching: UserSearch("ada"), limit: 10).items.map(\.subject)
                    == [factors.rivalAda])
            expect(
                "search for an id",
                try await environment.list.page(in: rival, matching: UserSearch(ada.rawValue), limit: 10).items.isEmpty)
            expect("deletion", try await !environment.delete(ada, by: .system("test"), in: rival))
            expect("sign-in", try await signsIn(in: rival) == "wrong")
            expect("password", try await !set(rival))
            expect("code", try await factors.prove(.totp(code), in: rival) == .wrong)
            expect(
                "code of a namesake", try await factors.prove(.totp(code), of: factors.rivalAda, in: rival) == .wrong)
            expect("recovery code", try await factors.prove(.recovery(codes[0].text), in: rival) == .wrong)
            expect("app", try await factors.totp.find(of: ada, in: rival) == nil)
            expect("factors", try await factors.factors.enrolled(of: ada, in: rival) == .none)
            expect(
                "removal of an app",
                try await refusal { try await factors.totp.remove(of: ada, keepsOne: false, in: rival, from: .test) }
                    == .unknown)
            expect("new app", try await refusal { try await factors.enrolTOTP(ada, in: rival) } == .unknown)
            expect("consent", try await consents.find(of: ada, for: .app, in: rival) == nil)
            expect("consents", try await ConsentListStore(environment.database).list(of: ada, in: rival).isEmpty)
            expect("session", try await environment.sessions.find(session, in: rival) == nil)
            expect("renewal", try await environment.sessions.renew(session, in: rival) == nil)
            expect("sessions", try await environment.sessions.list(of: ada, in: rival, at: .now()).isEmpty)
            expect(
                "end of sessions",
                try await environment.sessions.endAll(of: ada, in: rival, by: .system("test"), from: .test) == 0)
            await #expect(throws: ConsentStore.UnknownUser.self) {
                try await consents.grant(choice, of: ada, to: .app, in: rival, from: .test)
            }

            #expect(try environment.count("users", of: ada) == 1)
            #expect(try !environment.actions(in: rival).contains("user.deleted"))
            #expect(try await signsIn(in: .acme) == "success")
            #expect(try await factors.prove(.totp(code)) == .proved)
            #expect(try await consents.find(of: ada, for: .app, in: .acme) != nil)
            #expect(try await environment.sessions.find(session, in: .acme) != nil)
        }
    }
}
