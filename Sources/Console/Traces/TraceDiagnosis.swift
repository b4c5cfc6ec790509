import Accounts
import Core
import Federation
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// Explanation of a failed sign-in: its meaning, likely causes with the most likely first, and the setting to change.
struct TraceDiagnosis: Sendable {
    let cause: RefusalCause
    let likely: [Message]
    /// Link to the page on which the cause can be fixed.
    let remedy: LinkView?

    /// - Parameters:
    ///   - fault: the configured fault that the Apple simulator reported.
    ///   - simulator: URL of the Apple simulator's page; nil without a simulator.
    init(
        of step: TraceEvent, _ trace: SignInTrace, in team: TeamSnapshot, fault: String? = nil, simulator: String? = nil
    ) {
        cause = step.cause ?? .other
        let common = TraceEvidence(step, team).likely
        let remedy = TraceRemedies(trace, step, team).remedy(for: cause)
        guard let simulator, cause.isProviders else {
            (likely, self.remedy) = (common, remedy)
            return
        }
        let first =
            fault.map { Message("console.likely.apple-scripted", ["fault": $0]) }
            ?? Message("console.likely.apple-simulator")
        likely = [first] + common
        self.remedy = fault == nil ? remedy : LinkView(Message("console.traces.remedy.simulator"), simulator)
    }

    static let fields = Fields<TraceDiagnosis> {
        $0.words("title") { Message(in: "console.causes", $0.cause.rawValue) }
        $0.words("meaning") { Message(in: "console.cause-meanings", $0.cause.rawValue) }
        $0.list("likely", Fields<Message> { $0.words("words") { $0 } }) { $0.likely }
        $0.optionalGroup("remedy", LinkView.fields) { $0.remedy }
    }
}

/// Finds the page on which the setting behind a cause can be changed.
struct TraceRemedies: Sendable {
    private let trace: SignInTrace
    private let step: TraceEvent
    private let team: TeamSnapshot

    init(_ trace: SignInTrace, _ step: TraceEvent, _ team: TeamSnapshot) {
        self.trace = trace
        self.step = step
        self.team = team
    }

    func remedy(for cause: RefusalCause) -> LinkView? {
        switch cause {
        case .returnURLUnregistered, .returnURLMissing, .codeOfOtherReturnURL, .pkceRequired: service ?? serviceIDs
        case .clientMissing, .clientMalformed, .clientUnknown: nearest ?? serviceIDs
        case .clientDisabled, .upstreamAudience, .wrapperApp: appID
        case .upstreamClient, .upstreamRefused, .upstreamRequest: connection
        case .upstreamAbsent: connections
        case .upstreamUnreachable, .upstreamTrouble, .upstreamThrottles, .upstreamMalformed, .upstreamExpired,
            .upstreamIssuer:
            checkup
        case .upstreamSubjectTaken: person
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader, .keyIDMissing, .keyUnknown,
            .keyOfOtherApp, .signatureInvalid, .signatureIsDER, .issuerWrong, .subjectWrong, .audienceWrong,
            .secretTime, .issuedInFuture, .secretExpired, .secretTooLong, .secretNotYetValid:
            keys
        case .personSuspended, .accountLocked, .secondFactorWrong, .secondFactorLocked: person
        default: nil
        }
    }

    private var service: LinkView? { page(of: trace.clientID) }

    private var nearest: LinkView? {
        page(of: step.known.first { $0.name == "nearest" }.flatMap { ClientID(rawValue: $0.value) })
    }

    private func page(of client: ClientID?) -> LinkView? {
        guard let client, team.isServiceID(client) else { return nil }
        return LinkView(
            Message("console.traces.remedy.client", ["client": client.rawValue]),
            ConsoleRoutes.serviceID.link(team.id, client))
    }

    private var serviceIDs: LinkView {
        LinkView(Message("console.traces.remedy.service-ids"), ConsoleRoutes.serviceIDs.link(team.id))
    }

    private var appID: LinkView? {
        guard let client = trace.clientID.flatMap(team.client) else { return nil }
        return LinkView(
            Message("console.traces.remedy.client", ["client": client.primaryAppID.rawValue]),
            ConsoleRoutes.appID.link(team.id, client.primaryAppID))
    }

    /// Apple connection of the app's group, with its test button; the list of connections if there is none.
    private var connection: LinkView? {
        guard let client = trace.clientID.flatMap(team.client), team.appleRegistration(of: client.primaryAppID) != nil
        else { return connections }
        return LinkView(
            Message("console.traces.remedy.apple", ["client": client.primaryAppID.rawValue]),
            RegistryRoutes.appleConnections.one.link(team.id, client.primaryAppID))
    }

    private var connections: LinkView {
        LinkView(Message("console.traces.remedy.connections"), RegistryRoutes.appleConnections.list.link(team.id))
    }

    private var checkup: LinkView {
        LinkView(Message("console.traces.remedy.checkup"), CheckupPages.checkup.link(team.id))
    }

    /// The key with the client secret's `kid`, if the team has it; else the list of keys.
    private var keys: LinkView {
        let named = step.sent.first { $0.name == "client_secret.kid" }?.value
        if let key = named.flatMap(KeyID.init(rawValue:)), team.hasKey(key) {
            return LinkView(
                Message("console.traces.remedy.key", ["key": key.rawValue]), ConsoleRoutes.key.link(team.id, key))
        }
        return LinkView(Message("console.traces.remedy.keys"), ConsoleRoutes.keys.link(team.id))
    }

    private var person: LinkView? {
        trace.subject.map { subject in
            LinkView(Message("console.traces.remedy.person"), ConsoleRoutes.user.link(team.id, subject))
        }
    }
}
