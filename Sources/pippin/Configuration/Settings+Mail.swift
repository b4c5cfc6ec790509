import Domain
import HTTPClient
import Mail

extension Settings {
    /// Route of outgoing mail; nil if an option is invalid, which `options` reports.
    static func mail(_ options: inout Options, _ publicURL: PublicURL?) -> MailSender.Route? {
        let url = options.value("smtp")
        let server = url.flatMap(SMTPServer.init)
        // The value is not repeated, because it may contain a password.
        if url != nil, server == nil {
            options.complain("--smtp is not smtp:// or smtps://, perhaps USER:PASSWORD@, then HOST and perhaps :PORT")
        }
        let from = options.value("mail-from")
        let address = from.map { EmailAddress(rawValue: $0) } ?? publicURL.flatMap(defaultSender)
        guard let publicURL else { return nil }
        guard let address else {
            options.complain(
                from.map { "--mail-from \($0) is not an e-mail address" }
                    ?? "--mail-from is needed when the public URL's host is no name for mail")
            return nil
        }
        return MailSender.Route(server: server, sender: address, localName: publicURL.host)
    }

    /// The default sender, with a subdomain if the host alone, such as `localhost`, is not a mail domain.
    private static func defaultSender(_ publicURL: PublicURL) -> EmailAddress? {
        EmailAddress(rawValue: "no-reply@\(publicURL.host)")
            ?? EmailAddress(rawValue: "no-reply@pippin.\(publicURL.host)")
    }
}
