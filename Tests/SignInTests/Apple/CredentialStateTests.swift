import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What a program learns of a person beside the state of the authorization.
@Suite struct `The credential state` {
    @Test(.apple) func `tells how real Apple takes the person to be, to the apps they use and no others`() throws {
        _ = try site.tokens()
        let form = ["sub": Performer.regular.subject.rawValue]
        #expect(try site.client("credential-state", form).json["real_user_status"] == nil)
        try site.admin("UPDATE upstream_identities SET real_user_status = 2")
        let answer = try site.client("credential-state", form).json
        #expect(answer["credential_state"] == "authorized" && answer["real_user_status"] == 2)
        #expect(answer["transfer_sub"] == nil)

        for (client, team) in [(ClientID.otherWeb, TeamID.acme), (.web, .rival)] {
            let proof = ["client_id": client.rawValue, "client_secret": try site.teams.secret(of: client, in: team)]
            let path = "/t/\(team.rawValue)/auth/credential-state"
            #expect(try site.post(path, proof.merging(form) { $1 }).json == ["credential_state": "notFound"])
        }

        // Somebody of the team's own who linked Apple for other apps: these learn nothing of it.
        try site.admin("UPDATE upstream_identities SET linked_at = now()")
        try site.admin("UPDATE consents SET provider = NULL")
        #expect(try site.client("credential-state", form).json["real_user_status"] == nil)
    }
}
