import Bytes
import HTTP
import Web

// Where a person at the laptop chooses what goes wrong.
extension Simulator {
    func showDesk(_ request: Request) throws -> Response {
        let done = try request.query()["done"].flatMap(Done.init(rawValue:))
        return site.respond(desk, DeskPage(assets: site.assets, script: script, done: done))
    }

    /// What the last form at the desk did, as the page says.
    enum Done: String {
        case saved
        case told
        /// The person uses no app here that could be told.
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
    /// How many people a crowd has.
    private static let crowd = 1_000
    /// The crowd's name in the form of the desk.
    static let crowdName = "crowd"

    /// What was chosen at the desk; nothing that is known asks.
    fileprivate init(_ name: String) {
        self =
            name == Self.crowdName
            ? .crowd(Self.crowd) : Performer(rawValue: name).map { .always($0) } ?? .asked
    }
}
