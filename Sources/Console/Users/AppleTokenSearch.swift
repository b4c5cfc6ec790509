import Bytes
import Domain
import Federation
import HTTP
import Localization
import Templates
import Web

/// Filters of the list of Apple tokens that could not be revoked or validated, from the query of its URL.
struct AppleTokenSearch: Sendable {
    /// A set filter, with the URL of the list without it.
    struct Chip: Sendable {
        let words: Message
        let url: String

        static let fields = Fields<Chip> {
            $0.words("text") { $0.words }
            $0.text("url") { $0.url }
        }
    }

    let state: UpstreamTokenSummary.State?
    let problem: UpstreamTokenProblem?
    let subject: Subject?

    /// Ignores unknown parameters and invalid values.
    init(_ query: Form) {
        state = query["state"].flatMap(UpstreamTokenSummary.State.init).flatMap { Self.states.contains($0) ? $0 : nil }
        problem = query["problem"].flatMap(UpstreamTokenProblem.init)
        subject = query["q"].flatMap { Subject(rawValue: $0.trimmed) }
    }

    /// States in which a token can have a problem.
    private static let states: [UpstreamTokenSummary.State] = [.refused, .live]

    var filter: UpstreamTokenFilter { UpstreamTokenFilter(state: state, problem: problem, subject: subject) }

    /// Set filters by the name of their query parameter.
    var parameters: [(name: String, value: String)] {
        [("q", subject?.rawValue), ("state", state?.rawValue), ("problem", problem?.rawValue)].compactMap {
            name, value in value.map { (name, $0) }
        }
    }

    func chips(in team: TeamID) -> [Chip] {
        [
            ("q", subject?.rawValue as (any LocalizedTextConvertible)?), ("state", state?.words),
            ("problem", problem?.words),
        ].compactMap { name, words in words.map { chip(name, $0, team) } }
    }

    private func chip(_ name: String, _ words: any LocalizedTextConvertible, _ team: TeamID) -> Chip {
        let rest = parameters.filter { $0.name != name }
        let query = FormCoding.encode(rest)
        return Chip(
            words: Message("console.apple-tokens.chip", ["filter": words]),
            url: AppleTokenRoutes.tokens.link(team) + (query.isEmpty ? "" : "?\(query)"))
    }

    var stateSelect: SelectView {
        let known = Self.states.map { SelectView.Option($0.rawValue, $0.words, isSelected: $0 == state) }
        let any = SelectView.Option("", Message("console.apple-tokens.any-state"), isSelected: state == nil)
        return SelectView("state", label: Message("console.apple-tokens.state"), options: [any] + known)
    }

    var problemSelect: SelectView {
        let known = UpstreamTokenProblem.allCases.map {
            SelectView.Option($0.rawValue, $0.words, isSelected: $0 == problem)
        }
        let any = SelectView.Option("", Message("console.apple-tokens.any-problem"), isSelected: problem == nil)
        return SelectView("problem", label: Message("console.apple-tokens.problem"), options: [any] + known)
    }
}
