import Bytes
import Domain
import Templates
import Web

/// What to do, in which order, to connect a team's app to the stand-in for Apple.
struct StandInSteps: Sendable {
    /// Any key of the kind will do, since the stand-in learns it from here.
    private static let command =
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_MYTRIAL001.p8"

    let teamID: AppleTeamID

    /// Nil where Apple is Apple.
    init?(_ standIn: AppleStandIn?) {
        guard let standIn else { return nil }
        teamID = standIn.teamID
    }

    static let fields = Fields<StandInSteps>()
        .text("teamID") { $0.teamID.rawValue }
        .group("command", CopyView.fields) { _ in
            CopyView(Phrase("console.apple.stand-in.command"), command)
        }
}
