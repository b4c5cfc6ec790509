public import Core
public import Directory
public import Platform
import Postgres

/// Context of a new password in a form: the field, team, origin and time of the request.
public struct PasswordChoice: Sendable {
    let field: String
    let team: TeamID
    let origin: Origin
    let now: Timestamp
    let passwords: NewPasswords

    /// - Parameter field: the name of the form's field.
    public init(in field: String, of team: TeamID, from origin: Origin, at now: Timestamp, with passwords: NewPasswords)
    {
        self.field = field
        self.team = team
        self.origin = origin
        self.now = now
        self.passwords = passwords
    }
}

extension FieldErrors {
    /// Counts and validates a new password; on failure adds an error to the field and returns nil.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`, or `UserFacingError.unavailable` if too many validations are
    ///   queued.
    public mutating func take(_ text: String, by rule: PasswordRule, _ choice: PasswordChoice) async throws
        -> NewPassword?
    {
        do {
            let judgement = try await choice.passwords.judge(
                text, by: rule, in: choice.team, from: choice.origin, at: choice.now)
            return try judgement.get()
        } catch let problem as NewPassword.Problem {
            add(choice.field, problem.words)
            return nil
        } catch is PasswordHasher.Busy { throw UserFacingError.unavailable }
    }
}
