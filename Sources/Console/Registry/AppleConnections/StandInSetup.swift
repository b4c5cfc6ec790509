import Bytes
import Domain
import Localization
import Templates
import Web

/// Instructions to connect a team's app to the Apple simulator.
struct StandInSetup: Sendable {
    /// Command that generates a key; any P-256 key works, because the console registers it at the simulator.
    private static let command =
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_MYTRIAL001.p8"

    let teamID: AppleTeamID

    /// Nil if no simulator replaces Apple.
    init?(_ standIn: AppleStandIn?) {
        guard let standIn else { return nil }
        teamID = standIn.teamID
    }

    static let fields = Fields<StandInSetup> {
        $0.text("teamID") { $0.teamID.rawValue }
        $0.group("command", CopyView.fields) { _ in CopyView(Message("console.apple.stand-in.command"), command) }
    }
}
