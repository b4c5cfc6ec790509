import Domain
import Testing

@testable import SignInTrace
@testable import TestTeams

@Suite struct `An allowance of stored steps` {
    @Test func `S18: is not given back to who used it up, however many others come`() {
        var allowance = TraceQuota<Int>(burst: 2, perDay: 1, capacity: 200)
        let first = (0..<3).map { _ in allowance.take(for: -1, at: 0) }
        #expect(first == [true, true, false])
        let others = (0..<500).map { allowance.take(for: $0, at: 0) }
        #expect(others.allSatisfy { $0 })
        let again = allowance.take(for: -1, at: 0)
        #expect(!again)
        // Two days later there is one for everybody.
        let later = allowance.take(for: -1, at: 2 * 86_400_000_000_000)
        #expect(later)
    }
}

@Suite struct `An allowance of a sender` {
    private let few = SenderQuota.Rate(10, perDay: 1)
    private let many = SenderQuota.Rate(1000, perDay: 1)

    @Test func `V43: holds over all teams together`() {
        var allowance = SenderQuota(
            address: few, site: few, everywhere: SenderQuota.Rate(15, perDay: 1), team: many, share: many,
            installation: many)
        let kept = [TeamID.acme, .rival].map { team in
            (0..<20).count { _ in allowance.take(from: "203.0.113.9", in: team, at: 0) }
        }
        #expect(kept == [10, 5])
        // Another address of the second team has its own.
        let another = allowance.take(10, from: "203.0.113.10", in: .rival, at: 0)
        #expect(another)
    }

    @Test func `V43: holds over all networks of a site in all teams`() {
        var allowance = SenderQuota(
            address: few, site: many, everywhere: SenderQuota.Rate(15, perDay: 1), team: many, share: many,
            installation: many)
        let kept = [TeamID.acme, .rival].map { team in
            (0..<20).count { allowance.take(from: "2001:db8:7:\($0)::1", in: team, at: 0) }
        }
        #expect(kept == [15, 0])
    }

    @Test func `V43, V54: leaves a team its share, however much the others take of the installation's`() {
        var allowance = SenderQuota(
            address: many, site: many, everywhere: many, team: many, share: few,
            installation: SenderQuota.Rate(100, perDay: 1))
        let flood = (0..<500).count { allowance.take(from: "203.0.113.\($0 % 250)", in: .acme, at: 0) }
        #expect(flood == 110)
        let others = (0..<20).count { _ in allowance.take(from: "198.51.100.1", in: .rival, at: 0) }
        #expect(others == 10)
    }

    @Test func `V43: counts what is large as much`() {
        var allowance = SenderQuota(
            address: few, site: few, everywhere: many, team: many, share: many, installation: many)
        let kept = (0..<10).count { _ in allowance.take(4, from: "203.0.113.9", in: .acme, at: 0) }
        #expect(kept == 2)
    }
}
