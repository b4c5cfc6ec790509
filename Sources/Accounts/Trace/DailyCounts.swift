import Core
import Platform

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

/// The counts since the last write, by team and day.
struct DailyCounts {
    struct Key: Hashable {
        /// The date in UTC, as in `2026-11-20`.
        let day: String
        let measure: Measure
        let subject: String
    }

    private static let capacity = 50_000
    private var teams: [TeamID: [Key: Int]] = [:]
    private var size = 0
    private var today = (number: -1, text: "")

    var isEmpty: Bool { teams.isEmpty }

    mutating func increment(_ measure: Measure, _ subject: String, of team: TeamID, at moment: Timestamp) {
        let key = Key(day: day(of: moment), measure: measure, subject: subject)
        guard teams[team]?[key] != nil || size < Self.capacity else { return }
        if teams[team]?[key] == nil { size += 1 }
        teams[team, default: [:]][key, default: 0] += 1
    }

    mutating func drain() -> [TeamID: [Key: Int]] {
        defer { (teams, size) = ([:], 0) }
        return teams
    }

    private mutating func day(of moment: Timestamp) -> String {
        let number = moment.seconds / 86_400
        if today.number != number { today = (number, String(moment.description.prefix(10))) }
        return today.text
    }
}
