/// Messages that leave the installation on request: mail, and calls to servers of other parties.
///
/// Their limits per recipient, sender and team are declared here and nowhere else. They prevent the use of Pippin to
/// flood the mailbox or server of a third party.
public enum Sending: String, CaseIterable, Hashable, Sendable {
    /// Link that creates an account, or mail that the account exists: to any address an unauthenticated client enters.
    case registration
    /// Link to choose another password: to the address of an account that an unauthenticated client names.
    case passwordReset
    /// Link that confirms another address of a user: to any address the user enters.
    case emailChange
    /// A team's invitation to create an account with it, first or repeated.
    case userInvitation
    /// A team's invitation to work on it in the console, first or repeated.
    case memberInvitation
    /// Mail about a sign-in from a new browser.
    case newSignIn
    /// Mail about a change of an account: its password, its address, a way to authenticate.
    case accountChange
    /// Notification to an app's server that a member requests: a test event, or a repeated one.
    case testNotification
    /// Notification to a server that its team has not verified as its own.
    case notification
    /// Check of a team's domain or mail records.
    case registryCheck
    /// Check-up of a team, which looks at a limited number of hosts, domains and mail records.
    case checkup
    /// Test of a connection's values at Apple: a few calls. A check-up counts as one for each connection it tests.
    case appleTest

    /// Most messages within a window.
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

    /// Limit per mailbox or server.
    ///
    /// It counts within the team; invitations to the console, which go to people, count over all teams. Nil if only the
    /// team itself or one server for all teams is contacted. Mail that unauthenticated clients may request counts per
    /// requester (`perRecipientOverAll`).
    public var perRecipient: Limit? {
        switch self {
        case .registration, .passwordReset, .emailChange, .userInvitation, .memberInvitation: Limit(3, in: Self.hour)
        // Twenty such mails in an hour have informed the user.
        case .newSignIn, .accountChange: Limit(20, in: Self.hour)
        case .testNotification: Limit(10, in: Self.minute)
        case .registryCheck: Limit(30, in: Self.minute)
        case .notification: Limit(40, in: Self.minute)
        // Apple is one server for all teams and has its own limits; the hosts of a check-up are many.
        case .appleTest, .checkup: nil
        }
    }

    /// Limit per mailbox over all unauthenticated requests, and over all browsers that the account knows.
    ///
    /// `perRecipient` then counts per requesting network and per known browser, so that a client that uses up its limit
    /// leaves mails for the owner of the mailbox.
    public var perRecipientOverAll: Limit? {
        switch self {
        case .registration, .passwordReset: Limit(9, in: Self.hour)
        case .emailChange, .userInvitation, .memberInvitation, .newSignIn, .accountChange, .testNotification,
            .notification, .registryCheck, .checkup, .appleTest:
            nil
        }
    }

    /// Limit per server over all teams, besides `perRecipient` for each team.
    ///
    /// It is so much larger that no team uses up another's checks of a server that both name.
    public var perServerOverTeams: Limit? {
        switch self {
        case .testNotification: Limit(80, in: Self.minute)
        case .registryCheck: Limit(240, in: Self.minute)
        case .notification: Limit(320, in: Self.minute)
        case .registration, .passwordReset, .emailChange, .userInvitation, .memberInvitation, .newSignIn,
            .accountChange, .checkup, .appleTest:
            nil
        }
    }

    /// Limit per member, user, or network address of an unauthenticated client; sixteen times as much per IPv6 site.
    ///
    /// Nil if the limit of the team is as small.
    public var perSender: Limit? {
        switch self {
        case .registration, .passwordReset: Limit(20, in: Self.hour)
        case .emailChange: Limit(3, in: Self.hour)
        case .userInvitation: Limit(100, in: Self.hour)
        case .memberInvitation: Limit(30, in: Self.hour)
        // The user who signs in or changes something is the recipient.
        case .newSignIn, .accountChange: nil
        case .testNotification, .notification: nil
        case .registryCheck: Limit(16, in: Self.minute)
        case .checkup: Limit(2, in: Self.minute)
        case .appleTest: Limit(16, in: .seconds(300))
        }
    }

    /// Limit per team.
    public var perTeam: Limit? {
        switch self {
        // Far above the volume of a launch, because reaching it blocks registration for the whole team. Only mail that
        // is sent counts; password resets that a browser known to the account requests do not.
        case .registration, .passwordReset: Limit(5000, in: Self.hour)
        case .emailChange: Limit(1000, in: Self.hour)
        case .userInvitation: Limit(200, in: Self.hour)
        case .memberInvitation: Limit(60, in: Self.hour)
        // Each follows a sign-in with the right password, or a change that was made.
        case .newSignIn, .accountChange: nil
        // Each follows an event of a user.
        case .notification: nil
        case .testNotification: Limit(10, in: Self.minute)
        case .registryCheck: Limit(32, in: Self.minute)
        case .checkup: Limit(4, in: Self.minute)
        // Apple throttles per Apple team, which affects sign-ins, too.
        case .appleTest: Limit(20, in: .seconds(300))
        }
    }
}
