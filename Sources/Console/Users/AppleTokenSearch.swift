import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// What is looked for among the tokens Apple does not take back, as the list's address says it.
struct AppleTokenSearch: Sendable {
    /// A filter that is set, and the list without it.
    struct Chip: Sendable {
        let words: Phrase
        let url: String

        static let fields = Fields<Chip>()
            .words("text") { $0.words }
            .text("url") { $0.url }
    }

    let state: ProviderTokenSummary.State?
    let problem: ProviderTokenProblem?
    let subject: Subject?

    /// What is no filter, or none that is known, is ignored.
    init(_ query: Form) {
        state = query["state"].flatMap(ProviderTokenSummary.State.init).flatMap {
            Self.states.contains($0) ? $0 : nil
        }
        problem = query["problem"].flatMap(ProviderTokenProblem.init)
        subject = query["q"].flatMap { Subject(rawValue: $0.trimmed) }
    }

    /// The states in which a token has a problem.
    private static let states: [ProviderTokenSummary.State] = [.refused, .live]

    var filter: ProviderTokenFilter {
        ProviderTokenFilter(state: state, problem: problem, subject: subject)
    }

    /// The filters by the names the address has for them.
    var parameters: [(name: String, value: String)] {
        [("q", subject?.rawValue), ("state", state?.rawValue), ("problem", problem?.rawValue)]
            .compactMap { name, value in value.map { (name, $0) } }
    }

    func chips(in team: TeamID) -> [Chip] {
        [("q", subject?.rawValue as (any Wording)?), ("state", state?.words), ("problem", problem?.words)]
            .compactMap { name, words in words.map { chip(name, $0, team) } }
    }

    private func chip(_ name: String, _ words: any Wording, _ team: TeamID) -> Chip {
        let rest = parameters.filter { $0.name != name }
        let query = FormCoding.encode(rest)
        return Chip(
            words: Phrase("console.apple-tokens.chip", ["filter": words]),
            url: AppleTokenRoutes.tokens.link(team) + (query.isEmpty ? "" : "?\(query)")
        )
    }

    var stateSelect: SelectView {
        let known = Self.states.map {
            SelectView.Option($0.rawValue, $0.words, isSelected: $0 == state)
        }
        let any = SelectView.Option("", Phrase("console.apple-tokens.any-state"), isSelected: state == nil)
        return SelectView("state", label: Phrase("console.apple-tokens.state"), options: [any] + known)
    }

    var problemSelect: SelectView {
        let known = ProviderTokenProblem.allCases.map {
            SelectView.Option($0.rawValue, $0.words, isSelected: $0 == problem)
        }
        let any = SelectView.Option(
            "",
            Phrase("console.apple-tokens.any-problem"),
            isSelected: problem == nil
        )
        return SelectView("problem", label: Phrase("console.apple-tokens.problem"), options: [any] + known)
    }
}
