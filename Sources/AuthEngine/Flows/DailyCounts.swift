import Bytes
import Domain

/// What is counted by the day.
public enum Measure: String, CaseIterable, Sendable {
    /// Sign-ins whose app got its answer, by client.
    case signIn = "sign_in"
    /// Refusals, by cause.
    case failure
    /// People who are new to the team.
    case newUser = "new_user"
    /// Flows that were not kept, since there were too many.
    case unkept
}

/// The counts since they were last written, by team and day.
struct DailyCounts {
    struct Key: Hashable {
        /// `2026-11-20`, in UTC.
        let day: String
        let measure: Measure
        let subject: String
    }

    private static let capacity = 50_000
    private var teams: [TeamID: [Key: Int]] = [:]
    private var size = 0
    private var today = (number: -1, text: "")

    var isEmpty: Bool { teams.isEmpty }

    mutating func bump(_ measure: Measure, _ subject: String, of team: TeamID, at moment: Timestamp) {
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
