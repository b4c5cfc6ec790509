import Bytes
import Directory
import Domain
import Federation
import HTTP
import OAuth

/// Limits of failed handovers by native apps in a minute, for all processes: per address, per IPv6 site and per team.
///
/// Any client can send a handover, and each costs the team a request to Apple, which counts those it rejects. An
/// authenticated backend forwards the handovers of all users of its app, so it is counted by its client ID, whatever
/// its address.
struct HandoverLimits: Sendable {
    private static let window = Duration.seconds(60)
    /// One user has one or two handovers rejected.
    private static let perAddress = 20
    private static let perTeam = 500

    /// Sender of a handover.
    enum Sender: Sendable {
        case address(IPAddress)
        /// Authenticated backend of a client.
        case backend(ClientID)
    }

    let counts: LimitStore

    /// Handover in progress, which counts as failed until it has succeeded, so that no number of concurrent ones
    /// exceeds the limit.
    struct Entry: Sendable {
        fileprivate let ofSender: [LimitStore.Count]
        fileprivate let ofTeam: LimitStore.Count
        /// Whether, beyond a limit, only handovers continue that this server can verify before it asks Apple.
        let isForProvenOnly: Bool
    }

    /// Counts a handover that begins; nil if too many have failed or are in progress.
    ///
    /// A backend forwards what unauthenticated clients sent: beyond its limit, only handovers verified here continue.
    func enter(_ sender: Sender, in team: TeamID, at now: Timestamp) async throws -> Entry? {
        var ofSender: [LimitStore.Count] = []
        var isForProvenOnly = false
        for (subject, limit) in Self.limits(of: sender) {
            let count = try await counts.add(to: subject, window: Self.window, in: team, at: now)
            ofSender.append(count)
            guard count.value > limit else { continue }
            if case .backend = sender {
                isForProvenOnly = true
            } else {
                try await counts.release(ofSender, in: team)
                return nil
            }
        }
        let ofTeam = try await counts.add(to: Self.team, window: Self.window, in: team, at: now)
        if ofTeam.value > Self.perTeam { isForProvenOnly = true }
        return Entry(ofSender: ofSender, ofTeam: ofTeam, isForProvenOnly: isForProvenOnly)
    }

    /// Subtracts a handover that succeeded, or whose failure was not the sender's fault.
    ///
    /// A failure on this server costs the team nothing, and any client can cause many: it stays counted for the sender
    /// alone. A request that Apple rejected or did not answer stays counted for both, because more would only make
    /// Apple throttle the team. A handover that outlasts its minute subtracts nothing from the next.
    ///
    /// - Parameter failure: nil if there is no failure, or it does not concern the provider.
    func leave(_ entry: Entry, with failure: UpstreamFailure?, in team: TeamID) async throws {
        let asked = failure?.reachedProvider ?? false
        let isSenders = failure.map { $0.remedy != .again || $0.cause == .providerKey } ?? false
        var spared: [LimitStore.Count] = []
        if !isSenders && !asked { spared += entry.ofSender }
        if !asked { spared.append(entry.ofTeam) }
        try await counts.release(spared, in: team)
    }

    private static let team = LimitSubject.team("handovers")

    /// Counters of a sender; a site has 65,536 networks, and its limit leaves the team's limit to others.
    private static func limits(of sender: Sender) -> [(subject: LimitSubject, limit: Int)] {
        switch sender {
        case .backend(let client): return [(.account("handovers-of", client.rawValue), perTeam)]
        case .address(let address):
            let ip = address.description
            let site = LimitSubject.site("handovers", ip)
            return [(.address("handovers", ip), perAddress)]
                + (site.map { [($0, LimitSubject.addressesPerSite * perAddress)] } ?? [])
        }
    }
}
