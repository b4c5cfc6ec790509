/// Why factors stay as they are.
public enum FactorRefusal: Error, Hashable, Sendable {
    /// It is the only one, and the team requires one.
    case lastOne
    /// There are as many passkeys as a person may have.
    case tooMany
    /// Somebody in the team has that passkey already.
    case taken
    /// The code is not that of the app.
    case wrongCode
    /// What was answered does not hold, or is too old.
    case notProved
    /// There is no such factor.
    case unknown
    /// The person has a factor already, and has not shown it.
    case notFirst
    /// The sign-in or session in which it was to be added has ended.
    case over
}
