import Directory
import Domain
import EventLoop

/// How much is stored of steps that nobody has to have an account for, in KiB: by address and site of IPv6 in each team
/// and in all of them, by team, and altogether, so that one address leaves the team room for everybody else's, and one
/// team the others.
struct SenderAllowance {
    /// How much at once, and a day.
    struct Rate {
        let burst: Int
        let perDay: Int

        init(_ burst: Int, perDay: Int) {
            (self.burst, self.perDay) = (burst, perDay)
        }

        func allowance<Owner: Hashable>(of _: Owner.Type) -> FlowAllowance<Owner> {
            FlowAllowance(burst: burst, perDay: perDay)
        }
    }

    private struct Sender: Hashable {
        let team: TeamID
        let subject: LimitSubject
    }

    /// The one owner of what is left for all teams.
    private enum Installation {
        case all
    }

    private var addresses: FlowAllowance<Sender>
    private var sites: FlowAllowance<Sender>
    private var everywhere: FlowAllowance<LimitSubject>
    private var teams: FlowAllowance<TeamID>
    private var ownShares: FlowAllowance<TeamID>
    private var installation: FlowAllowance<Installation>

    /// - Parameters:
    ///   - everywhere: of an address of IPv4 or a site of IPv6, in all teams.
    ///   - share: what a team has of its own, whatever others use up of the installation's.
    init(
        address: Rate,
        site: Rate,
        everywhere: Rate,
        team: Rate,
        share: Rate,
        installation: Rate
    ) {
        addresses = address.allowance(of: Sender.self)
        sites = site.allowance(of: Sender.self)
        self.everywhere = everywhere.allowance(of: LimitSubject.self)
        teams = team.allowance(of: TeamID.self)
        ownShares = share.allowance(of: TeamID.self)
        self.installation = installation.allowance(of: Installation.self)
    }

    /// Takes so much; false when there is less left.
    ///
    /// What is refused to an address takes nothing of its team's.
    mutating func take(
        _ amount: Int = 1,
        from ip: String,
        in team: TeamID,
        at now: Int64 = MonotonicTime.now()
    ) -> Bool {
        let (address, site) = (LimitSubject.address("steps", ip), LimitSubject.site("steps", ip))
        guard addresses.take(amount, for: Sender(team: team, subject: address), at: now) else { return false }
        if let site {
            guard sites.take(amount, for: Sender(team: team, subject: site), at: now) else { return false }
        }
        return everywhere.take(amount, for: site ?? address, at: now)
            && teams.take(amount, for: team, at: now)
            && (ownShares.take(amount, for: team, at: now)
                || installation.take(amount, for: .all, at: now))
    }

    /// Whether the team has anything left.
    func isLeft(in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool {
        teams.isLeft(for: team, at: now)
    }

    /// Whether the team and the address in it have anything left; false spares whoever asks to put a step together.
    func isLeft(for ip: String, in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool {
        isLeft(in: team, at: now)
            && addresses.isLeft(for: Sender(team: team, subject: .address("steps", ip)), at: now)
    }
}
