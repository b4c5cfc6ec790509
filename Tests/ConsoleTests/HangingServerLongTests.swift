import Domain
import Glibc
import Registry
import TestSockets
import TestSupport
import Testing

@testable import Console

/// Servers that never answer.
@Suite struct HangingServerLongTests {
    private static let hosts = (1...5).map { "s\($0).localhost" }

    @Test func `hold up the checks of domains, and nobody's calls to Apple`() async throws {
        try await withEnvironment { environment in
            let page = try await connectAcme(environment)
            let silent = LoopbackListener(backlog: 256, waits: false)
            defer { close(silent.socket) }
            try environment.admin("INSERT INTO teams (team_id, name, mode) VALUES ('THIRDTEAM1', 'Third', 'sandbox')")
            let third = try #require(TeamID(rawValue: "THIRDTEAM1"))
            let rivals = try await domains(of: .rival, environment, at: silent.port)
            let others = try await domains(of: third, environment, at: silent.port)

            try await withThrowingTaskGroup(of: Void.self) { group in
                // One team has 48 of the 64 places at most, and another the rest; a host has 16 connections.
                for domain in Array(repeating: rivals, count: 10).joined() {
                    group.addTask { await Self.check(domain, of: .rival, environment) }
                }
                for domain in Array(repeating: others, count: 4).joined() {
                    group.addTask { await Self.check(domain, of: third, environment) }
                }
                let held = try await silent.accept(64)
                defer { for connection in held { close(connection) } }
                var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
                // Behind the checks it would wait for them, and they are held as long as the test lasts.
                #expect(try await admin.post("\(page)/tests", []).status == 303)
                let outcomes = "SELECT DISTINCT outcome FROM apple_connection_tests"
                #expect(try environment.admin(outcomes) == [["accepted"]])
                group.cancelAll()
            }
        }
    }

    /// Has the domain checked again and again, so that its place is taken as long as the test lasts.
    private static func check(_ domain: RegisteredDomain, of team: TeamID, _ environment: TestEnvironment) async {
        while !Task.isCancelled {
            _ = try? await environment.parts.checks.check(
                domain, in: team, by: .system("test"), from: TestEnvironment.origin)
        }
    }

    /// - Returns: the page of its connection.
    private func connectAcme(_ environment: TestEnvironment) async throws -> String {
        try environment.openAppleSide()
        _ = try await environment.addAcmeWeb()
        var admin = try await environment.signedIn("Olga", [TeamID.acme: .admin])
        try await admin.connectAcme()
        let page = "/console/ACMETEAM01/apple/com.acme.app"
        #expect(try await admin.post("\(page)/stand-in", []).status == 303)
        return page
    }

    /// Hosts of a team that all lead to that port.
    private func domains(of team: TeamID, _ environment: TestEnvironment, at port: UInt16) async throws
        -> [RegisteredDomain]
    {
        try environment.setMode("sandbox", of: team)
        let hosts = Self.hosts.map { "\(team.rawValue.lowercased())-\($0)" }
        let policy = HostPolicy.hostNamesAndLoopback
        let (actor, stores) = (Actor.system("test"), environment.registry)
        let app = try AppID.Draft(
            parsing: AppID.Input(identifier: "com.rival.app", description: "Rival"), policy: policy)
        _ = try await stores.appIDs.create(app, in: team, by: actor, from: TestEnvironment.origin)
        let web = try ServiceID.Draft(
            parsing: ServiceID.Input(
                identifier: "com.rival.web", description: "Rival", domains: hosts,
                returnURLs: hosts.map { "http://\($0):\(port)/back" }), of: app.identifier, policy: policy)
        _ = try await stores.serviceIDs.create(web, in: team, by: actor, from: TestEnvironment.origin)
        var domains: [RegisteredDomain] = []
        for host in hosts { domains.append(try #require(try await stores.domains.find(host, in: team))) }
        return domains
    }
}
