import Core
import Crypto
import Testing

@testable import Platform
@testable import TestTeams

// The mail that waits to be sent.
extension TestSite {
    /// What was written in the name of a team, the oldest first.
    func mails(of team: TeamID = .acme) throws -> [OutgoingMail] {
        let rows = try teams.admin(
            """
            SELECT job_id, payload->>'sealed' FROM jobs WHERE kind = 'mail.send' AND team_id = $1
            ORDER BY created_at, job_id
            """, team.rawValue)
        return try rows.map { row in
            let id = try #require(row[0].flatMap(JobID.init(rawValue:)))
            let sealed = try #require(row[1].flatMap { Base64URL.decode($0) })
            let sealer = MailQueue.sealer(teams.server.keyRing)
            let opened = try #require(sealer.open(sealed, context: MailQueue.context(team, id)))
            let payload = try JSON.decode(MailPayload.self, from: opened)
            return try #require(payload.mail)
        }
    }

    /// Where the last mail leads, as a path of this site.
    func link() throws -> String {
        let link = try #require(try mails().last?.message.link)
        #expect(link.hasPrefix(TestTeams.publicURL + "/"))
        return String(link.dropFirst(TestTeams.publicURL.count))
    }
}
