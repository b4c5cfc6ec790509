import AuthEngine
import Bytes
import Directory
import Domain
import HTTP

/// How many handovers of native apps may fail, per address, per site of IPv6, and per team and minute, by all processes
/// together.
///
/// Anybody may hand over anything, and each try costs the team a call at Apple, who counts those it refuses. A backend that
/// has proved itself brings what all people of its app handed to it: it counts as the client that it is, whatever its
/// address.
struct HandoverLimits: Sendable {
    private static let window = Duration.seconds(60)
    /// A person has one or two refused.
    private static let perAddress = 20
    private static let perTeam = 500

    /// Who hands over.
    enum Sender: Sendable {
        case address(IPAddress)
        /// A backend, which has proved which client's it is.
        case backend(ClientID)
    }

    let counts: LimitStore

    /// One that is under way, and counts as one that failed until it is known to have gone well: however many come at
    /// once, no more of them fail.
    struct Entry: Sendable {
        fileprivate let ofSender: [LimitStore.Count]
        fileprivate let ofTeam: LimitStore.Count
        /// Whether so many of the team have failed at Apple that only those go on that are proved here.
        let isForProvenOnly: Bool
    }

    /// Counts one that is to be tried; nil where too many have failed or are under way.
    ///
    /// A backend hands over what strangers gave it: with too many that failed it goes on with those that are proved here.
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
                try await counts.refund(ofSender, in: team)
                return nil
            }
        }
        let ofTeam = try await counts.add(to: Self.team, window: Self.window, in: team, at: now)
        if ofTeam.value > Self.perTeam { isForProvenOnly = true }
        return Entry(ofSender: ofSender, ofTeam: ofTeam, isForProvenOnly: isForProvenOnly)
    }

    /// Takes one back that went well, or was not the sender's fault.
    ///
    /// What failed here costs the team nothing, and anybody can send as much of it as they like: it stays counted for the
    /// sender alone. What Apple was asked about and did not take, or had no answer to, stays counted for both: each
    /// further call would only make Apple throttle the team. One that outlasted its minute takes nothing of the next one's.
    ///
    /// - Parameter failure: nil where there is none, or none that is the provider's matter.
    func leave(_ entry: Entry, with failure: ProviderFailure?, in team: TeamID) async throws {
        let asked = failure?.reachedProvider ?? false
        let isSenders = failure.map { $0.remedy != .again || $0.cause == .providerKey } ?? false
        var spared: [LimitStore.Count] = []
        if !isSenders && !asked { spared += entry.ofSender }
        if !asked { spared.append(entry.ofTeam) }
        try await counts.refund(spared, in: team)
    }

    private static let team = LimitSubject.team("handovers")

    /// One site has 65,536 networks, and leaves the team's count to others.
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
