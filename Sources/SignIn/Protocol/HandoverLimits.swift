import AuthEngine
import Bytes
import Directory
import Domain
import HTTP

/// How many handovers of native apps may fail, per address and per team and minute, by all processes together.
///
/// Anybody may hand over anything, and each try costs the team a call at Apple, who counts those it refuses.
struct HandoverLimits: Sendable {
    private static let window = Duration.seconds(60)
    /// A person has one or two refused.
    private static let perAddress = 20
    private static let perTeam = 500

    let counts: LimitStore

    /// How long nothing more is taken, where too many have failed.
    func wait(_ address: IPAddress, in team: TeamID, at now: Timestamp) async throws -> Duration? {
        try await counts.wait(for: [(Self.subject(address), Self.perAddress)], in: team, at: now)
    }

    /// Whether so many of the team have failed at Apple that only those go on that are proved here.
    func takesProvenOnly(in team: TeamID, at now: Timestamp) async throws -> Bool {
        try await counts.wait(for: [(Self.team, Self.perTeam)], in: team, at: now) != nil
    }

    /// Counts a failure, unless it is Apple's or its turn may come yet; for the team where Apple was asked.
    ///
    /// What failed here costs the team nothing, and anybody can send as much of it as they like.
    func note(
        _ failure: ProviderFailure,
        of address: IPAddress,
        in team: TeamID,
        at now: Timestamp
    ) async throws {
        guard failure.remedy != .again || failure.cause == .providerKey else { return }
        for subject in [Self.subject(address)] + (failure.reachedProvider ? [Self.team] : []) {
            _ = try await counts.add(to: subject, window: Self.window, in: team, at: now)
        }
    }

    private static let team = LimitSubject.team("handovers")

    private static func subject(_ address: IPAddress) -> LimitSubject {
        .address("handovers", address.description)
    }
}
