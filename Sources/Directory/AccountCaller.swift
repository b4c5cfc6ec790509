public import Core
public import Platform

/// Team, language, network origin and time of a request about an account.
public struct AccountCaller: Sendable {
    public let team: TeamID
    public let language: Language
    public let origin: Origin
    public let now: Timestamp

    public init(team: TeamID, language: Language, origin: Origin, now: Timestamp) {
        self.team = team
        self.language = language
        self.origin = origin
        self.now = now
    }
}
