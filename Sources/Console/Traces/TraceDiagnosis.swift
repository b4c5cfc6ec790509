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
    let remedy: Remedy?

    /// Link to the page on which the cause can be fixed.
    struct Remedy: Sendable {
        let label: Message
        let url: String

        static let fields = Fields<Remedy> {
            $0.words("label") { $0.label }
            $0.text("url") { $0.url }
        }
    }

    /// - Parameters:
    ///   - fault: the configured fault that the Apple simulator reported.
    ///   - standIn: URL of the Apple simulator's page; nil without a simulator.
    init(of step: TraceEvent, _ trace: SignInTrace, in team: TeamSnapshot, fault: String? = nil, standIn: String? = nil)
    {
        cause = step.cause ?? .other
        let common = TraceEvidence(step, team).likely
        let remedy = TraceRemedies(trace, step, team).remedy(for: cause)
        guard let standIn, cause.isProviders else {
            (likely, self.remedy) = (common, remedy)
            return
        }
        let play =
            fault.map { Message("console.likely.apple-scripted", ["fault": $0]) }
            ?? Message("console.likely.apple-stand-in")
        likely = [play] + common
        self.remedy = fault == nil ? remedy : Remedy(label: Message("console.traces.remedy.stand-in"), url: standIn)
    }

    private struct Likely: Sendable {
        let words: Message

        static let fields = Fields<Likely> { $0.words("words") { $0.words } }
    }

    static let fields = Fields<TraceDiagnosis> {
        $0.words("title") { Message(in: "console.causes", $0.cause.rawValue) }
        $0.words("meaning") { Message(in: "console.cause-meanings", $0.cause.rawValue) }
        $0.list("likely", Likely.fields) { $0.likely.map(Likely.init) }
        $0.optionalGroup("remedy", Remedy.fields) { $0.remedy }
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

    func remedy(for cause: RefusalCause) -> TraceDiagnosis.Remedy? {
        switch cause {
        case .returnURLUnregistered, .returnURLMissing, .codeOfOtherReturnURL, .pkceRequired: service ?? serviceIDs
        case .clientMissing, .clientMalformed, .clientUnknown: nearest ?? serviceIDs
        case .clientDisabled, .providerAudience: appID
        case .providerClient, .providerRefused, .providerRequest: connection
        case .providerAbsent: connections
        case .providerUnreachable, .providerTrouble, .providerThrottles, .providerMalformed, .providerExpired,
            .providerIssuer:
            checkup
        case .providerSubjectTaken: person
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader, .keyIDMissing, .keyUnknown,
            .keyOfOtherApp, .signatureInvalid, .signatureIsDER, .issuerWrong, .subjectWrong, .audienceWrong,
            .secretTime, .issuedInFuture, .secretExpired, .secretTooLong, .secretNotYetValid:
            keys
        case .personSuspended, .accountLocked, .secondFactorWrong, .secondFactorLocked: person
        default: nil
        }
    }

    private var service: TraceDiagnosis.Remedy? {
        guard let client = trace.clientID, team.isServiceID(client) else { return nil }
        return TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.client", ["client": client.rawValue]),
            url: ConsoleRoutes.serviceID.link(team.id, client))
    }

    private var serviceIDs: TraceDiagnosis.Remedy {
        TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.service-ids"), url: ConsoleRoutes.serviceIDs.link(team.id))
    }

    private var nearest: TraceDiagnosis.Remedy? {
        let text = step.known.first { $0.name == "nearest" }?.value
        guard let client = text.flatMap(ClientID.init(rawValue:)), team.isServiceID(client) else { return nil }
        return TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.client", ["client": client.rawValue]),
            url: ConsoleRoutes.serviceID.link(team.id, client))
    }

    private var appID: TraceDiagnosis.Remedy? {
        guard let client = trace.clientID.flatMap(team.client) else { return nil }
        return TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.client", ["client": client.primaryAppID.rawValue]),
            url: ConsoleRoutes.appID.link(team.id, client.primaryAppID))
    }

    /// Apple connection of the app's group, with its test button; the list of connections if there is none.
    private var connection: TraceDiagnosis.Remedy? {
        guard let client = trace.clientID.flatMap(team.client), team.appleRegistration(of: client.primaryAppID) != nil
        else { return connections }
        return TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.apple", ["client": client.primaryAppID.rawValue]),
            url: RegistryRoutes.appleConnections.one.link(team.id, client.primaryAppID))
    }

    private var connections: TraceDiagnosis.Remedy {
        TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.connections"), url: RegistryRoutes.appleConnections.list.link(team.id)
        )
    }

    private var checkup: TraceDiagnosis.Remedy {
        TraceDiagnosis.Remedy(label: Message("console.traces.remedy.checkup"), url: CheckupPages.checkup.link(team.id))
    }

    /// The key with the client secret's `kid`, if the team has it; else the list of keys.
    private var keys: TraceDiagnosis.Remedy {
        let named = step.sent.first { $0.name == "client_secret.kid" }?.value
        if let key = named.flatMap(KeyID.init(rawValue:)), team.hasKey(key) {
            return TraceDiagnosis.Remedy(
                label: Message("console.traces.remedy.key", ["key": key.rawValue]),
                url: ConsoleRoutes.key.link(team.id, key))
        }
        return TraceDiagnosis.Remedy(
            label: Message("console.traces.remedy.keys"), url: ConsoleRoutes.keys.link(team.id))
    }

    private var person: TraceDiagnosis.Remedy? {
        trace.subject.map { subject in
            TraceDiagnosis.Remedy(
                label: Message("console.traces.remedy.person"), url: ConsoleRoutes.user.link(team.id, subject))
        }
    }
}
