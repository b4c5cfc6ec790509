import Directory
import Domain
import EventLoop

/// Quotas, in KiB, for trace events that unauthenticated requests can cause: for each address and IPv6 site, in each
/// team and in all teams together, for each team, and for the installation, so that one address leaves room for the
/// team's other senders, and one team for other teams.
struct SenderQuota {
    /// The KiB available at once, and those added per day.
    struct Rate {
        let burst: Int
        let perDay: Int

        init(_ burst: Int, perDay: Int) { (self.burst, self.perDay) = (burst, perDay) }

        func allowance<Owner: Hashable>(of _: Owner.Type) -> TraceQuota<Owner> {
            TraceQuota(burst: burst, perDay: perDay)
        }
    }

    private struct Sender: Hashable {
        let team: TeamID
        let subject: LimitSubject
    }

    /// The single owner of the quota shared by all teams.
    private enum Installation { case all }

    private var addresses: TraceQuota<Sender>
    private var sites: TraceQuota<Sender>
    private var everywhere: TraceQuota<LimitSubject>
    private var teams: TraceQuota<TeamID>
    private var ownShares: TraceQuota<TeamID>
    private var installation: TraceQuota<Installation>

    /// - Parameters:
    ///   - everywhere: the rate of an IPv4 address or an IPv6 site, in all teams together.
    ///   - share: the rate reserved for each team, whatever others use of the installation's.
    init(address: Rate, site: Rate, everywhere: Rate, team: Rate, share: Rate, installation: Rate) {
        addresses = address.allowance(of: Sender.self)
        sites = site.allowance(of: Sender.self)
        self.everywhere = everywhere.allowance(of: LimitSubject.self)
        teams = team.allowance(of: TeamID.self)
        ownShares = share.allowance(of: TeamID.self)
        self.installation = installation.allowance(of: Installation.self)
    }

    /// Takes an amount from all quotas; false when one of them has too little left.
    ///
    /// An amount refused to an address is not taken from its team.
    mutating func take(_ amount: Int = 1, from ip: String, in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool
    {
        let (address, site) = (LimitSubject.address("steps", ip), LimitSubject.site("steps", ip))
        guard addresses.take(amount, for: Sender(team: team, subject: address), at: now) else { return false }
        if let site { guard sites.take(amount, for: Sender(team: team, subject: site), at: now) else { return false } }
        return everywhere.take(amount, for: site ?? address, at: now) && teams.take(amount, for: team, at: now)
            && (ownShares.take(amount, for: team, at: now) || installation.take(amount, for: .all, at: now))
    }

    /// Whether the team has quota left.
    func isLeft(in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool { teams.isLeft(for: team, at: now) }

    /// Whether the team and the address in it have quota left, to be checked before an event is put together.
    func isLeft(for ip: String, in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool {
        isLeft(in: team, at: now) && addresses.isLeft(for: Sender(team: team, subject: .address("steps", ip)), at: now)
    }
}
