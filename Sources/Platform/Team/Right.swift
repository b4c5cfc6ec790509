/// A right that a route requires of the signed-in account.
public enum Right: CaseIterable, Hashable, Sendable {
    /// Reading every page of the team, except secrets.
    case read
    /// Exporting the audit log and verifying it against its seals.
    case exportAudit
    /// Changing App IDs, Service IDs, domains and return URLs; test sign-ins, test notifications and check-ups.
    case changeRegistry
    case changeKeys
    /// Changing users, and all that ends their tokens, such as the deletion of an App ID or a Service ID.
    case changeUsers
    case changeMembers
    case changeSettings
    case dangerZone
}
