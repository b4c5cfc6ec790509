import Domain
import HTTPClient
import Mail

extension Settings {
    /// How mail leaves; nil when something is wrong, which `options` knows.
    static func mail(_ options: inout Options, _ publicURL: PublicURL?) -> MailCourier.Route? {
        let url = options.value("smtp")
        let server = url.flatMap(SMTPServer.init)
        // Not repeated: it may hold a password.
        if url != nil, server == nil {
            options.complain(
                "--smtp is not smtp:// or smtps://, perhaps USER:PASSWORD@, then HOST and perhaps :PORT"
            )
        }
        let from = options.value("mail-from")
        let address = from.map { EmailAddress(rawValue: $0) } ?? publicURL.flatMap(defaultSender)
        guard let publicURL else { return nil }
        guard let address else {
            options.complain(
                from.map { "--mail-from \($0) is not an e-mail address" }
                    ?? "--mail-from is needed when the public URL's host is no name for mail"
            )
            return nil
        }
        return MailCourier.Route(server: server, sender: address, localName: publicURL.host)
    }

    /// `localhost` alone is no domain for mail.
    private static func defaultSender(_ publicURL: PublicURL) -> EmailAddress? {
        EmailAddress(rawValue: "no-reply@\(publicURL.host)")
            ?? EmailAddress(rawValue: "no-reply@pippin.\(publicURL.host)")
    }
}
