import Bytes
import HTTP
import Web

// Where a person at the laptop chooses what goes wrong.
extension Simulator {
    func showDesk() -> Response {
        site.respond(desk, DeskPage(assets: site.assets, script: script))
    }

    func setDesk(_ request: Request) throws -> Response {
        let form = try request.form()
        script.performer = form["person"].flatMap(Performer.init(rawValue:))
        for place in Place.allCases {
            script.set(form[place.rawValue].flatMap(Fault.init(rawValue:)), at: place, times: .max)
        }
        return .redirect(to: Routes.desk.link())
    }
}
