import AuthEngine
import Bytes
import Directory
import Domain
import HTTPClient

// The addresses that are entered at Apple.
extension TeamCheckup {
    /// Return URL and notification endpoint, asked by the name that Apple uses.
    func lookAtAddresses(of team: TeamID) async throws -> [Finding] {
        [
            await lookAtCallback(of: team), try await lookAtNotices(of: team),
        ]
    }

    private func lookAtCallback(of team: TeamID) async -> Finding {
        let subject = Phrase("console.doctor.return-url")
        let url = context.returnURL(of: .apple, in: team)
        let discovery = "\(context.base(of: team))/.well-known/openid-configuration"
        let answer = await surroundings.answer(ClientRequest("GET", discovery, addresses: .any))
        if let trouble = trouble(subject, url, answer, wanted: 200...200) { return trouble }
        return surroundings.isLoopback
            ? loopback(subject, url)
            : Finding(.good, subject, Phrase("console.doctor.return-url.answers", ["url": url]))
    }

    /// It refuses what Apple did not sign; that it is there is all that can be seen from here, unless Apple was there.
    private func lookAtNotices(of team: TeamID) async throws -> Finding {
        let subject = Phrase("console.doctor.notices")
        let url = context.notificationURL(of: .apple, in: team)
        let request = ClientRequest(
            "POST",
            url,
            fields: [("Content-Type", "application/json")],
            body: Array(#"{"payload":""}"#.utf8),
            addresses: .any
        )
        let answer = await surroundings.answer(request)
        if let trouble = trouble(subject, url, answer, wanted: 200...403) { return trouble }
        if let last = try await ProviderNoticeArrivalStore(database).last(from: .apple, in: team) {
            let words = Phrase("console.doctor.notices.came", ["url": url, "at": last])
            return Finding(.good, subject, words)
        }
        guard !surroundings.isLoopback else { return loopback(subject, url) }
        return Finding(
            .note,
            subject,
            Phrase("console.doctor.notices.answers", ["url": url]),
            advice: [Phrase("console.doctor.notices.answers.advice", ["url": url])]
        )
    }

    /// What keeps an address from being of use, or nil.
    private func trouble(
        _ subject: Phrase,
        _ url: String,
        _ answer: Result<ClientResponse, ClientFailure>,
        wanted: ClosedRange<Int>
    ) -> Finding? {
        let reason: Phrase
        switch answer {
        case .success(let answer) where wanted.contains(answer.status) && answer.status / 100 != 3: return nil
        case .success(let answer): reason = .status(answer.status)
        case .failure(let failure): reason = failure.words
        }
        return Finding(
            .wrong,
            subject,
            Phrase("console.doctor.way-in.silent", ["url": url, "reason": reason]),
            advice: [Phrase("console.doctor.way-in.silent.advice")]
        )
    }

    private func loopback(_ subject: Phrase, _ url: String) -> Finding {
        Finding(.note, subject, Phrase("console.doctor.address.loopback", ["url": url]))
    }
}
