/// A quantity counted by day.
public enum Measure: String, CaseIterable, Sendable {
    /// Sign-ins with a response to their app, by client.
    case signIn = "sign_in"
    /// Refusals, by cause.
    case failure
    /// New users of the team.
    case newUser = "new_user"
    /// Sign-in traces that were not stored, because there were too many.
    case unkept
}
