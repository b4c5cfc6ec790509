public import Bytes
public import Directory
public import Domain
import Localization
import Postgres

/// Context of a new password in a form: the field, who chooses it, team, origin and time of the request.
public struct PasswordChoice: Sendable {
    let field: String
    let chooser: NewPasswords.Chooser
    let team: TeamID
    let origin: Origin
    let now: Timestamp
    let passwords: NewPasswords

    /// - Parameter field: the name of the form's field.
    public init(
        in field: String, by chooser: NewPasswords.Chooser, in team: TeamID, from origin: Origin, at now: Timestamp,
        with passwords: NewPasswords
    ) {
        self.field = field
        self.chooser = chooser
        self.team = team
        self.origin = origin
        self.now = now
        self.passwords = passwords
    }
}

extension FieldErrors {
    /// Counts and validates a new password; on failure adds an error to the field and returns nil.
    ///
    /// - Throws: `PostgresFailure`, or `UserFacingError.unavailable` if too many validations are queued.
    public mutating func take(_ text: String, by rule: PasswordRule, _ choice: PasswordChoice) async throws
        -> NewPassword?
    {
        guard let admission = try await admit(choice) else { return nil }
        return try await judge(text, by: rule, choice, with: admission)
    }

    /// Counts one more password to validate; nil, with an error at the field, if the limit is reached.
    ///
    /// - Throws: `PostgresFailure`.
    private mutating func admit(_ choice: PasswordChoice) async throws -> NewPasswordAdmission? {
        let answer = try await choice.passwords.admit(
            choice.chooser, in: choice.team, from: choice.origin, at: choice.now)
        switch consume answer {
        case .admitted(let admission): return admission
        case .tooMany(let wait):
            let minutes = max(1, (Int(wait.components.seconds) + 59) / 60)
            add(choice.field, Message("shared.passwords.too-many", count: minutes), waiting: wait)
            return nil
        }
    }

    /// Validates the password; nil, with an error at the field, if it breaks the rule.
    private mutating func judge(
        _ text: String, by rule: PasswordRule, _ choice: PasswordChoice, with admission: consuming NewPasswordAdmission
    ) async throws -> NewPassword? {
        let judgement: Result<NewPassword, NewPassword.Problem>
        do throws(PasswordHasher.Busy) {
            judgement = try await choice.passwords.judge(text, by: rule, for: choice.team, with: admission)
        } catch { throw UserFacingError.unavailable }
        switch judgement {
        case .success(let password): return password
        case .failure(let problem):
            add(choice.field, problem.words)
            return nil
        }
    }
}
