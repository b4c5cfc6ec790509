import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What comes with the tokens of a native app, and whose repetition is one.
@Suite(.apple) struct `The grant of a native app` {
    @Test func `S45: the body of a backend is no repetition without its secret, nor the other way round`() throws {
        for isProved in [true, false] {
            let given = try site.device(.regular)
            func ask(_ proves: Bool) throws -> Answer {
                let secret = proves ? try site.teams.secret(of: .app) : nil
                return try site.handOver(given.merging(["client_secret": secret].compactMapValues { $0 }) { $1 })
            }
            let first = try ask(isProved)
            #expect(first.status == 200)
            let other = try ask(!isProved)
            #expect(other.status == 400 && other.json["error"] == "invalid_grant")
            // Another secret of the same client proves the same.
            site.clock.advance(by: .seconds(2))
            let again = try ask(isProved)
            #expect(again.status == 200 && again.json["refresh_token"] != first.json["refresh_token"])
        }
    }

    @Test func `S29: names who came with a transferred app, in each kind of grant`() throws {
        typealias Transfer = `A person whom Apple calls otherwise after a transfer`
        try Transfer.announce(site.teams.people.ada, in: .acme)
        let subject = try #require(try site.claims(try site.handOver(try site.device(.regular)))["sub"]?.string)
        try Transfer.announce(try #require(Subject(rawValue: subject)), in: .acme)
        let given = try site.device(.regular)
        let native = try site.handOver(given)
        let again = try site.handOver(given)
        let refreshed = try site.refresh(try #require(again.json["refresh_token"]?.string))
        for answer in [native, again, refreshed] {
            #expect(try site.claims(answer)["transfer_sub"]?.string == Transfer.name)
        }
    }
}
