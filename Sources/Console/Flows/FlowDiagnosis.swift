import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// Why a flow failed, in words: what it means, the likely causes with the likeliest first, and the setting to change.
struct FlowDiagnosis: Sendable {
    let cause: RefusalCause
    let likely: [Phrase]
    let remedy: Remedy?

    /// Where it can be mended.
    struct Remedy: Sendable {
        let label: Phrase
        let url: String

        static let fields = Fields<Remedy>()
            .words("label") { $0.label }
            .text("url") { $0.url }
    }

    /// - Parameters:
    ///   - fault: what the stand-in for Apple said it was told to do.
    ///   - standIn: where one is in Apple's place, its page.
    init(
        of step: FlowStep,
        _ flow: Flow,
        in team: TeamSnapshot,
        fault: String? = nil,
        standIn: String? = nil
    ) {
        cause = step.cause ?? .other
        let common = FlowEvidence(step, team).likely
        let remedy = FlowRemedies(flow, step, team).remedy(for: cause)
        guard let standIn, cause.isProviders else {
            (likely, self.remedy) = (common, remedy)
            return
        }
        let play =
            fault.map { Phrase("console.likely.apple-scripted", ["fault": $0]) }
            ?? Phrase("console.likely.apple-stand-in")
        likely = [play] + common
        self.remedy =
            fault == nil
            ? remedy : Remedy(label: Phrase("console.flows.remedy.stand-in"), url: standIn)
    }

    private struct Likely: Sendable {
        let words: Phrase

        static let fields = Fields<Likely>()
            .words("words") { $0.words }
    }

    static let fields = Fields<FlowDiagnosis>()
        .words("title") { Phrase(in: "console.causes", $0.cause.rawValue) }
        .words("meaning") { Phrase(in: "console.cause-meanings", $0.cause.rawValue) }
        .list("likely", Likely.fields) { $0.likely.map(Likely.init) }
        .optionalGroup("remedy", Remedy.fields) { $0.remedy }
}

/// The pages on which the settings behind a cause are changed.
struct FlowRemedies: Sendable {
    private let flow: Flow
    private let step: FlowStep
    private let team: TeamSnapshot

    init(_ flow: Flow, _ step: FlowStep, _ team: TeamSnapshot) {
        self.flow = flow
        self.step = step
        self.team = team
    }

    func remedy(for cause: RefusalCause) -> FlowDiagnosis.Remedy? {
        switch cause {
        case .returnURLUnregistered, .returnURLMissing, .codeOfOtherReturnURL, .pkceRequired:
            service ?? serviceIDs
        case .clientMissing, .clientMalformed, .clientUnknown: nearest ?? serviceIDs
        case .clientDisabled, .providerAudience: appID
        case .providerClient, .providerRefused, .providerRequest: connection
        case .providerAbsent: connections
        case .providerUnreachable, .providerTrouble, .providerThrottles, .providerMalformed,
            .providerExpired, .providerIssuer:
            checkup
        case .providerSubjectTaken: person
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader, .keyIDMissing, .keyUnknown,
            .keyOfOtherApp, .signatureInvalid, .signatureIsDER, .issuerWrong, .subjectWrong, .audienceWrong,
            .issuedInFuture, .secretExpired, .secretTooLong, .secretNotYetValid:
            keys
        case .personSuspended, .accountLocked, .secondFactorWrong, .secondFactorLocked: person
        default: nil
        }
    }

    private var service: FlowDiagnosis.Remedy? {
        guard let client = flow.clientID, team.isServiceID(client) else { return nil }
        return FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.client", ["client": client.rawValue]),
            url: ConsoleRoutes.serviceID.link(team.id, client)
        )
    }

    private var serviceIDs: FlowDiagnosis.Remedy {
        FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.service-ids"),
            url: ConsoleRoutes.serviceIDs.link(team.id)
        )
    }

    private var nearest: FlowDiagnosis.Remedy? {
        let text = step.known.first { $0.name == "nearest" }?.value
        guard let client = text.flatMap(ClientID.init(rawValue:)), team.isServiceID(client) else {
            return nil
        }
        return FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.client", ["client": client.rawValue]),
            url: ConsoleRoutes.serviceID.link(team.id, client)
        )
    }

    private var appID: FlowDiagnosis.Remedy? {
        guard let client = flow.clientID.flatMap(team.client) else { return nil }
        return FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.client", ["client": client.group.rawValue]),
            url: ConsoleRoutes.appID.link(team.id, client.group)
        )
    }

    /// How the app's group is registered at Apple, with the button that tests it.
    private var connection: FlowDiagnosis.Remedy? {
        guard let client = flow.clientID.flatMap(team.client),
            team.appleRegistration(of: client.group) != nil
        else { return connections }
        return FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.apple", ["client": client.group.rawValue]),
            url: RegistryRoutes.appleConnections.one.link(team.id, client.group)
        )
    }

    private var connections: FlowDiagnosis.Remedy {
        FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.connections"),
            url: RegistryRoutes.appleConnections.list.link(team.id)
        )
    }

    private var checkup: FlowDiagnosis.Remedy {
        FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.checkup"),
            url: CheckupPages.checkup.link(team.id)
        )
    }

    /// The key the secret names, where the team has it; else all of them.
    private var keys: FlowDiagnosis.Remedy {
        let named = step.sent.first { $0.name == "client_secret.kid" }?.value
        if let key = named.flatMap(KeyID.init(rawValue:)), team.hasKey(key) {
            return FlowDiagnosis.Remedy(
                label: Phrase("console.flows.remedy.key", ["key": key.rawValue]),
                url: ConsoleRoutes.key.link(team.id, key)
            )
        }
        return FlowDiagnosis.Remedy(
            label: Phrase("console.flows.remedy.keys"),
            url: ConsoleRoutes.keys.link(team.id)
        )
    }

    private var person: FlowDiagnosis.Remedy? {
        flow.subject.map { subject in
            FlowDiagnosis.Remedy(
                label: Phrase("console.flows.remedy.person"),
                url: ConsoleRoutes.user.link(team.id, subject)
            )
        }
    }
}
