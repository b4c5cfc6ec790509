public import AuthEngine
import Bytes
public import HTTPClient
public import Providers

/// Looks at what all teams share: the way to Apple, the clock, the way in, mail to hidden addresses.
public struct InstallationCheckup: Sendable {
    /// Apple refuses client secrets from too far ahead, and its tokens are refused here from further off.
    private static let tolerance = 30

    private let apple: AppleProvider
    private let surroundings: Surroundings

    /// - Parameters:
    ///   - apple: belongs to the client's loop.
    ///   - client: asks for addresses of this installation.
    public init(_ context: EngineContext, apple: AppleProvider, client: HTTPClient) {
        self.apple = apple
        surroundings = Surroundings(context: context, client: client)
    }

    public func run() async -> [Finding] {
        await lookAtApple() + [await lookAtWayIn(), relay]
    }

    private func lookAtApple() async -> [Finding] {
        let publication: ApplePublication
        do throws(ProviderFailure) {
            publication = try await apple.publication()
        } catch {
            return [
                Finding(
                    .wrong,
                    Phrase("console.doctor.apple"),
                    Phrase("console.doctor.apple.silent", ["reason": error.reason]),
                    advice: [Phrase("console.doctor.apple.silent.advice")]
                )
            ]
        }
        return [documents(publication), clock(publication)]
    }

    private func documents(_ publication: ApplePublication) -> Finding {
        let subject = Phrase("console.doctor.apple")
        if publication.discovery != apple.pinnedDiscovery {
            return Finding(
                .note,
                subject,
                Phrase("console.doctor.apple.drift"),
                advice: [Phrase("console.doctor.apple.drift.advice")]
            )
        }
        return Finding(
            publication.keys.isEmpty ? .wrong : .good,
            subject,
            Phrase("console.doctor.apple.answers", count: publication.keys.count)
        )
    }

    private func clock(_ publication: ApplePublication) -> Finding {
        let subject = Phrase("console.doctor.clock")
        guard let theirs = publication.clock else {
            return Finding(.note, subject, Phrase("console.doctor.clock.unknown"))
        }
        let ahead = surroundings.context.clock().seconds - theirs.seconds
        if abs(ahead) <= Self.tolerance {
            return Finding(.good, subject, Phrase("console.doctor.clock.right"))
        }
        return Finding(
            .wrong,
            subject,
            ahead > 0
                ? Phrase("console.doctor.clock.ahead", count: ahead)
                : Phrase("console.doctor.clock.behind", count: -ahead),
            advice: [Phrase("console.doctor.clock.advice")]
        )
    }

    private func lookAtWayIn() async -> Finding {
        let url = surroundings.context.publicURL
        let subject = Phrase("console.doctor.way-in")
        let request = ClientRequest("GET", "\(url)/healthz", addresses: .any)
        switch await surroundings.answers(request) {
        case .success(200) where surroundings.isLoopback:
            return Finding(.note, subject, Phrase("console.doctor.way-in.loopback", ["url": url]))
        case .success(200):
            return Finding(.good, subject, Phrase("console.doctor.way-in.answers", ["url": url]))
        case .success(let status):
            return wrongWayIn(subject, url, "status \(status)")
        case .failure(let failure): return wrongWayIn(subject, url, "\(failure)")
        }
    }

    private func wrongWayIn(_ subject: Phrase, _ url: String, _ reason: String) -> Finding {
        Finding(
            .wrong,
            subject,
            Phrase("console.doctor.way-in.silent", ["url": url, "reason": reason]),
            advice: [Phrase("console.doctor.way-in.silent.advice")]
        )
    }

    /// As long as no relay runs.
    private var relay: Finding {
        Finding(
            .note,
            Phrase("console.doctor.relay"),
            Phrase("console.doctor.relay.absent", ["domain": surroundings.context.relayDomain])
        )
    }
}
