import Crypto
import Directory
public import Platform

/// Adds simulated users to the simulator's team.
public struct Cast: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Adds the named users that are missing.
    public func admit(to team: TeamID) async throws {
        for performer in Performer.allCases { try await admit(performer, to: team) }
    }

    /// Adds a user unless it exists.
    func admit(_ performer: Performer, to team: TeamID) async throws {
        guard try await UserStore(database).find(performer.subject, in: team) == nil else { return }
        let digest = performer.digest
        // The subject is derived from the name, so that it is identical in every installation.
        let fixed = UserStore(database, random: RandomSource { Array(digest.prefix($0)) })
        let new = NewUser(name: performer.name, email: performer.email, isEmailVerified: performer.isEmailVerified)
        _ = try await database.change(in: team, by: .system("simulator"), from: .local) { change in
            try await fixed.create(new, change)
        }
    }
}
