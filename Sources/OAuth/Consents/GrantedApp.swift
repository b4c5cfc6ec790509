/// Consent in the list of a user's apps.
public struct GrantedApp: Sendable {
    public let consent: Consent
    /// Description of the App ID, by which users know the app.
    public let name: String
}
