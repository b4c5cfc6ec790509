import Crypto
import Directory
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

// A sign-in at Acme between its request and its answer, in Ada's browser unless said otherwise.
extension Engine {
    func begin(_ client: ClientID = .web, _ changes: Changes = [:]) async throws -> Interaction {
        try await interactions.begin(
            try await authorize(client, changes), browserHash: Self.browser, in: .acme, from: .test)
    }

    /// One that leads to a page of ours.
    func begin(next: String) async throws -> Interaction {
        try await interactions.begin(next: next, browserHash: Self.browser, in: .acme)
    }

    func find(_ interaction: Interaction) async throws -> Interaction? {
        try await interactions.find(interaction.id, browserHash: Self.browser, in: .acme)
    }

    func user(_ person: Subject? = nil) async throws -> User {
        try #require(try await UserStore(database).find(person ?? ada, in: .acme))
    }

    /// Whether a first proof is kept, which is Ada's password unless said otherwise.
    func prove(
        _ user: User? = nil, by method: ProofMethod = .password, owing due: SecondFactorDue = .nothing,
        in interaction: Interaction
    ) async throws -> Bool {
        let user = if let user { user } else { try await self.user() }
        return try await interactions.prove(user, by: method, login: "ada@acme.example", owing: due, in: interaction)
            != nil
    }

    func proveAgain(_ person: Subject? = nil, in interaction: Interaction) async throws -> Bool {
        try await interactions.proveAgain(person ?? ada, by: .totp, in: interaction) != nil
    }

    /// Makes a session of the proofs, as the hosted pages do.
    func enter(_ interaction: Interaction, as person: Subject? = nil) async throws -> SessionToken? {
        let beginning = SessionStore.Beginning(
            of: person ?? ada, by: [.password], to: nil, from: .test, replacing: nil, at: clock.now)
        return try await interactions.enter(interaction) { proofs in
            try await teams.sessions.begin(beginning, taking: proofs, in: .acme)
        }
    }

    func cancel(_ interaction: Interaction) async throws -> AuthorizationResponse? {
        try await interactions.cancel(interaction, from: .test)
    }

    /// What the app gets of the sheet, or of the confirmation that stands in its place later.
    func answer(
        _ interaction: Interaction, of session: Session, in team: TeamID = .acme,
        _ choice: ConsentChoice = ConsentChoice(name: nil, email: .withheld)
    ) async throws -> AuthorizationResponse? {
        let snapshot = try await snapshot(team)
        switch try await interactions.nextStep(of: interaction, session) {
        case .signIn, .proof, .enrolment, .enter, .leave: throw TestFailure("a session skips the password")
        case .confirmation(let consent):
            return try await interactions.confirm(interaction, under: consent, of: session, in: snapshot, from: .test)
        case .consent:
            return try await interactions.consent(to: interaction, choice, of: session, in: snapshot, from: .test)
        }
    }
}

extension Interaction {
    /// The same sign-in in the hands of another browser, or named in another team.
    func held(by browser: [UInt8] = Engine.browser, in team: TeamID = .acme) -> Interaction {
        Interaction(
            team: team, browserHash: browser, id: id, goal: goal, progress: progress, language: language,
            createdAt: createdAt)
    }
}
