public import Directory

/// Decision of a user on the consent sheet.
public struct ConsentChoice: Sendable {
    /// Name to share, edited or not; nil if the app did not request it.
    public let name: PersonName?
    public let email: Consent.EmailChoice

    public init(name: PersonName?, email: Consent.EmailChoice) {
        self.name = name
        self.email = email
    }
}
