/// What a person decided on the consent sheet.
public struct ConsentChoice: Sendable {
    /// The name to share, edited or not; nil when the app did not ask for it.
    public let name: PersonName?
    public let email: Consent.EmailChoice

    public init(name: PersonName?, email: Consent.EmailChoice) {
        self.name = name
        self.email = email
    }
}
