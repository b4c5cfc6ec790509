public import Bytes

/// What is written to somebody, before it has words.
public enum Letter: Hashable, Sendable {
    /// The link proves that the address is theirs.
    case verification(link: String, until: Timestamp)
    /// The link lets them choose a new password.
    case passwordReset(link: String, until: Timestamp)
    /// The link signs them in once.
    case signInLink(link: String, until: Timestamp)
    /// Somebody signed in from a browser that had not been seen before.
    ///
    /// - Parameters:
    ///   - browser: as pages name it, such as `Firefox on Linux`.
    ///   - link: where they see their sessions and end them.
    case newSignIn(at: Timestamp, browser: String, ip: String, link: String)
    /// A member asks them to join a team in the console.
    ///
    /// - Parameters:
    ///   - inviter: the name of the member who invites.
    ///   - team: the name of the team. It writes nothing itself: the mail comes from the console.
    case invitation(inviter: String, team: String, link: String, until: Timestamp)
    /// The team asks them to make an account with it.
    case accountInvitation(link: String, until: Timestamp)
    /// Words of the caller's own, which are in the reader's language already.
    case plain(subject: String, paragraphs: [String])
}

extension Letter {
    /// Its name in lists and in the log.
    public var name: String {
        switch self {
        case .verification: "verification"
        case .passwordReset: "password-reset"
        case .signInLink: "sign-in-link"
        case .newSignIn: "new-sign-in"
        case .invitation: "invitation"
        case .accountInvitation: "account-invitation"
        case .plain: "plain"
        }
    }

    /// Where the letter sends its reader.
    var link: String? {
        switch self {
        case .verification(let link, _), .passwordReset(let link, _), .newSignIn(_, _, _, let link),
            .invitation(_, _, let link, _), .accountInvitation(let link, _), .signInLink(let link, _):
            link
        case .plain: nil
        }
    }

    /// When it has become useless: it is not sent any more after that.
    var until: Timestamp? {
        switch self {
        case .verification(_, let until), .passwordReset(_, let until), .invitation(_, _, _, let until),
            .accountInvitation(_, let until), .signInLink(_, let until):
            until
        case .newSignIn, .plain: nil
        }
    }
}
