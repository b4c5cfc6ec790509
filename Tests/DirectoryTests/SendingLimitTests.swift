import Bytes
import Domain
import Localization
import TestSupport
import Testing

@testable import Directory

/// Every kind of mail and outgoing call, by the declaration that the code goes by.
@Suite struct `What is sent on somebody's behalf` {
    private func limits(_ environment: TestEnvironment) -> SendingLimits {
        SendingLimits(LimitStore(environment.database))
    }

    /// Asks for one more to a recipient as the server does: whoever asks for what anybody may ask for counts, too.
    private func ask(
        _ kind: Sending, to recipient: String, from ip: String = Origin.test.ip, at now: Timestamp = .noon,
        _ limits: SendingLimits
    ) async throws -> Duration? {
        switch kind {
        case .registration, .passwordReset:
            try await limits.charge(kind, to: recipient, askedBy: .stranger(ip: ip), in: .acme, at: now)
        default: try await limits.charge(kind, to: recipient, in: .acme, at: now)
        }
    }

    @Test(arguments: Sending.allCases) func `S10, S14, S17, V47: is limited for its recipient or for the team`(
        kind: Sending
    ) {
        #expect(kind.perRecipient != nil || kind.perTeam != nil)
        switch kind {
        // To whatever address or server a member or a stranger names: all three.
        case .registration, .passwordReset, .emailChange, .userInvitation, .memberInvitation:
            #expect(kind.perRecipient != nil && kind.perSender != nil && kind.perTeam != nil)
        case .registryCheck: #expect(kind.perRecipient != nil && kind.perSender != nil && kind.perTeam != nil)
        case .testNotification: #expect(kind.perRecipient != nil && kind.perTeam != nil)
        case .appleTest, .checkup: #expect(kind.perSender != nil && kind.perTeam != nil)
        // Not asked for, but caused: to servers that nobody has shown to be theirs.
        case .notification: #expect(kind.perRecipient != nil && kind.perServerOverTeams != nil)
        // The sender is the recipient.
        case .newSignIn, .accountChange: #expect(kind.perRecipient != nil)
        }
        for limit in [kind.perRecipient, kind.perSender, kind.perTeam].compactMap({ $0 }) {
            #expect(limit.count > 0 && limit.window >= .seconds(60) && limit.window <= .seconds(3600))
        }
    }

    @Test func `S10, S14, S17, V46, V47: stops at its recipient's limit, however many at once`() async throws {
        try await withEnvironment { environment in
            for kind in Sending.allCases {
                try environment.forgetCounts()
                guard let limit = kind.perRecipient else { continue }
                let limits = self.limits(environment)
                let waits = try await race(50) { _ in try await ask(kind, to: "Victim@example.org", limits) }
                #expect(waits.count { $0 == nil } == limit.count, "\(kind)")
                #expect(try await ask(kind, to: "victim@EXAMPLE.org", limits) == limit.window)
                let later = Timestamp.noon + limit.window
                #expect(try await ask(kind, to: "victim@example.org", at: later, limits) == nil)
                #expect(try await ask(kind, to: "other@example.org", limits) == nil)
            }
        }
    }

    @Test func `S30, V47: to one mailbox is nine over all who ask, however many at once and from where`() async throws {
        try await withEnvironment { environment in
            for kind in [Sending.registration, .passwordReset] {
                try environment.forgetCounts()
                let over = try #require(kind.perRecipientOverAll)
                let limits = self.limits(environment)
                let waits = try await race(60) { number in
                    try await ask(kind, to: "victim@example.org", from: "192.0.2.\(number)", limits)
                }
                #expect(waits.count { $0 == nil } == over.count, "\(kind)")
            }
        }
    }

    /// What anybody may ask for is one stream of mail to its reader; everything else is somebody's own.
    @Test func `S30, V47: uses up nothing of another kind to the same address, but for what strangers ask for`()
        async throws
    {
        try await withEnvironment { environment in
            for kind in Sending.allCases {
                try environment.forgetCounts()
                let asked: Set<Sending> = [.registration, .passwordReset]
                let limits = self.limits(environment)
                for network in 0..<5 {
                    for _ in 0..<20 {
                        _ = try await ask(kind, to: "victim@example.org", from: "192.0.2.\(network)", limits)
                    }
                }
                for other in Sending.allCases where other != kind && other.perRecipient != nil {
                    let wait = try await ask(other, to: "victim@example.org", from: "198.51.100.7", limits)
                    let shares = asked.isSuperset(of: [kind, other])
                    #expect((wait != nil) == shares, "\(other) after \(kind)")
                }
            }
        }
    }

    @Test func `S10, V47: reaches one person from no second team where teams are strangers`() async throws {
        try await withEnvironment { environment in
            let limit = try #require(Sending.memberInvitation.perRecipient)
            func invite(from team: TeamID) async throws -> Duration? {
                try await limits(environment).charge(.memberInvitation, to: "victim", in: team, at: .noon)
            }
            for _ in 0..<limit.count { #expect(try await invite(from: .acme) == nil) }
            #expect(try await invite(from: .rival) != nil)
        }
    }

    @Test func `V43, V47: to a server that two teams name is another count for each, within one over all`() async throws
    {
        try await withEnvironment { environment in
            for kind in [Sending.testNotification, .registryCheck] {
                try environment.forgetCounts()
                let (limit, all) = try (#require(kind.perRecipient), #require(kind.perServerOverTeams))
                #expect(all.count >= 8 * limit.count && all.window == limit.window)
                func ask(_ count: Int, _ host: String, from team: TeamID) async throws -> Int {
                    var admitted = 0
                    for _ in 0..<count {
                        let wait = try await limits(environment).charge(kind, to: host, in: team, at: .noon)
                        if wait == nil { admitted += 1 }
                    }
                    return admitted
                }
                #expect(try await ask(3 * limit.count, "shared.example", from: .acme) == limit.count)
                #expect(try await ask(limit.count, "Shared.example", from: .rival) == limit.count)
                // Many teams together, which stand in one row here.
                try environment.admin(
                    "UPDATE limits SET count = \(all.count - 1) WHERE team_id = '\(TeamID.system.rawValue)'")
                try environment.admin("DELETE FROM limits WHERE team_id <> '\(TeamID.system.rawValue)'")
                #expect(try await ask(3, "shared.example", from: .rival) == 1)
                #expect(try await ask(3, "other.example", from: .rival) == 3)
            }
        }
    }

    @Test func `S10, V47: stops at its sender's limit, which spares the team's`() async throws {
        try await withEnvironment { environment in
            for kind in Sending.allCases {
                try environment.forgetCounts()
                guard let limit = kind.perSender, let team = kind.perTeam else { continue }
                #expect(limit.count <= team.count)
                let limits = self.limits(environment)
                @Sendable func charge(_ name: String, to recipient: Int) async throws -> Duration? {
                    try await limits.charge(
                        kind, to: "p\(recipient)@example.org", by: .account(Subject(hexadecimal: name)), in: .acme,
                        at: .noon)
                }
                let waits = try await race(limit.count + 20) { try await charge("ada", to: $0) }
                #expect(waits.count { $0 == nil } == limit.count, "\(kind)")
                #expect(try await charge("ben", to: limit.count) == nil)
                #expect(try environment.counted("%.team") == [limit.count + 1])
            }
        }
    }

    @Test func `S30, V47: to one mailbox is counted for each network that asks, and nine over all`() async throws {
        try await withEnvironment { environment in
            let limits = self.limits(environment)
            func ask(_ asker: SendingLimits.Asker) async throws -> Int {
                var mails = 0
                for _ in 0..<5 {
                    let wait = try await limits.charge(
                        .passwordReset, to: "victim@example.org", askedBy: asker, in: .acme, at: .noon)
                    if wait == nil { mails += 1 }
                }
                return mails
            }
            let addresses = ["192.0.2.1", "2001:db8:1:1::1", "2001:db8:1:2::1", "192.0.2.2", "192.0.2.3"]
            var mails: [Int] = []
            for ip in addresses { mails.append(try await ask(.stranger(ip: ip))) }
            // Networks of one site are one.
            #expect(mails == [3, 3, 0, 3, 0])
            let known = try await ask(.knownBrowser("hers"))
            #expect(known == 3)
        }
    }

    @Test func `S18, V47: of a site of IPv6 is limited too, which leaves the team's to others`() async throws {
        try await withEnvironment { environment in
            for kind in [Sending.registration, .passwordReset] {
                try environment.forgetCounts()
                let limits = self.limits(environment)
                @Sendable func charge(_ ip: String) async throws -> Duration? {
                    try await limits.charge(kind, to: nil, by: .stranger(ip: ip), in: .acme, at: .noon)
                }
                let waits = try await race(400) { try await charge("2001:db8:1:\(String($0, radix: 16))::1") }
                #expect(waits.count { $0 == nil } == 320, "\(kind)")
                for ip in ["2001:db8:2::1", "192.0.2.1"] { #expect(try await charge(ip) == nil, "\(ip)") }
            }
        }
    }

    @Test func `V47: by strangers leaves a team its invitation, and a person the change of address`() async throws {
        try await withEnvironment { environment in
            for kind in [Sending.registration, .passwordReset] {
                try environment.forgetCounts()
                let (limits, ada) = (self.limits(environment), Subject(hexadecimal: "ada"))
                func charge(_ kind: Sending, to recipient: String) async throws -> Duration? {
                    try await limits.charge(kind, to: recipient, by: .account(ada), in: .acme, at: .noon)
                }
                for recipient in ["victim@example.org", ada.rawValue] {
                    for _ in 0..<20 { _ = try await limits.charge(kind, to: recipient, in: .acme, at: .noon) }
                }
                #expect(try await charge(.userInvitation, to: "victim@example.org") == nil)
                #expect(try await charge(.emailChange, to: "victim@example.org") == nil)
            }
        }
    }

    @Test func `S17, V47: of an address change is charged to the address too`() async throws {
        try await withEnvironment { environment in
            try await environment.add("ada")
            let sent = Flagged()
            let mailer = AccountMailer { _, _, _, _, _ in await sent.add() }
            let changes = EmailChange(environment.database, mailer: mailer)
            let victim = try #require(EmailAddress(rawValue: "victim@example.org"))
            let caller = AccountCaller(team: .acme, language: .english, origin: .test, now: .noon)
            var waits: [Duration?] = []
            for number in 0..<10 {
                let person = try await environment.add("person\(number)")
                waits.append(try await changes.begin(person, to: victim, for: caller))
            }
            #expect(waits.count { $0 == nil } == 3)
            #expect(await sent.count == 3)
        }
    }
}

private actor Flagged {
    private(set) var count = 0

    func add() { count += 1 }
}

/// Turns at a server of nobody's, which are given out and kept.
@Suite struct `Turns at a server` {
    @Test func `V47: those that are too many for a server get turns in a line, each team in its own`() async throws {
        let (own, all) = try (
            #require(Sending.notification.perRecipient), #require(Sending.notification.perServerOverTeams)
        )
        try await withEnvironment { environment in
            let limits = SendingLimits(LimitStore(environment.database))
            func turn(_ host: String, in team: TeamID = .acme) async throws -> Duration {
                try await limits.turn(of: .notification, at: host, in: team, at: .noon) - Timestamp.noon
            }
            var waits: [Duration] = []
            for _ in 0...(2 * own.count) { waits.append(try await turn("victim.example")) }
            #expect(waits[...own.count].allSatisfy { $0 == .zero })
            #expect(waits[own.count + 1] == own.window / own.count && waits.last == own.window)
            #expect(try await turn("Victim.example", in: .rival) == .zero)
            // Many teams together; those who wait for their own turn take nothing of it.
            var admitted = 0
            for _ in 0..<(all.count + 5) {
                let wait = try await limits.charge(.notification, ofAllTeamsAt: "victim.example", at: .noon)
                if wait == nil { admitted += 1 }
            }
            #expect(admitted == all.count)
        }
    }
}
