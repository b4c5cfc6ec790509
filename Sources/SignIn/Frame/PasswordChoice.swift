public import Core
public import Directory
public import Platform

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
