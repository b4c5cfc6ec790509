import Core
import HTTP
import SignIn

// The page that selects the simulator's behavior.
extension Simulator {
    func showDesk(_ request: Request) throws -> Response {
        let done = try request.query()["done"].flatMap(Done.init(rawValue:))
        return site.respond(desk, DeskPage(assets: site.assets, script: script, done: done))
    }

    /// Result of the last form on the desk.
    enum Done: String {
        case saved
        case told
        /// The user uses no app that could be notified.
        case nobody

        var link: String { "\(Routes.desk.link())?done=\(rawValue)" }

        var words: String {
            switch self {
            case .saved: "Saved. It holds until you change it."
            case .told: "Their apps are told."
            case .nobody: "They use no app here, so nobody was told."
            }
        }
    }

    func setDesk(_ request: Request) throws -> Response {
        let form = try request.form()
        script.turn = Script.Turn(form["person"] ?? "")
        for place in Place.allCases {
            script.set(form[place.rawValue].flatMap(Fault.init(rawValue:)), at: place, times: .max)
        }
        return .redirect(to: Done.saved.link)
    }
}

extension Script.Turn {
    /// Size of the population.
    private static let crowd = 1_000
    /// Value of the population in the desk's form.
    static let crowdName = "crowd"

    /// The selection from the desk's form; unknown values show the selection page.
    fileprivate init(_ name: String) {
        self = name == Self.crowdName ? .crowd(Self.crowd) : Performer(rawValue: name).map { .always($0) } ?? .asked
    }
}
