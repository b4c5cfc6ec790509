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
    private let certificateFile: CertificateFile?
    private let lacksProxy: Bool

    /// - Parameters:
    ///   - apple: belongs to the client's loop.
    ///   - client: asks for addresses of this installation.
    ///   - certificateFile: where this installation holds its own.
    ///   - lacksProxy: whether people come by a proxy that was not named.
    public init(
        _ context: EngineContext,
        apple: AppleProvider,
        client: HTTPClient,
        certificateFile: CertificateFile? = nil,
        lacksProxy: Bool = false
    ) {
        self.apple = apple
        self.certificateFile = certificateFile
        self.lacksProxy = lacksProxy
        surroundings = Surroundings(context: context, client: client)
    }

    /// Who reads what is found.
    public enum Reader: Sendable {
        /// Of whom the machine is: they are told of its files and options too.
        case `operator`
        /// Members of a team, who see what anybody on the network can.
        case team
    }

    /// - Parameter needsApple: whether anything is connected to Apple; until then its silence is worth a note.
    public func run(needsApple: Bool, for reader: Reader) async -> [Finding] {
        let own = reader == .operator ? proxy + ownCertificate : []
        return await lookAtApple(isNeeded: needsApple) + (await lookAtWayIn()) + own + [relay]
    }

    private var ownCertificate: [Finding] {
        certificateFile.map { [$0.finding(at: surroundings.context.clock())] } ?? []
    }

    /// Nothing where there is nothing to name, or it was named.
    private var proxy: [Finding] {
        guard lacksProxy else { return [] }
        return [
            Finding(
                .wrong,
                Phrase("console.doctor.proxy"),
                Phrase("console.doctor.proxy.not-named"),
                advice: [Phrase("console.doctor.proxy.not-named.advice")]
            )
        ]
    }

    private func lookAtApple(isNeeded: Bool) async -> [Finding] {
        let publication: ApplePublication
        do throws(ProviderFailure) {
            publication = try await apple.publication()
        } catch {
            return [
                Finding(
                    isNeeded ? .wrong : .note,
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
            apple.isStandIn
                ? Phrase("console.doctor.apple.answers.stand-in", count: publication.keys.count)
                : Phrase("console.doctor.apple.answers", count: publication.keys.count)
        )
    }

    private func clock(_ publication: ApplePublication) -> Finding {
        let subject = Phrase("console.doctor.clock")
        guard let theirs = publication.clock else {
            return Finding(.note, subject, Phrase("console.doctor.clock.unknown"))
        }
        let ahead = surroundings.context.clock().seconds - theirs.seconds
        if ahead.magnitude <= Self.tolerance {
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

    /// Whoever does not believe the certificate gets no answer either, so that is said once.
    private func lookAtWayIn() async -> [Finding] {
        let url = surroundings.context.publicURL
        let answer = await surroundings.answer(
            ClientRequest("GET", "\(url)/healthz", addresses: .any)
        )
        let certificate = CertificateCheck(at: surroundings.context.clock()).finding(
            Phrase("console.doctor.certificate"),
            of: surroundings.host,
            answer
        )
        if case .failure(.untrusted) = answer { return [certificate] }
        guard surroundings.isEncrypted, case .success = answer else { return [wayIn(url, answer)] }
        return [wayIn(url, answer), certificate]
    }

    private func wayIn(_ url: String, _ answer: Result<ClientResponse, ClientFailure>) -> Finding {
        let subject = Phrase("console.doctor.way-in")
        switch answer {
        case .success(let response) where response.status == 200:
            return surroundings.isLoopback
                ? Finding(.note, subject, Phrase("console.doctor.way-in.loopback", ["url": url]))
                : Finding(.good, subject, Phrase("console.doctor.way-in.answers", ["url": url]))
        case .success(let response):
            return wrongWayIn(subject, url, .status(response.status))
        case .failure(let failure): return wrongWayIn(subject, url, failure.words)
        }
    }

    private func wrongWayIn(_ subject: Phrase, _ url: String, _ reason: Phrase) -> Finding {
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

extension Phrase {
    /// An answer with a status that was not wanted.
    static func status(_ status: Int) -> Phrase {
        Phrase("console.doctor.reason.status", ["status": String(status)])
    }
}
