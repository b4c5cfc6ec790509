/// Everything that leaves the installation because somebody asked for it: mail, and calls to addresses of others.
///
/// How often it may is declared here and nowhere else, for who gets it, who sends it and the team it is sent for. So
/// nobody can have a stranger's mailbox or server flooded in Pippin's name.
public enum Sending: String, CaseIterable, Hashable, Sendable {
    /// The link that makes an account, or the word that there is one: to whatever address a stranger types.
    case registration
    /// The link to a new password: to the address of an account, named by a stranger.
    case passwordReset
    /// The link that shows that another address is a person's: to whatever address they type.
    case emailChange
    /// A team's invitation to make an account with it, the first and the repeated ones.
    case userInvitation
    /// A team's invitation to work on it in the console, the first and the repeated ones.
    case memberInvitation
    /// The word that a new browser was signed in from.
    case newSignIn
    /// The word that something about an account was changed: its password, its address, a way to prove who they are.
    case accountChange
    /// Notices to an app's server that a member asks for: a test event, or one once more.
    case testNotice
    /// A notice to a server of which its team has not shown that it is its own.
    case notice
    /// A look at a domain or the mail records of a team's.
    case registryCheck
    /// A check-up of a team: it looks at so many hosts, domains and mail records, and no more.
    case checkup
    /// Apple asked whether it takes a connection's values: a few calls. A check-up is as many as it tests connections.
    case appleTest

    /// So many within a time.
    public struct Limit: Hashable, Sendable {
        public let count: Int
        public let window: Duration

        init(_ count: Int, in window: Duration) {
            self.count = count
            self.window = window
        }
    }

    private static let hour = Duration.seconds(3600)
    private static let minute = Duration.seconds(60)

    /// For one mailbox or one server.
    ///
    /// It counts within the team; invitations to the console, which reach people, count over all teams. Nil where only the
    /// team itself is asked, or one server for all teams. What anybody may ask for counts for each of those who ask
    /// (`perRecipientOverAll`).
    public var perRecipient: Limit? {
        switch self {
        case .registration, .passwordReset, .emailChange, .userInvitation, .memberInvitation:
            Limit(3, in: Self.hour)
        // Who gets twenty of them in an hour has been told.
        case .newSignIn, .accountChange: Limit(20, in: Self.hour)
        case .testNotice: Limit(10, in: Self.minute)
        case .registryCheck: Limit(30, in: Self.minute)
        case .notice: Limit(40, in: Self.minute)
        // Apple is one server for all teams, which counts for itself; a check-up's hosts are many.
        case .appleTest, .checkup: nil
        }
    }

    /// For one mailbox over all strangers who ask, where anybody may, and over all browsers that the account knows:
    /// `perRecipient` counts for each network that asks then, and for each such browser.
    ///
    /// So a stranger who asks for all they may leaves something for the person whose mailbox it is.
    public var perRecipientOverAll: Limit? {
        switch self {
        case .registration, .passwordReset: Limit(9, in: Self.hour)
        case .emailChange, .userInvitation, .memberInvitation, .newSignIn, .accountChange, .testNotice,
            .notice, .registryCheck, .checkup, .appleTest:
            nil
        }
    }

    /// For one server over all teams, beside `perRecipient` for each of them.
    ///
    /// So much more that no team uses up another's looks at a server that both name.
    public var perServerOverTeams: Limit? {
        switch self {
        case .testNotice: Limit(80, in: Self.minute)
        case .registryCheck: Limit(240, in: Self.minute)
        case .notice: Limit(320, in: Self.minute)
        case .registration, .passwordReset, .emailChange, .userInvitation, .memberInvitation, .newSignIn,
            .accountChange, .checkup, .appleTest:
            nil
        }
    }

    /// For one member, person, or address of a stranger; sixteen times as much for a site of IPv6.
    ///
    /// Nil where the limit of the team is as small.
    public var perSender: Limit? {
        switch self {
        case .registration, .passwordReset: Limit(20, in: Self.hour)
        case .emailChange: Limit(3, in: Self.hour)
        case .userInvitation: Limit(100, in: Self.hour)
        case .memberInvitation: Limit(30, in: Self.hour)
        // Whoever signs in or changes something is its recipient.
        case .newSignIn, .accountChange: nil
        case .testNotice, .notice: nil
        case .registryCheck: Limit(16, in: Self.minute)
        case .checkup: Limit(2, in: Self.minute)
        case .appleTest: Limit(16, in: .seconds(300))
        }
    }

    /// For all of a team together.
    public var perTeam: Limit? {
        switch self {
        // Far above what a launch brings: reaching it keeps everybody else of the team from registering. Only mail that goes
        // out counts; of forgotten passwords none that a browser asks for which the account knows.
        case .registration, .passwordReset: Limit(5000, in: Self.hour)
        case .emailChange: Limit(1000, in: Self.hour)
        case .userInvitation: Limit(200, in: Self.hour)
        case .memberInvitation: Limit(60, in: Self.hour)
        // Each stands for a sign-in with the right password, or for a change that was made.
        case .newSignIn, .accountChange: nil
        // Each stands for something that happened to a person.
        case .notice: nil
        case .testNotice: Limit(10, in: Self.minute)
        case .registryCheck: Limit(32, in: Self.minute)
        case .checkup: Limit(4, in: Self.minute)
        // Apple throttles by the team there, and so the sign-ins too.
        case .appleTest: Limit(20, in: .seconds(300))
        }
    }
}
