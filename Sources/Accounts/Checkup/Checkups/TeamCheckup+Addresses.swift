import Core
import Directory
import Federation
import HTTP
import Platform

// The URLs that the team enters at Apple.
extension TeamCheckup {
    /// Findings for the return URL and the notification endpoint, requested at their public URLs.
    func checkAddresses(of team: TeamID) async throws -> [Finding] {
        [await checkCallback(of: team), try await checkNotifications(of: team)]
    }

    private func checkCallback(of team: TeamID) async -> Finding {
        let subject = Message("console.doctor.return-url")
        let url = server.returnURL(of: .apple, in: team)
        let discovery = "\(server.base(of: team))/.well-known/openid-configuration"
        let answer = await surroundings.answer(ClientRequest("GET", discovery, addresses: .any))
        if let trouble = trouble(subject, url, answer, wanted: 200...200) { return trouble }
        return surroundings.isLoopback
            ? loopback(subject, url)
            : Finding(.good, subject, Message("console.doctor.return-url.answers", ["url": url]))
    }

    /// Only proves that the endpoint exists, unless Apple has used it: it rejects requests that Apple did not sign.
    private func checkNotifications(of team: TeamID) async throws -> Finding {
        let subject = Message("console.doctor.notifications")
        let url = server.notificationURL(of: .apple, in: team)
        let request = ClientRequest(
            "POST", url, fields: [("Content-Type", "application/json")], body: Array(#"{"payload":""}"#.utf8),
            addresses: .any)
        let answer = await surroundings.answer(request)
        if let trouble = trouble(subject, url, answer, wanted: 200...403) { return trouble }
        if let last = try await UpstreamNotificationReceiptStore(database).last(from: .apple, in: team) {
            let words = Message("console.doctor.notifications.came", ["url": url, "at": last])
            return Finding(.good, subject, words)
        }
        guard !surroundings.isLoopback else { return loopback(subject, url) }
        return Finding(
            .note, subject, Message("console.doctor.notifications.answers", ["url": url]),
            advice: [Message("console.doctor.notifications.answers.advice", ["url": url])])
    }

    /// The finding for an address that is unreachable or returns another status than `wanted`; nil when it works.
    private func trouble(
        _ subject: Message, _ url: String, _ answer: Result<ClientResponse, ClientFailure>, wanted: ClosedRange<Int>
    ) -> Finding? {
        let reason: Message
        switch answer {
        case .success(let answer) where wanted.contains(answer.status) && answer.status / 100 != 3: return nil
        case .success(let answer): reason = .status(answer.status)
        case .failure(let failure): reason = failure.words
        }
        return Finding(
            .wrong, subject, Message("console.doctor.way-in.silent", ["url": url, "reason": reason]),
            advice: [Message("console.doctor.way-in.silent.advice")])
    }

    private func loopback(_ subject: Message, _ url: String) -> Finding {
        Finding(.note, subject, Message("console.doctor.address.loopback", ["url": url]))
    }
}
